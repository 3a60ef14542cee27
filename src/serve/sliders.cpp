#include "catena/serve/sliders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <variant>

#include "catena/model/error.h"

namespace catena {
namespace {

bool is_travel(const Model& model, JointId joint) {
  return joint.valid() && model.joints[joint].kind == JointKind::slider;
}

// Without a range of its own a control gets one that a person would try.
SliderInfo slider_of(const Control& control, double value) {
  const double reach = std::max(1.0, 2 * std::abs(value));
  return {control.name, "", std::isfinite(control.ctrl_lower) ? control.ctrl_lower : -reach,
          std::isfinite(control.ctrl_upper) ? control.ctrl_upper : reach, value};
}

SliderInfo slider_of(const Model& model, const Actuator& actuator, double value) {
  const bool travel = is_travel(model, actuator.joint);
  const std::string& name = model.joints[actuator.joint].name;
  switch (actuator.kind) {
    case Actuator::Kind::position:
      return {name + ": set-point +", travel ? "m" : "rad", travel ? -0.1 : -1, travel ? 0.1 : 1, value};
    case Actuator::Kind::velocity:
      return {name + ": speed +", travel ? "m/s" : "rad/s", travel ? -1.0 : -10.0, travel ? 1.0 : 10.0, value};
    case Actuator::Kind::torque: break;
  }
  const double reach = std::isfinite(actuator.limit) ? actuator.limit : 10;
  return {name + (travel ? ": force +" : ": torque +"), travel ? "N" : "N m", -reach, reach, value};
}

struct Parameter {
  SliderInfo slider;
  std::function<void(Model&, double)> set;
};

std::vector<bool> materials_in_use(const Model& model) {
  std::vector<bool> used(model.materials.size(), false);
  const auto use = [&](const std::vector<Shape>& shapes) {
    for (const Shape& shape : shapes)
      if (shape.collide) used[static_cast<std::size_t>(shape.material)] = true;
  };
  for (const Body& body : model.bodies) use(body.shapes);
  use(model.ground_shapes);
  return used;
}

std::vector<Parameter> parameters(const Model& model) {
  std::vector<Parameter> out;
  if (const double g = norm(model.gravity); g > 0)
    out.push_back({{"gravity", "m/s²", 0, std::max(20.0, 2 * g), g},
                   [down = (1 / g) * model.gravity](Model& m, double value) { m.gravity = value * down; }});
  const std::vector<bool> used = materials_in_use(model);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Material& material = model.materials[i];
    if (!used[i] || material.grain) continue;
    out.push_back({{material.name.empty() ? "friction" : "friction of " + material.name, "", 0,
                    std::max(1.0, 2 * material.friction), material.friction},
                   [i](Model& m, double value) { m.materials[i].friction = value; }});
  }
  for (const Joint& joint : model.joints) {
    const std::optional<Motor>& motor = model.extras_of(joint).motor;
    const Constant* constant = motor ? std::get_if<Constant>(&motor->velocity) : nullptr;
    if (constant == nullptr) continue;
    const double reach = 2 * std::max(1.0, std::abs(constant->value));
    out.push_back(
        {{"motor of " + joint.name, joint.kind == JointKind::slider ? "m/s" : "rad/s", -reach, reach, constant->value},
         [extras = static_cast<std::size_t>(joint.extras)](Model& m, double value) {
           m.extras[extras].motor->velocity = Constant{value};
         }});
  }
  return out;
}

}  // namespace

std::vector<SliderInfo> control_sliders(const Model& model, std::span<const double> ctrl) {
  std::vector<SliderInfo> out;
  for (std::size_t i = 0; i < ctrl.size(); ++i)
    out.push_back(model.controls.empty() ? slider_of(model, model.actuators[i], ctrl[i])
                                         : slider_of(model.controls[i], ctrl[i]));
  return out;
}

std::vector<SliderInfo> parameter_sliders(const Model& model) {
  std::vector<SliderInfo> out;
  for (const Parameter& parameter : parameters(model)) out.push_back(parameter.slider);
  return out;
}

Model with_parameters(const Model& model, std::span<const double> values) {
  Model out = model;
  const std::vector<Parameter> known = parameters(model);
  if (values.size() != known.size())
    throw InputError(fmt::format("{} values of parameters for {}", values.size(), known.size()));
  for (std::size_t i = 0; i < known.size(); ++i) {
    const SliderInfo& slider = known[i].slider;
    if (!(values[i] >= slider.low && values[i] <= slider.high))
      throw InputError(fmt::format("{}: {} is outside of {} to {}", slider.name, values[i], slider.low, slider.high));
    known[i].set(out, values[i]);
  }
  return out;
}

}  // namespace catena
