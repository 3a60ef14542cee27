#include "catena/batch/parameter.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <utility>

namespace catena {
namespace {

template <class Owner>
using Field = std::pair<const char*, double Owner::*>;

constexpr std::array<Field<JointExtras>, 6> kJointFields{{{"damping", &JointExtras::damping},
                                                          {"stiffness", &JointExtras::stiffness},
                                                          {"rest", &JointExtras::rest},
                                                          {"friction", &JointExtras::friction},
                                                          {"compliance", &JointExtras::compliance},
                                                          {"relaxation", &JointExtras::relaxation}}};
constexpr std::array<Field<Freedom>, 5> kFreedomFields{{{"damping", &Freedom::damping},
                                                        {"stiffness", &Freedom::stiffness},
                                                        {"rest", &Freedom::rest},
                                                        {"friction", &Freedom::friction},
                                                        {"armature", &Freedom::armature}}};
constexpr std::array<Field<Limits>, 3> kLimitFields{
    {{"lower", &Limits::lower}, {"upper", &Limits::upper}, {"restitution", &Limits::restitution}}};
constexpr std::array<Field<Material>, 7> kMaterialFields{{{"friction", &Material::friction},
                                                          {"restitution", &Material::restitution},
                                                          {"rolling", &Material::rolling},
                                                          {"torsion", &Material::torsion},
                                                          {"compliance", &Material::compliance},
                                                          {"relaxation", &Material::relaxation},
                                                          {"creep", &Material::creep}}};
constexpr std::array<Field<Spring>, 3> kSpringFields{
    {{"stiffness", &Spring::stiffness}, {"damping", &Spring::damping}, {"length", &Spring::length}}};
constexpr std::array<Field<Actuator>, 3> kActuatorFields{
    {{"kp", &Actuator::kp}, {"kv", &Actuator::kv}, {"limit", &Actuator::limit}}};
constexpr std::array<Field<Tendon>, 7> kTendonFields{{{"stiffness", &Tendon::stiffness},
                                                      {"damping", &Tendon::damping},
                                                      {"friction", &Tendon::friction},
                                                      {"rest", &Tendon::rest},
                                                      {"rest_upper", &Tendon::rest_upper},
                                                      {"lower", &Tendon::lower},
                                                      {"upper", &Tendon::upper}}};
constexpr std::array<Field<Sym3>, 6> kInertiaFields{
    {{"0", &Sym3::xx}, {"1", &Sym3::yy}, {"2", &Sym3::zz}, {"3", &Sym3::xy}, {"4", &Sym3::xz}, {"5", &Sym3::yz}}};
constexpr std::array<Field<Vec3>, 3> kVectorFields{{{"0", &Vec3::x}, {"1", &Vec3::y}, {"2", &Vec3::z}}};

// A parameter's path, and how to reach it in a model that may be written to or not.
using Visit = std::function<void(std::string path, const double& value, std::function<double&(Model&)> reach)>;

template <class Owner, std::size_t n, class Reach>
void visit_fields(const std::string& path, const Owner& owner, const std::array<Field<Owner>, n>& fields, Reach reach,
                  const Visit& visit) {
  for (const auto& [name, member] : fields)
    visit(path + "." + name, owner.*member,
          [reach, member = member](Model& model) -> double& { return reach(model).*member; });
}

// Its extras, which a joint without any is given.
JointExtras& extras_in(Model& model, std::size_t joint) {
  int& index = model.joints[joint].extras;
  if (index < 0) {
    index = static_cast<int>(model.extras.size());
    model.extras.emplace_back();
  }
  return model.extras[static_cast<std::size_t>(index)];
}

void visit_bodies(const Model& model, const Visit& visit) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const std::string path = "bodies." + body.name;
    visit(path + ".mass", body.mass, [i](Model& m) -> double& { return m.bodies[i].mass; });
    visit_fields(
        path + ".inertia", body.inertia, kInertiaFields, [i](Model& m) -> Sym3& { return m.bodies[i].inertia; }, visit);
  }
}

// Of a compound joint, by the freedom's own name or, where it has none, its number.
void visit_freedom(const Model& model, std::size_t j, std::size_t k, const Visit& visit) {
  const Freedom& freedom = model.joints[j].freedoms[k];
  const std::string path =
      "joints." + (freedom.name.empty() ? fmt::format("{}.{}", model.joints[j].name, k) : freedom.name);
  const auto reach = [j, k](Model& m) -> Freedom& { return m.joints[j].freedoms[k]; };
  visit_fields(path, freedom, kFreedomFields, reach, visit);
  if (freedom.limits)
    visit_fields(
        path + ".limits", *freedom.limits, kLimitFields, [=](Model& m) -> Limits& { return *reach(m).limits; }, visit);
}

void visit_joints(const Model& model, const Visit& visit) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].kind == JointKind::compound) {
      for (std::size_t k = 0; k < model.joints[j].freedoms.size(); ++k) visit_freedom(model, j, k, visit);
      continue;
    }
    const JointExtras& extras = model.extras_of(model.joints[j]);
    const std::string path = "joints." + model.joints[j].name;
    visit_fields(
        path, extras, kJointFields, [j](Model& m) -> JointExtras& { return extras_in(m, j); }, visit);
    visit(path + ".armature", extras.armature[0], [j](Model& m) -> double& { return extras_in(m, j).armature[0]; });
    if (extras.limits)
      visit_fields(
          path + ".limits", *extras.limits, kLimitFields, [j](Model& m) -> Limits& { return *extras_in(m, j).limits; },
          visit);
    if (extras.motor && extras.motor->max_force)
      visit(path + ".motor.max_force", *extras.motor->max_force,
            [j](Model& m) -> double& { return *extras_in(m, j).motor->max_force; });
  }
}

void visit_forces(const Model& model, const Visit& visit) {
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const std::string path = fmt::format("forces.{}", i);
    visit_fields(
        path + ".force", model.forces[i].force, kVectorFields, [i](Model& m) -> Vec3& { return m.forces[i].force; },
        visit);
    visit_fields(
        path + ".torque", model.forces[i].torque, kVectorFields, [i](Model& m) -> Vec3& { return m.forces[i].torque; },
        visit);
  }
}

void visit_all(const Model& model, const Visit& visit) {
  visit_fields(
      "gravity", model.gravity, kVectorFields, [](Model& m) -> Vec3& { return m.gravity; }, visit);
  visit_bodies(model, visit);
  visit_joints(model, visit);
  for (std::size_t i = 0; i < model.materials.size(); ++i)
    visit_fields(
        "materials." + model.materials[i].name, model.materials[i], kMaterialFields,
        [i](Model& m) -> Material& { return m.materials[i]; }, visit);
  for (std::size_t i = 0; i < model.springs.size(); ++i)
    visit_fields(
        fmt::format("springs.{}", i), model.springs[i], kSpringFields,
        [i](Model& m) -> Spring& { return m.springs[i]; }, visit);
  for (std::size_t i = 0; i < model.actuators.size(); ++i)
    visit_fields(
        fmt::format("actuators.{}", i), model.actuators[i], kActuatorFields,
        [i](Model& m) -> Actuator& { return m.actuators[i]; }, visit);
  for (std::size_t i = 0; i < model.tendons.size(); ++i)
    visit_fields(
        "tendons." + model.tendons[i].name, model.tendons[i], kTendonFields,
        [i](Model& m) -> Tendon& { return m.tendons[i]; }, visit);
  visit_forces(model, visit);
}

[[noreturn]] void refuse(const Model& model, std::string_view path) {
  const std::string near = nearest(path, parameter_paths(model));
  throw InputError(fmt::format("the model has no parameter '{}'{}", path,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace

std::vector<std::string> parameter_paths(const Model& model) {
  std::vector<std::string> out;
  visit_all(model, [&](std::string path, const double&, const auto&) { out.push_back(std::move(path)); });
  return out;
}

double parameter(const Model& model, std::string_view path) {
  const double* found = nullptr;
  visit_all(model, [&](const std::string& name, const double& value, const auto&) {
    if (name == path) found = &value;
  });
  if (found == nullptr) refuse(model, path);
  return *found;
}

void set_parameter(Model& model, std::string_view path, double value) {
  std::function<double&(Model&)> found;
  visit_all(model, [&](const std::string& name, const double&, std::function<double&(Model&)> reach) {
    if (name == path) found = std::move(reach);
  });
  if (!found) refuse(model, path);
  found(model) = value;
}

}  // namespace catena
