#include "catena/model/builder.h"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>

namespace catena {
namespace {

// Names to indices. "ground" is the ground.
class Names {
 public:
  explicit Names(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) bodies_.emplace(model.bodies[i].name, BodyId{i});
  }

  BodyId body(const std::string& name, const std::string& who) const {
    if (name == "ground") return kGround;
    if (const auto found = bodies_.find(name); found != bodies_.end()) return found->second;
    try {
      return model_.body(name);
    } catch (const InputError& error) {
      throw InputError{fmt::format("{}: {}", who, error.what())};
    }
  }

 private:
  const Model& model_;
  std::unordered_map<std::string_view, BodyId> bodies_;
};

}  // namespace

ModelBuilder& ModelBuilder::name(std::string name) {
  frame_.name = std::move(name);
  return *this;
}

ModelBuilder& ModelBuilder::gravity(const Vec3& gravity) {
  frame_.gravity = gravity;
  return *this;
}

ModelBuilder& ModelBuilder::body(BodySpec spec) {
  bodies_.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::joint(JointSpec spec) {
  joints_.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::spring(SpringSpec spec) {
  springs_.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::force(ForceSpec spec) {
  forces_.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::actuator(ActuatorSpec spec) {
  actuators_.push_back(std::move(spec));
  return *this;
}

ModelBuilder& ModelBuilder::material(Material material) {
  if (frame_.materials.empty()) default_material(Material{}.friction, Material{}.restitution);
  frame_.materials.push_back(std::move(material));
  return *this;
}

ModelBuilder& ModelBuilder::default_material(double friction, double restitution) {
  if (frame_.materials.empty()) frame_.materials.emplace_back();
  frame_.materials[0] = {"default", friction, restitution};
  return *this;
}

ModelBuilder& ModelBuilder::ground_shape(Shape shape) {
  frame_.ground_shapes.push_back(std::move(shape));
  return *this;
}

ModelBuilder& ModelBuilder::collide_adjacent(bool collide) {
  frame_.collide_adjacent = collide;
  return *this;
}

ModelBuilder& ModelBuilder::never_collide(std::string a, std::string b) {
  excluded_.emplace_back(std::move(a), std::move(b));
  return *this;
}

BuiltModel ModelBuilder::build() const {
  BuiltModel out{frame_, {}, {}};
  if (out.model.materials.empty())
    out.model.materials.push_back({"default", Material{}.friction, Material{}.restitution});
  for (const BodySpec& spec : bodies_) append_body(out.model, out.initial, spec);
  const Names names(out.model);
  for (const JointSpec& spec : joints_) {
    const std::string who = fmt::format("joint '{}'", spec.name);
    const bool coupling = spec.kind == JointKind::coupling;
    const BodyId a = coupling ? kGround : names.body(spec.between[0], who);
    const BodyId b = coupling ? kGround : names.body(spec.between[1], who);
    append_joint(out.model, out.initial, spec, a, b);
  }
  for (const SpringSpec& spec : springs_) {
    append_spring(out.model, out.initial, spec, names.body(spec.between[0], "spring"),
                  names.body(spec.between[1], "spring"));
  }
  for (const ForceSpec& f : forces_) {
    out.model.forces.push_back(
        {names.body(f.body, "force"), f.force, f.torque, f.point, f.from, f.until, f.body_frame});
  }
  for (const ActuatorSpec& a : actuators_) {
    out.model.actuators.push_back({out.model.joint(a.joint), a.coordinate, a.kind, a.kp, a.kv, a.limit, a.signal});
  }
  for (const auto& [a, b] : excluded_) {
    out.model.collide_exclude.emplace_back(names.body(a, "never_collide"), names.body(b, "never_collide"));
  }
  out.warnings = validate(out.model, out.initial);
  return out;
}

}  // namespace catena
