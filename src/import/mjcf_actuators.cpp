// MJCF: actuators. force = clip(gain·u + bias) at the transmission of length ℓ = gear·q.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "catena/import/mjcf_reader.h"
#include "catena/math/scalar.h"
#include "catena/model/transmission.h"

namespace catena::mjcf {
// An element on top of what params hold: the shortcuts set gain and bias, and leave what they do not name.
void Reader::apply_actuator(const XmlNode& node, ActuatorParams& params) const {
  Control& c = params.control;
  const auto numbers = [&](const char* key, std::size_t most) {
    const std::string* text = node.find(key);
    return text ? read_numbers(tree_, node, key, *text, 0, most) : std::vector<double>{};
  };
  const auto one = [&](const char* key, double otherwise) {
    const std::string* text = node.find(key);
    return text ? read_one(tree_, node, key, *text) : otherwise;
  };
  const auto range = [&](const char* key, const char* limited, double& lower, double& upper) {
    const std::vector<double> x = numbers(key, 2);
    if (x.size() == 2) lower = x[0], upper = x[1];
    if (const std::string* said = node.find(limited); said && *said == "false") lower = -kInfinity, upper = kInfinity;
  };
  if (const std::vector<double> gear = numbers("gear", 6); !gear.empty()) {
    params.gear = {};
    std::copy(gear.begin(), gear.end(), params.gear.begin());
    c.gear = gear[0];
  }
  range("ctrlrange", "ctrllimited", c.ctrl_lower, c.ctrl_upper);
  range("forcerange", "forcelimited", c.force_lower, c.force_upper);
  range("actrange", "actlimited", c.act_lower, c.act_upper);
  params.inherit_range = one("inheritrange", params.inherit_range);
  const auto plain = [&] {
    params.expressible = true;
    params.why_not.clear();
    c.dynamics = Control::Dynamics::none;
    c.muscle.reset();
    params.damping_ratio = 0;
  };
  const auto filtered = [&](double time) {
    if (time > 0) c.dynamics = Control::Dynamics::filter, c.time_constant = time;
  };
  if (node.name == "motor") {
    plain();
    c.gain = {1, 0, 0};
    c.bias = {};
  } else if (node.name == "position" || node.name == "intvelocity") {
    const double ratio = params.damping_ratio;
    plain();
    const double kp = one("kp", c.gain[0]);
    c.gain = {kp, 0, 0};
    c.bias[0] = 0;
    c.bias[1] = -kp;
    if (node.find("kv")) c.bias[2] = -one("kv", 0);
    params.damping_ratio = one("dampratio", node.find("kv") ? 0 : ratio);
    if (node.name == "intvelocity") c.dynamics = Control::Dynamics::integrator;
    filtered(one("timeconst", 0));
  } else if (node.name == "velocity") {
    plain();
    const double kv = one("kv", c.gain[0]);
    c.gain = {kv, 0, 0};
    c.bias = {0, 0, -kv};
    filtered(one("timeconst", 0));
  } else if (node.name == "damper") {
    plain();
    c.gain = {0, 0, -one("kv", 1)};
    c.bias = {};
  } else if (node.name == "cylinder") {
    plain();
    const double diameter = one("diameter", 0);
    c.gain = {diameter > 0 ? std::numbers::pi / 4 * diameter * diameter : one("area", 1), 0, 0};
    c.bias = {};
    const std::vector<double> bias = numbers("bias", 3);
    std::copy(bias.begin(), bias.end(), c.bias.begin());
    filtered(one("timeconst", 1));
  } else if (node.name == "general") {
    apply_general(node, params);
  } else if (node.name == "muscle") {
    params.expressible = true;
    params.why_not.clear();
    params.damping_ratio = 0;
    apply_muscle(node, params);
  } else {
    params.expressible = false;
    params.why_not = fmt::format("actuators of kind '{}' are not modelled", node.name);
  }
}

void Reader::apply_general(const XmlNode& node, ActuatorParams& params) const {
  Control& c = params.control;
  const auto put = [&](const char* key, std::array<double, 3>& to) {
    const std::string* text = node.find(key);
    std::vector<double> from = text ? read_numbers(tree_, node, key, *text, 0, 10) : std::vector<double>{};
    for (std::size_t k = 0; k < std::min<std::size_t>(3, from.size()); ++k) to[k] = from[k];
    return from;
  };
  const std::string* bias = node.find("biastype");
  const std::string* gain = node.find("gaintype");
  const std::string* dynamics = node.find("dyntype");
  put("gainprm", c.gain);
  put("biasprm", c.bias);
  if (bias && *bias == "none") c.bias = {};
  // A positive rate coefficient of a position servo is a damping ratio.
  if (c.bias[2] > 0 && c.gain[0] == -c.bias[1] && !c.muscle) params.damping_ratio = std::exchange(c.bias[2], 0);
  const auto is = [](const std::string* type, const char* word) { return type != nullptr && *type == word; };
  const bool inherited = c.muscle.has_value();
  const bool curves = is(gain, "muscle") || (gain == nullptr && c.muscle);
  if (curves) {
    const std::string* numbers = node.find("gainprm");
    apply_muscle_curves(numbers ? read_numbers(tree_, node, "gainprm", *numbers, 0, 10) : std::vector<double>{},
                        params);
    if (bias != nullptr ? !is(bias, "muscle") : !inherited) c.muscle->passive = 0;  // no bias: no passive force
  } else {
    c.muscle.reset();
  }
  for (const std::string* type : {gain, bias})
    if (type && *type != "fixed" && *type != "affine" && *type != "none" && !(curves && *type == "muscle"))
      params.expressible = false, params.why_not = fmt::format("'{}' is not modelled", *type);
  if (dynamics) {
    c.dynamics = *dynamics == "none"             ? Control::Dynamics::none
               : *dynamics == "integrator"       ? Control::Dynamics::integrator
               : *dynamics == "muscle"           ? Control::Dynamics::muscle
               : dynamics->starts_with("filter") ? Control::Dynamics::filter
                                                 : c.dynamics;
    if (*dynamics == "user")
      params.expressible = false, params.why_not = fmt::format("'{}' is not modelled", *dynamics);
  }
  std::array<double, 3> times{c.time_constant, c.release_time, c.smoothing};
  put("dynprm", times);
  c.time_constant = times[0];
  if (c.dynamics == Control::Dynamics::muscle) c.release_time = times[1], c.smoothing = times[2];
  if (dynamics) params.activations = *dynamics == "user" ? 1 : 0;
  if (const std::string* dim = node.find("actdim"))
    params.activations = std::clamp(static_cast<int>(read_one(tree_, node, "actdim", *dim)), 0, 1000);
}

void Reader::read_actuators(const XmlNode& section) {
  for (const XmlNode& node : section.children) read_actuator(node);
}

void Reader::read_actuator(const XmlNode& node) {
  Model& model = built_.scene.model;
  ActuatorParams params = item(node, nullptr).defaults->actuator;
  params.control.name = node.find("name") ? *node.find("name") : fmt::format("actuator{}", model.controls.size());
  apply_actuator(node, params);
  Control& c = params.control;
  if (const std::string why = find_transmission(node, params); !why.empty() && params.expressible) {
    params.expressible = false;
    params.why_not = why;
  }
  if (params.expressible && c.muscle) settle_muscle(node, params);
  if (params.inherit_range > 0) inherit_range(node, params);
  if (params.damping_ratio > 0 && params.expressible) damp(node, params);
  if (params.expressible) map_actuator(params);
  if (!params.expressible) {
    ledger_.note(node, "", Fate::ignored, params.why_not);
    c.joint = {};
    c.tendon = c.site = -1;
  }
  model.controls.push_back(c);
  activations_.push_back(params.activations > 0 ? params.activations : c.dynamics != Control::Dynamics::none);
}

// What it pulls at; what is in the way, or an empty string.
std::string Reader::find_transmission(const XmlNode& node, ActuatorParams& params) {
  Control& c = params.control;
  const std::string* joint = node.find("joint");
  if (joint == nullptr) joint = node.find("jointinparent");
  if (joint != nullptr) {
    const FileJoint& to = joint_named(node, "joint", *joint);
    if (to.kind != RobotJoint::Kind::hinge && to.kind != RobotJoint::Kind::slide)
      return "a transmission to a ball or free joint is not modelled";
    c.joint = to.joint;
    c.coordinate = to.coordinate;
    return {};
  }
  if (const std::string* tendon = node.find("tendon")) {
    const auto found = names_.tendons.find(*tendon);
    if (found == names_.tendons.end()) return fmt::format("tendon '{}' is not modelled", *tendon);
    c.tendon = found->second;
    return {};
  }
  if (node.find("cranksite") && node.find("slidersite")) {
    const auto index = [&](const char* key) {
      return static_cast<int>(&site_named(node, key) - built_.scene.model.sites.data());
    };
    Tendon rod;
    rod.name = fmt::format("{} crank", c.name);
    rod.path = {{index("slidersite"), index("cranksite"), 1,
                 node.find("cranklength") ? read_one(tree_, node, "cranklength", *node.find("cranklength")) : 0}};
    if (!(rod.path.front().crank > 0)) fail(tree_, node, "cranklength: a positive number is expected");
    c.tendon = static_cast<int>(built_.scene.model.tendons.size());
    built_.scene.model.tendons.push_back(std::move(rod));
    return {};
  }
  if (node.find("site") && !node.find("refsite")) {
    const Site& site = site_named(node, "site");
    if (c.bias[1] != 0 || c.bias[2] != 0) return "a servo at a site has no length to hold";
    c.site = static_cast<int>(&site - built_.scene.model.sites.data());
    c.push = params.gear;
    c.gear = 1;
    return {};
  }
  return "a transmission other than to a joint, a fixed tendon or a site is not modelled";
}

// The input's range, or where the input is integrated the activation's, as a part of the joint's or tendon's about its middle.
void Reader::inherit_range(const XmlNode& node, ActuatorParams& params) {
  Control& c = params.control;
  const Model& model = built_.scene.model;
  double lower = -kInfinity, upper = kInfinity;
  if (c.joint.valid()) {
    const Joint& joint = model.joints[c.joint];
    const CoordinateLaw law = coordinate_law(joint, model.extras_of(joint), c.coordinate);
    if (law.limits) lower = law.limits->lower, upper = law.limits->upper;
  } else if (c.tendon >= 0) {
    lower = model.tendons[at(c.tendon)].lower;
    upper = model.tendons[at(c.tendon)].upper;
  }
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    ledger_.note(node, "inheritrange", Fate::ignored, "what it drives has no range");
    return;
  }
  const double middle = 0.5 * (lower + upper), half = 0.5 * params.inherit_range * (upper - lower);
  const bool integrated = c.dynamics == Control::Dynamics::integrator;
  (integrated ? c.act_lower : c.ctrl_lower) = middle - half;
  (integrated ? c.act_upper : c.ctrl_upper) = middle + half;
}

// kv = 2 ζ √(kp m) with the inertia m = 1/(J M⁻¹ Jᵀ) along the transmission at the reference pose.
void Reader::damp(const XmlNode& node, ActuatorParams& params) {
  Control& c = params.control;
  const double inertia = reference_inertia().along(rates_of(c));
  c.bias[2] = -2 * params.damping_ratio * std::sqrt(std::max(0.0, c.gain[0] * inertia));
  if (node.find("dampratio"))
    ledger_.note(node, "dampratio", Fate::used,
                 fmt::format("kv = {:.6g}, with the inertia {:.6g} along the transmission as since MuJoCo 3.15",
                             -c.bias[2], inertia));
}

std::vector<std::pair<int, double>> Reader::rates_of(const Control& control) {
  if (control.tendon >= 0) return rates_of(built_.scene.model.tendons[at(control.tendon)], control.gear);
  Tendon one;
  if (control.joint.valid()) one.terms.push_back({control.joint, control.coordinate, 1});
  return rates_of(one, control.gear);
}

const ReferenceInertia& Reader::reference_inertia() {
  if (!reference_.inertia) reference_.inertia.emplace(built_);
  return *reference_.inertia;
}

// Servos and motors along single coordinates become actuators of the model, which stand for the control; every other control acts by itself.
bool Reader::map_actuator(ActuatorParams& params) {
  Model& model = built_.scene.model;
  Control& c = params.control;
  if (c.site >= 0) return false;
  bound_at_joint(c);
  const bool servo = c.bias[1] != 0 || c.bias[2] != 0, pulls = servo || c.bias[0] != 0;
  const bool several = c.tendon >= 0 && model.tendons[at(c.tendon)].terms.size() != 1;
  const bool plain = c.gain[1] == 0 && c.gain[2] == 0 && c.bias[1] <= 0 && c.bias[2] <= 0 && servo == pulls &&
                     !(servo && several) && !(c.bias[1] == 0 && c.bias[0] != 0);
  const bool symmetric = c.force_lower == -c.force_upper;
  const bool path = c.tendon >= 0 && model.tendons[at(c.tendon)].is_path();
  if (!plain || !symmetric || c.gear == 0 || path || c.muscle) return false;
  c.actuator = static_cast<int>(model.actuators.size());
  each_term(model, c, [&](JointId joint, int coordinate, double g) {
    // torque = g·(gain u + b₀ + b₁ g q + b₂ g q̇) = kp (s − q) − kv q̇ with s = (gain u + b₀)/(−b₁ g); without b₁ a damper to the speed
    // that u asks for.
    Actuator a;
    a.joint = joint;
    a.coordinate = coordinate;
    a.limit = std::abs(g) * c.force_upper;
    if (std::isnan(a.limit)) a.limit = 0;
    a.kp = -c.bias[1] * g * g;
    a.kv = -c.bias[2] * g * g;
    a.kind = !servo ? Actuator::Kind::torque : c.bias[1] != 0 ? Actuator::Kind::position : Actuator::Kind::velocity;
    a.signal = Constant{set_point(c, a, g, acting_input(c, 0, 0))};
    model.actuators.push_back(a);
  });
  return true;
}

// actuatorfrcrange bounds g p at the joint, for one actuator at a time.
void Reader::bound_at_joint(Control& c) const {
  for (const FileJoint& joint : built_.joints) {
    const auto range = joint_notes_.force_range.find(joint.name);
    if (range == joint_notes_.force_range.end()) continue;
    each_term(built_.scene.model, c, [&](JointId id, int coordinate, double g) {
      if (joint.joint != id || joint.coordinate != coordinate || g == 0) return;
      const double one = range->second.first / g, two = range->second.second / g;
      c.force_lower = std::max(c.force_lower, std::min(one, two));
      c.force_upper = std::min(c.force_upper, std::max(one, two));
    });
  }
}

}  // namespace catena::mjcf

namespace catena {

std::span<const Rule> mjcf_actuator_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> out;
    constexpr std::string_view kinds[] = {"actuator/motor",       "actuator/position", "actuator/velocity",
                                          "actuator/intvelocity", "actuator/damper",   "actuator/general",
                                          "actuator/cylinder",    "actuator/muscle",   "actuator/adhesion",
                                          "actuator/plugin",      "actuator/dcmotor",  "actuator/orientation"};
    for (const std::string_view kind : kinds) {
      const auto add = [&](std::string_view attribute, std::string_view type, std::string_view otherwise, Fate fate,
                           std::string_view note, bool physics = true) {
        out.push_back({kind, attribute, type, otherwise, fate, note, physics});
      };
      add("", "", "", Fate::used, "its input u: Simulation::ctrl(), at first zero or what a keyframe says");
      for (const std::string_view name : {"name", "class", "joint", "jointinparent", "tendon"})
        add(name, "name", "", Fate::used, "");
      add("site", "name", "", Fate::used, "a force along gear there; with refsite it is ignored");
      for (const std::string_view name : {"refsite", "body"})
        add(name, "name", "", Fate::ignored, "a transmission that is not modelled");
      for (const std::string_view name : {"cranksite", "slidersite"})
        add(name, "name", "", Fate::used, "a rod from the crank's site to a slider on the other's z axis");
      add("cranklength", "number", "", Fate::used, "of the rod");
      add("gear", "1 to 6 numbers", "1 0 0 0 0 0", Fate::used, "");
      for (const std::string_view name : {"ctrlrange", "forcerange"}) add(name, "2 numbers", "", Fate::used, "");
      for (const std::string_view name : {"ctrllimited", "forcelimited"})
        add(name, "true, false, auto", "auto", Fate::used, "");
      for (const std::string_view name : {"kp", "kv", "inheritrange"}) add(name, "number", "", Fate::used, "");
      add("timeconst", "number", "0", Fate::used, "");
      add("dampratio", "number", "", Fate::used, "kv = 2 dampratio √(kp m), m the inertia along the transmission");
      for (const std::string_view name : {"area", "diameter"}) add(name, "number", "", Fate::used, "of a cylinder");
      add("bias", "3 numbers", "0 0 0", Fate::used, "of a cylinder");
      for (const std::string_view name : {"gaintype", "biastype", "dyntype"})
        add(name, "word", "", Fate::used, "fixed, affine, muscle, none; none, integrator, filter, filterexact, muscle");
      for (const std::string_view name : {"gainprm", "biasprm", "dynprm"}) add(name, "numbers", "", Fate::used, "");
      add("actlimited", "true, false, auto", "auto", Fate::used, "");
      add("actrange", "2 numbers", "", Fate::used, "");
      add("actearly", "flag", "false", Fate::ignored, "activations act by their mean over a step", false);
      add("actdim", "integer", "", Fate::ignored, "one activation an actuator");
      add("lengthrange", "2 numbers", "0 0", Fate::used, "of a muscle; where it is not given, from the joints' ranges");
      if (kind == "actuator/muscle") {
        add("range", "2 numbers", "0.75 1.05", Fate::used, "the range of lengths in units of the optimal one");
        add("force", "number", "-1", Fate::used, "negative: scale over the acceleration a unit of force gives");
        for (const std::string_view name : {"scale", "lmin", "lmax", "vmax", "fpmax", "fvmax", "tausmooth"})
          add(name, "number", "", Fate::used, "");
      }
      add("group", "integer", "0", Fate::ignored, "only how it looks", false);
      add("user", "numbers", "", Fate::ignored, "for programs of the user's own", false);
    }
    return out;
  }();
  return rules;
}

}  // namespace catena
