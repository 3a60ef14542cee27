// Reading a simulation and driving it: the doors, each of which checks what comes in.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/math/scalar.h"
#include "catena/primary/coordinates.h"
#include "catena/primary/reduced_system.h"
#include "catena/simulation/check_settings.h"
#include "catena/simulation/joint_dynamics.h"
#include "catena/simulation/manipulator.h"
#include "catena/simulation/sensors.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

void check_finite(const Vec3& v, const char* door, const char* what) {
  if (!finite(v)) throw InputError(fmt::format("{}: the {} ({}, {}, {}) is not finite", door, what, v.x, v.y, v.z));
}

void check_finite(std::span<const double> numbers, const char* door) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw InputError(fmt::format("{}: number {} is {}, and not finite", door, i, numbers[i]));
}

template <class Things>
int find(const std::vector<int>& index, const Things& things, std::string_view name, const char* what) {
  const auto name_of = [&](int i) -> std::string_view { return things[at(i)].name; };
  const auto found = std::ranges::lower_bound(index, name, {}, name_of);
  if (found != index.end() && name_of(*found) == name) return *found;
  std::vector<std::string> words;
  for (const int i : index) words.emplace_back(name_of(i));
  const std::string near = nearest(name, words);
  throw InputError(
      fmt::format("there is no {} '{}'{}", what, name, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace

void Simulation::Impl::check(BodyId body, const char* door) const {
  if (!body.valid()) throw InputError(fmt::format("{}: the ground is not a body that moves", door));
  if (body >= model->bodies.size())
    throw InputError(
        fmt::format("{}: there is no body {}; the model has {}", door, body.value(), model->bodies.size()));
}

void Simulation::Impl::check(JointId joint, const char* door) const {
  if (!joint.valid() || joint >= model->joints.size())
    throw InputError(
        fmt::format("{}: there is no joint {}; the model has {}", door, joint.value(), model->joints.size()));
}

void Simulation::Impl::check(const State& other) const {
  if (other.bodies.size() != model->bodies.size())
    throw InputError(fmt::format("the state has {} bodies and the model {}: it is of another model",
                                 other.bodies.size(), model->bodies.size()));
  if (other.joint_angles.size() != model->joints.size())
    throw InputError(fmt::format("the state has {} joints and the model {}: it is of another model",
                                 other.joint_angles.size(), model->joints.size()));
  if (!other.attachments.empty() && other.attachments.size() != model->joints.size())
    throw InputError(
        fmt::format("the state has {} joints that attach and let go and the model {}: it is of another model",
                    other.attachments.size(), model->joints.size()));
  if (!other.guides.empty() && other.guides.size() != guided.size())
    throw InputError(
        fmt::format("the state has {} bodies that are led by hand and the model {}: it is of another model",
                    other.guides.size(), guided.size()));
  if (!other.switched.empty() && other.switched.size() != model->bodies.size())
    throw InputError("the state has bodies of another model");
  if (!std::isfinite(other.time)) throw InputError("the time of the state is not finite");
  for (std::size_t i = 0; i < other.bodies.size(); ++i) {
    const BodyState& s = other.bodies[i];
    const bool good = finite(s.position) && finite(s.velocity) && finite(s.angular_velocity) &&
                      finite(s.orientation.vec()) && std::isfinite(s.orientation.w) && std::isfinite(s.scale) &&
                      std::isfinite(s.scale_velocity);
    if (!good) throw InputError(fmt::format("the state of body '{}' is not finite", model->bodies[i].name));
    if (std::abs(norm(s.orientation) - 1) > 1e-6)
      throw InputError(fmt::format("the orientation of body '{}' is no unit quaternion", model->bodies[i].name));
  }
}

void Simulation::set_state(const State& state) {
  impl_->check(state);
  impl_->state = state;
  impl_->state.activation.resize(impl_->model->controls.size());
  impl_->follow_state();
  impl_->drop_stale_coordinates();
  impl_->stepper->invalidate();
  impl_->changed();
}

void Simulation::Impl::drop_stale_coordinates() {
  if (state.q.empty() || stepper->carries(state)) return;
  state.q.clear();
  state.qd.clear();
}

void Simulation::Impl::load_forces() {
  load_inputs();
  if (!driven) return;
  Forces& forces = stepper->dynamics().forces();
  forces.user_forces = true;
  bool same = true;
  const auto put = [&same](const auto& value, auto& to) {
    same = same && to == value;
    to = value;
  };
  for (std::size_t j = 0; j < model->joints.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId(j));
    for (int k = 0; k < slot.n_v; ++k) put(tau[at(slot.v + k)], forces.joint_force[j][at(k)]);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < body_force.size(); ++i) {
    BodyVector force = body_force[i];
    if (next < layout.floating().size() && layout.floating()[next] == BodyId(i)) {
      const double* own = tau.data() + layout.of_floating(next++).v;
      force += BodyVector{vector_at(own), vector_at(own + 3), 0};
    }
    BodyVector& to = forces.body_force[i];
    put(force.linear, to.linear);
    put(force.angular, to.angular);
  }
  if (!same) evaluated = false;
}

void Simulation::Impl::evaluate() {
  load_forces();
  if (!evaluated) evaluated = stepper->evaluate(state);
}

double Simulation::time() const { return impl_->state.time; }
long Simulation::steps() const { return impl_->steps; }
double Simulation::slack() const { return impl_->slack(); }
const Model& Simulation::model() const { return *impl_->model; }
std::shared_ptr<const Model> Simulation::shared_model() const { return impl_->model; }
const Settings& Simulation::settings() const { return impl_->settings; }
const Warnings& Simulation::warnings() const { return impl_->warnings; }
double Simulation::size() const { return impl_->size; }
Integrator Simulation::integrator() const { return impl_->stepper->integrator(); }
const Layout& Simulation::layout() const { return impl_->layout; }
const State& Simulation::state() const { return impl_->state; }

BodyId Simulation::body_id(std::string_view name) const {
  return BodyId(find(impl_->names.bodies, impl_->model->bodies, name, "body"));
}
JointId Simulation::joint_id(std::string_view name) const {
  return JointId(find(impl_->names.joints, impl_->model->joints, name, "joint"));
}
const BodyState& Simulation::body(std::string_view name) const { return impl_->state.bodies[body_id(name)]; }
const BodyState& Simulation::body(BodyId id) const {
  impl_->check(id, "body()");
  return impl_->state.bodies[id];
}

std::span<const double> Simulation::q() const {
  sync();
  return {impl_->coordinates.q.data(), at(impl_->layout.n_q())};
}

std::span<const double> Simulation::v() const {
  sync();
  return {impl_->coordinates.v.data(), at(impl_->layout.n_v())};
}

void Simulation::sync() const { impl_->read_coordinates(); }

void Simulation::set_coordinates(std::span<const double> q, std::span<const double> v) {
  const Layout& layout = impl_->layout;
  if (q.size() != at(layout.n_q()) || v.size() != at(layout.n_v()))
    throw InputError(fmt::format("set_coordinates(): {} coordinates and {} rates are expected, {} and {} were given",
                                 layout.n_q(), layout.n_v(), q.size(), v.size()));
  check_finite(q, "set_coordinates()");
  check_finite(v, "set_coordinates()");
  if (impl_->open_in_forest())
    throw InputError(
        "set_coordinates(): a joint they are the coordinates of is open; attach it, or give it `detach:` in the scene");
  State next = impl_->state;
  place_bodies(*this, q, v, next);
  if (!close(next)) throw InputError("set_coordinates(): the loops cannot be closed there");
  for (std::size_t j = 0; j < next.joint_angles.size(); ++j) {
    const Layout::Slot& slot = layout.of(JointId(j));
    if (slot.q + slot.n_q > layout.n_q() || slot.n_q != slot.n_v) continue;
    for (int k = 0; k < slot.n_q; ++k) next.joint_angles[j][at(k)] = q[at(slot.q + k)];
  }
  count_turns(next);
  set_state(next);
}

DragReport Simulation::drag(std::span<const Drag> drags) {
  for (const Drag& drag : drags) {
    impl_->check(drag.body, "drag()");
    if (impl_->model->bodies[drag.body].kind == BodyKind::form)
      throw InputError(fmt::format("drag(): '{}' is the form of a body and no place; drag a point of the body",
                                   impl_->model->bodies[drag.body].name));
    check_finite(drag.point, "drag()", "point");
    check_finite(drag.target, "drag()", "target");
  }
  State next = impl_->state;
  const LinearSolver solver =
      is_iterated(impl_->settings.method.solver()) ? LinearSolver::automatic : impl_->settings.method.solver();
  const DragReport report =
      Manipulator(impl_->running(), impl_->running_copy ? impl_->state : *impl_->assembled_start, solver)
          .drag(drags, next);
  close(next);  // motors and moving constraints have the rates they prescribe
  next.impulses.clear();
  set_state(next);
  return report;
}

DragReport Simulation::drag(BodyId body, const Vec3& point, const Vec3& target) {
  const Drag one{body, point, target};
  return drag(std::span(&one, 1));
}

std::span<double> Simulation::tau() {
  impl_->driven = true;
  return {impl_->tau.data(), at(impl_->layout.n_v())};
}

std::span<double> Simulation::ctrl() {
  impl_->evaluated = false;
  const std::span<double> all = impl_->stepper->dynamics().forces().control;
  return impl_->inputs.empty() ? all : all.subspan(impl_->model->actuators.size());
}

void Simulation::set_force(BodyId body, const Vec3& force, const Vec3& torque) {
  impl_->check(body, "set_force()");
  check_finite(force, "set_force()", "force");
  check_finite(torque, "set_force()", "torque");
  impl_->body_force[body] = {force, torque, 0};
  impl_->driven = true;
}

void Simulation::add_force_at(BodyId body, const Vec3& force, const Vec3& point) {
  impl_->check(body, "add_force_at()");
  check_finite(force, "add_force_at()", "force");
  check_finite(point, "add_force_at()", "point");
  impl_->stepper->dynamics().forces().point_forces.push_back({body, force, point});
  impl_->driven = true;
  impl_->evaluated = false;
}

void Simulation::clear_forces() {
  std::fill(impl_->tau.begin(), impl_->tau.end(), 0.0);
  std::fill(impl_->body_force.begin(), impl_->body_force.end(), BodyVector{});
  impl_->stepper->dynamics().forces().point_forces.clear();
  impl_->evaluated = false;
}

const StepReport& Simulation::report() const { return impl_->report; }
const std::vector<ContactForce>& Simulation::contact_forces() const { return impl_->stepper->contact_forces(); }
const std::vector<JointEvent>& Simulation::joint_events() const { return impl_->joint_events; }
const std::vector<Impact>& Simulation::impacts() const { return impl_->stepper->impacts(); }

std::span<const double> Simulation::sensor(std::string_view name) const {
  const auto i = at(find(impl_->names.sensors, impl_->model->sensors, name, "sensor"));
  const Sensor& sensor = impl_->model->sensors[i];
  if (const std::string fault = fault_of(*impl_->model, sensor); !fault.empty())
    throw InputError(fmt::format("sensor '{}': {}", name, fault));
  read_sensor(*this, sensor, impl_->readings[i]);
  return impl_->readings[i];
}

Energy Simulation::energy() const {
  Dynamics& dynamics = impl_->stepper->dynamics();
  return {dynamics.kinetic_energy(impl_->state), dynamics.potential_energy(impl_->state), impl_->state.ledger};
}

Drift Simulation::drift() const { return impl_->stepper->projection().drift(impl_->state); }

Dynamics& Simulation::evaluate() const {
  impl_->evaluate();
  return impl_->stepper->dynamics();
}

const ConstraintSystem& Simulation::system() const { return impl_->stepper->dynamics().system(); }

Simulation::JointHandle Simulation::joint(std::string_view name) { return {*impl_, joint_id(name)}; }
Simulation::JointView Simulation::joint(std::string_view name) const { return {*impl_, joint_id(name)}; }
Simulation::JointHandle Simulation::joint(JointId id) {
  impl_->check(id, "joint()");
  return {*impl_, id};
}
Simulation::JointView Simulation::joint(JointId id) const {
  impl_->check(id, "joint()");
  return {*impl_, id};
}

int Simulation::JointView::coordinates() const { return impl_->layout.of(id_).n_v; }

void Simulation::JointView::check(int coordinate) const {
  if (coordinate >= 0 && coordinate < coordinates()) return;
  const std::string& name = impl_->model->joints[id_].name;
  throw InputError(coordinates() == 0 ? fmt::format("joint '{}' has no coordinates", name)
                                      : fmt::format("joint '{}' has coordinates 0 to {}; {} is none of them", name,
                                                    coordinates() - 1, coordinate));
}

// A ball joint's q is a quaternion; its positions are those of the rotation vector.
double Simulation::JointView::position(int coordinate) const {
  check(coordinate);
  if (impl_->layout.of(id_).n_q == coordinates()) return q()[at(coordinate)];
  impl_->read_coordinates();
  return impl_->read_joint(impl_->coordinates.kinematics_of(*impl_->model), id_)[at(coordinate)].phi;
}

double Simulation::JointView::velocity(int coordinate) const {
  check(coordinate);
  return v()[at(coordinate)];
}

std::span<const double> Simulation::JointView::q() const {
  impl_->read_coordinates();
  const Layout::Slot& slot = impl_->layout.of(id_);
  return {impl_->coordinates.q.data() + slot.q, at(slot.n_q)};
}

std::span<const double> Simulation::JointView::v() const {
  impl_->read_coordinates();
  const Layout::Slot& slot = impl_->layout.of(id_);
  return {impl_->coordinates.v.data() + slot.v, at(slot.n_v)};
}

Spatial Simulation::JointView::reaction() const {
  impl_->evaluate();
  return joint_wrench(*impl_->model, impl_->state, impl_->stepper->dynamics(), id_);
}

CoordinateForces Simulation::JointView::forces(int coordinate) const {
  check(coordinate);
  impl_->evaluate();
  return coordinate_forces(*impl_->model, impl_->state, impl_->stepper->dynamics(), id_, coordinate);
}

void Simulation::JointHandle::set_torque(double torque, int coordinate) {
  check(coordinate);
  if (!std::isfinite(torque))
    throw InputError(fmt::format("joint '{}': a torque of {} is not finite", impl_->model->joints[id_].name, torque));
  tau()[at(coordinate)] = torque;
}

std::span<double> Simulation::JointHandle::tau() {
  impl_->driven = true;
  const Layout::Slot& slot = impl_->layout.of(id_);
  return {impl_->tau.data() + slot.v, at(slot.n_v)};
}

}  // namespace catena
