// The second half of a step of Bender's method: from the impulses at t to velocities at t + h that joints and laws agree with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/step/impulse.h"

namespace catena {
namespace {

double fastest(std::span<const BodyState> bodies) {
  double speed2 = 0;
  for (const BodyState& s : bodies)
    speed2 = std::max({speed2, dot(s.velocity, s.velocity), dot(s.angular_velocity, s.angular_velocity)});
  return std::sqrt(speed2);
}

}  // namespace

// From the impulses at t to the end of the step, or part of one.
void ImpulseMethod::finish(double h, State& state) {
  book_position_impulses(state);
  fly(h, state);                                                        // eqs. 1–4
  if (!flight_->factor(state)) return context_.fail(Status::singular);  // H at t + h, and the kinematics there
  if (laws_)
    for (std::size_t i = 0; i < arrived_.size(); ++i) arrived_[i] = velocity_of(state.bodies[i]);
  if (!correct_velocities(state)) return;
  if (!dynamics().forces().constant(model(), state.time - h, state.time)) end_forces(h, state.time - h, state);
  if (!report().ok()) return;
  flight_->remember_angles(state);
}

// The impulses at t change the kinetic energy by Δv·M(v + Δv/2); what motors do of it is their work.
void ImpulseMethod::book_position_impulses(State& state) {
  if (joints_.driven) {  // at the velocities prescribed at t, not where the bodies were predicted to be
    flight_->forget();
    place(state);
  }
  const double motors = joints_.driven ? flight_->motor_work(joints_.sum) : 0;
  const ImpulseLaws::Work laws = laws_ ? laws_->work(state, dv_.bodies) : ImpulseLaws::Work{};
  state.ledger.motors += motors + laws.motors;
  state.ledger.contacts += laws.contacts;
  state.ledger.projection += flight_->energy_gained(dv_, state) - motors - laws.motors - laws.contacts;
}

void ImpulseMethod::fly(double h, State& state) {
  for (std::size_t i = 0; i < joints_.left.size(); ++i) joints_.b[i] += joints_.left[i];
  const Drift left = flight_->read(joints_.b);
  report().drift_position = std::max(report().drift_position, left.position);
  report().drift_angle = std::max(report().drift_angle, left.angle);
  flight_->find_velocities(dv_, predicted_);
  flight_->arrive(predicted_, state);
  state.time += h;
}

// Impulses at t + h after which no joint moves in the directions it constrains. The factorisation is that of this very
// state, so one solve is exact where the system is solved directly.
bool ImpulseMethod::correct_velocities(State& state) {
  if (flight_->rows() == 0) return true;
  const double speed = std::max(fastest(state.bodies), std::numeric_limits<double>::min());
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    flight_->speeds(joints_.b);
    const double left = largest(joints_.b);
    report().residual = std::max(report().residual, left <= settings().method.velocity_tolerance() ? left / speed : 0);
    if (iteration > 0 && left <= settings().method.velocity_tolerance()) return true;
    if (iteration == tuning().most_velocity_solves || !std::isfinite(left) || !(left < before)) {
      fail_open("brought to rest", settings().method.velocity_tolerance(), state);
      return false;
    }
    before = left;
    ++report().velocity_iterations;
    flight_->solve(joints_.b, joints_.y, joints_.wanted());
    const double motors = joints_.driven ? flight_->motor_work(joints_.x) : 0;
    state.ledger.motors += motors;
    state.ledger.projection += flight_->energy_gained(joints_.y, state) - motors;
    flight_->add(joints_.y, state);
  }
}

// Eqs. 1–3 take the forces of t for the whole step. Where they vary, the mean of both ends makes it of second order.
void ImpulseMethod::end_forces(double h, double begin, State& state) {
  const Powers first = loads_.powers;
  const double end = state.time;
  // Dampers push with the velocities the laws leave, not with those they are about to stop.
  if (laws_) {
    flight_->keep(state);
    obey_laws(h, state);
  }
  // A force that ends with this step still acts in it.
  state.time = std::max(begin, end - 4 * std::numeric_limits<double>::epsilon() * std::abs(end));
  dynamics().forces().external(model(), dynamics().kinematics(), dynamics().coordinates(), loads_.end, loads_.powers);
  state.time = end;
  if (laws_) flight_->recall(state);
  state.ledger.actuators += 0.5 * h * (first.actuators + loads_.powers.actuators);
  state.ledger.external += 0.5 * h * (first.external + loads_.powers.external);
  state.ledger.damping += 0.5 * h * (first.damping + loads_.powers.damping);
  for (std::size_t i = 0; i < loads_.begin.size(); ++i)
    loads_.end[i] = (0.5 * h) * (loads_.end[i] + -1.0 * loads_.begin[i]);
  flight_->respond_freely(loads_.end, joints_.y);
  flight_->add(joints_.y, state);
  correct_velocities(state);
}

// The laws' impulses at t + h. Returns the energy they give the bodies.
double ImpulseMethod::obey_laws(double h, State& state) {
  flight_->forget();
  place(state);
  flight_->set_accuracy(tuning().fine);
  if (!laws_->end(h, joints_.y)) return 0;
  const double gained = flight_->energy_gained(joints_.y, state);
  flight_->add(joints_.y, state);
  return gained;
}

// Impulses of joints and laws share the energy by the mean velocities of t + h as they do at t: those of the laws alone would be booked what the joints'
// correction before them has taken.
void ImpulseMethod::end_laws(double h, State& state) {
  if (const double gained = obey_laws(h, state); gained != 0) {
    for (std::size_t i = 0; i < arrived_.size(); ++i) arrived_[i] = velocity_of(state.bodies[i]) + -1.0 * arrived_[i];
    const ImpulseLaws::Work work = laws_->work_at_end(joints_.y.bodies, arrived_);
    state.ledger.contacts += work.contacts;
    state.ledger.motors += work.motors;
    state.ledger.projection += gained - work.contacts - work.motors;
  }
  laws_->report(h, state);
  flight_->forget();
}

// What could not be closed: the worst joint or, where there is none or bodies overlap by more, the two that do.
void ImpulseMethod::fail_open(const char* what, double tolerance, const State& state) {
  const Drift left = flight_->read(joints_.b);
  const Contact* deepest = laws_ ? laws_->deepest() : nullptr;
  const double overlap = deepest ? -deepest->gap : 0;
  if (overlap > left.position) {
    const auto name = [&](BodyId body) { return body.valid() ? model().bodies[body].name : std::string("ground"); };
    return context_.fail(
        Status::not_converged,
        fmt::format("t = {}: '{}' and '{}' overlap by {:.3g} m and could not be brought apart; start them apart "
                    "or try a shorter step",
                    state.time, name(deepest->a), name(deepest->b), overlap));
  }
  const std::string which =
      left.worst.valid() ? fmt::format("joint '{}'", model().joints[left.worst].name) : "the contacts";
  context_.fail(
      Status::not_converged,
      fmt::format("t = {}: {} could not be {} to {:.3g}: {:.3g} m and {:.3g} rad are left; try a shorter step",
                  state.time, which, what, tolerance, left.position, left.angle));
}

}  // namespace catena
