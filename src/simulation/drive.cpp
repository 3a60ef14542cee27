// What drives a simulation, out and in again.
#include "catena/simulation/drive.h"

#include <algorithm>
#include <cmath>

#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

bool finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}
void check(bool good) {
  if (!good) throw InputError("set_drive(): a force or an input is not finite");
}

}  // namespace

Drive Simulation::drive() const {
  const Forces& forces = impl_->stepper->dynamics().forces();
  const auto first =
      forces.control.begin() + static_cast<std::ptrdiff_t>(impl_->inputs.empty() ? 0 : impl_->model->actuators.size());
  Drive out{{}, {first, forces.control.end()}};
  if (!impl_->driven) return out;
  out.tau = impl_->tau;
  for (const BodyVector& f : impl_->body_force) out.body_forces.push_back({f.linear, f.angular});
  for (const Forces::PointForce& f : forces.point_forces)
    out.point_forces.push_back({f.body.value(), f.force, f.point});
  return out;
}

void Simulation::set_drive(const Drive& drive) {
  const std::span<double> inputs = ctrl();
  const bool driven = !drive.tau.empty();
  if (drive.ctrl.size() != inputs.size() || (driven && drive.tau.size() != impl_->tau.size()) ||
      drive.body_forces.size() != (driven ? impl_->body_force.size() : 0))
    throw InputError("set_drive(): these forces and inputs are of another model");
  check(finite(drive.tau) && finite(drive.ctrl));
  for (const Spatial& f : drive.body_forces) check(finite(f.linear) && finite(f.angular));
  const auto bodies = static_cast<std::int64_t>(impl_->model->bodies.size());
  for (const Drive::PointForce& f : drive.point_forces) {
    if (f.body < 0 || f.body >= bodies) throw InputError("set_drive(): these forces are of another model");
    check(finite(f.force) && finite(f.point));
  }
  clear_forces();
  std::copy(drive.ctrl.begin(), drive.ctrl.end(), inputs.begin());
  Forces& forces = impl_->stepper->dynamics().forces();
  if (!driven) {
    impl_->load_forces();
    impl_->driven = forces.user_forces = false;
    return;
  }
  std::copy(drive.tau.begin(), drive.tau.end(), impl_->tau.begin());
  for (std::size_t i = 0; i < drive.body_forces.size(); ++i)
    impl_->body_force[i] = {drive.body_forces[i].linear, drive.body_forces[i].angular, 0};
  for (const Drive::PointForce& f : drive.point_forces)
    forces.point_forces.push_back({BodyId(static_cast<int>(f.body)), f.force, f.point});
  impl_->driven = true;
  impl_->evaluated = false;
}

}  // namespace catena
