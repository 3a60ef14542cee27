#include "catena/simulation/sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "catena/constraint/joint_coordinates.h"
#include "catena/mechanism/controls.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/sensors.h"

namespace catena {
namespace {

bool turns(BodyKind kind) { return kind != BodyKind::particle; }

void body_names(const Body& body, std::vector<std::string>& names) {
  const auto add = [&](std::initializer_list<const char*> parts) {
    for (const char* part : parts) names.push_back(body.name + part);
  };
  if (body.kind == BodyKind::form) {
    for (const char* quantity : {"q", "v"})
      for (int k = 0; k < body.form->coordinates(); ++k)
        names.push_back(fmt::format("{}.{}[{}]", body.name, quantity, k));
    return;
  }
  add({".x", ".y", ".z"});
  if (turns(body.kind)) add({".qw", ".qx", ".qy", ".qz"});
  add({".vx", ".vy", ".vz"});
  if (turns(body.kind)) add({".wx", ".wy", ".wz"});
  if (body.kind == BodyKind::scalable) add({".scale", ".scale_velocity"});
}

double* write(double* out, const Vec3& v) {
  *out++ = v.x;
  *out++ = v.y;
  *out++ = v.z;
  return out;
}

double* write_body(double* out, const Body& body, const BodyState& s) {
  if (body.kind == BodyKind::form) {
    for (const OwnVector& numbers : {form_coordinates(s), form_rates(s)})
      out = std::copy_n(numbers.begin(), body.form->coordinates(), out);
    return out;
  }
  out = write(out, s.position);
  if (turns(body.kind)) {
    *out++ = s.orientation.w;
    out = write(out, s.orientation.vec());
  }
  out = write(out, s.velocity);
  if (turns(body.kind)) out = write(out, s.angular_velocity);
  if (body.kind == BodyKind::scalable) {
    *out++ = s.scale;
    *out++ = s.scale_velocity;
  }
  return out;
}

// Motors, limits and dry friction along the coordinates of a joint that has them: a member of CoordinateForces, its name, and where.
template <class Use>
void each_law(const Model& model, const Joint& joint, Use&& use) {
  const JointExtras& extras = model.extras_of(joint);
  for (int k = 0; k < coordinate_count(joint); ++k) {
    const CoordinateLaw law = coordinate_law(joint, extras, k);
    if (extras.motor && extras.motor->coordinate == k) use(&CoordinateForces::motor, "motor", k);
    if (law.limits) use(&CoordinateForces::limit, "limit", k);
    if (law.friction != 0) use(&CoordinateForces::friction, "friction", k);
  }
}

double* write_joint(double* out, const Simulation& simulation, Dynamics& dynamics, JointId id) {
  const Model& model = simulation.model();
  const Joint& joint = model.joints[id];
  if (coordinate_count(joint) > 0) {
    const std::span<const Row> rows = dynamics.coordinates().evaluate(model, dynamics.kinematics(), id);
    for (const Row& row : rows) *out++ = row.phi;
    for (const Row& row : rows) *out++ = rate(dynamics.kinematics(), joint, row);
  }
  const Spatial wrench = joint_wrench(model, simulation.state(), dynamics, id);
  out = write(out, wrench.linear);
  out = write(out, wrench.angular);
  each_law(model, joint, [&](double CoordinateForces::*force, const char*, int k) {
    *out++ = coordinate_forces(model, simulation.state(), dynamics, id, k).*force;
  });
  return out;
}

bool is_read(const Model& model, const Sensor& sensor) { return fault_of(model, sensor).empty(); }

// Of an actuator of a scene, which has no name of its own: that of its joint, and its place where the joint has several.
std::string actuator_name(const Model& model, std::size_t i) {
  const JointId joint = model.actuators[i].joint;
  const auto of_joint = [&](const Actuator& a) { return a.joint == joint; };
  const auto begin = model.actuators.begin();
  if (std::count_if(begin, model.actuators.end(), of_joint) == 1) return model.joints[joint].name;
  return fmt::format("{}[{}]", model.joints[joint].name,
                     std::count_if(begin, begin + static_cast<std::ptrdiff_t>(i), of_joint));
}

// Those that do not stand for a control of a robot file, whose force is the control's.
std::size_t actuators_by_themselves(const Model& model) {
  const bool stand_in =
      std::any_of(model.controls.begin(), model.controls.end(), [](const Control& c) { return c.actuator >= 0; });
  return stand_in ? 0 : model.actuators.size();
}

double force_now(const Simulation& simulation, Dynamics& dynamics, std::size_t i) {
  const Actuator& a = simulation.model().actuators[i];
  const std::span<const Row> rows = dynamics.coordinates().evaluate(simulation.model(), dynamics.kinematics(), a.joint);
  const Row& row = rows[static_cast<std::size_t>(a.coordinate)];
  const double speed = rate(dynamics.kinematics(), simulation.model().joints[a.joint], row);
  const double force = force_of(a, row.phi, speed, simulation.time(), dynamics.forces().control[i]);
  return std::clamp(force, -a.limit, a.limit);
}

void drive_names(const Model& model, std::vector<std::string>& names) {
  for (std::size_t i = 0; i < actuators_by_themselves(model); ++i)
    names.push_back(fmt::format("actuator.{}.force", actuator_name(model, i)));
  for (const Control& control : model.controls) {
    names.push_back(fmt::format("ctrl.{}", control.name));
    if (control.dynamics != Control::Dynamics::none) names.push_back(fmt::format("act.{}", control.name));
    names.push_back(fmt::format("actuator.{}.force", control.name));
  }
  for (const Sensor& sensor : model.sensors) {
    if (!is_read(model, sensor)) continue;
    const int size = reading_size(sensor);
    for (int k = 0; k < size; ++k)
      names.push_back(size == 1 ? fmt::format("sensor.{}", sensor.name) : fmt::format("sensor.{}[{}]", sensor.name, k));
  }
}

double* write_drives(double* out, const Simulation& simulation, Dynamics& dynamics) {
  const Model& model = simulation.model();
  for (std::size_t i = 0; i < actuators_by_themselves(model); ++i) *out++ = force_now(simulation, dynamics, i);
  for (std::size_t i = 0; i < model.controls.size(); ++i) {
    const Control& control = model.controls[i];
    *out++ = dynamics.forces().control[model.actuators.size() + i] + value(control.signal, simulation.time());
    if (control.dynamics != Control::Dynamics::none) *out++ = simulation.state().activation[i];
    *out++ =
        control_force(model, dynamics.kinematics(), dynamics.coordinates(), control, dynamics.forces().acting[i]).force;
  }
  for (const Sensor& sensor : model.sensors) {
    if (!is_read(model, sensor)) continue;
    const auto size = static_cast<std::size_t>(reading_size(sensor));
    read_sensor(simulation, sensor, {out, size});
    out += size;
  }
  return out;
}

}  // namespace

std::vector<std::string> column_names(const Model& model) {
  std::vector<std::string> names{"time"};
  for (const Body& body : model.bodies) body_names(body, names);
  for (const Joint& joint : model.joints) {
    for (const char* quantity : {"q", "v"})
      for (int k = 0; k < coordinate_count(joint); ++k)
        names.push_back(fmt::format("joint.{}.{}[{}]", joint.name, quantity, k));
    for (const char* part : {"fx", "fy", "fz", "tx", "ty", "tz"})
      names.push_back(fmt::format("joint.{}.{}", joint.name, part));
    each_law(model, joint, [&](double CoordinateForces::*, const char* what, int k) {
      names.push_back(fmt::format("joint.{}.{}[{}]", joint.name, what, k));
    });
  }
  drive_names(model, names);
  for (const char* name : {"energy.kinetic", "energy.potential", "energy.motors", "energy.actuators", "energy.external",
                           "energy.damping", "energy.contacts", "energy.projection", "drift.position", "drift.angle",
                           "residual", "contacts.count", "contacts.normal"})
    names.emplace_back(name);
  return names;
}

void sample(Simulation& simulation, std::span<double> row) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  Dynamics& dynamics = simulation.evaluate();
  double* out = row.data();
  *out++ = state.time;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) out = write_body(out, model.bodies[i], state.bodies[i]);
  for (std::size_t j = 0; j < model.joints.size(); ++j) out = write_joint(out, simulation, dynamics, JointId(j));
  out = write_drives(out, simulation, dynamics);
  const double residual = dynamics.check().worst();
  double count = 0, normal = 0;
  for (const ContactForce& contact : simulation.contact_forces()) {
    count += contact.normal > 0 ? 1 : 0;
    normal += contact.normal;
  }
  const Energy energy = simulation.energy();
  const Drift drift = simulation.drift();
  for (const double x : {energy.kinetic, energy.potential, energy.ledger.motors, energy.ledger.actuators,
                         energy.ledger.external, energy.ledger.damping, energy.ledger.contacts,
                         energy.ledger.projection, drift.position, drift.angle, residual, count, normal})
    *out++ = x;
}

}  // namespace catena
