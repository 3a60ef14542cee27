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
  fly(h, state);  // eqs. 1–4
  context_.factored.forget();
  if (!context_.factor(state)) return context_.fail(Status::singular);  // H at t + h, and the kinematics there
  if (!correct_velocities(state)) return;
  if (!dynamics().forces().constant(model(), state.time - h, state.time)) end_forces(h, state.time - h, state);
  if (!report().ok()) return;
  dynamics().coordinates().remember(model(), dynamics().kinematics(), state);
  stamp_ = dynamics().kinematics().stamp();
}

// The impulses at t change the kinetic energy by Δv·M(v + Δv/2); what motors do of it is their work.
void ImpulseMethod::book_position_impulses(State& state) {
  const double motors = joints_.driven ? dynamics().motor_power(joints_.sum) : 0;
  const ImpulseLaws::Work laws = laws_ ? laws_->work(state, dv_) : ImpulseLaws::Work{};
  state.ledger.motors += motors + laws.motors;
  state.ledger.contacts += laws.contacts;
  state.ledger.projection += energy_gained(dv_, state) - motors - laws.motors - laws.contacts;
}

double ImpulseMethod::energy_gained(std::span<const BodyVector> dv, const State& state) const {
  double energy = 0;
  for (std::size_t i = 0; i < dv.size(); ++i) {
    const BodyVector own = restricted(model().bodies[i].kind, dv[i]);
    energy += dot(dynamics().kinematics().M(BodyId(i)) * own, velocity_of(state.bodies[i]) + 0.5 * own);
  }
  return energy;
}

void ImpulseMethod::fly(double h, State& state) {
  for (std::size_t i = 0; i < joints_.left.size(); ++i) joints_.b[i] += joints_.left[i];
  const Drift left = context_.projection.read(joints_.b);
  report().drift_position = std::max(report().drift_position, left.position);
  report().drift_angle = std::max(report().drift_angle, left.angle);
  flight_.velocities(dv_, predicted_.bodies);
  state.bodies.swap(predicted_.bodies);
  state.time += h;
}

// Impulses at t + h after which no joint moves in the directions it constrains. The factorisation is that of this very
// state, so one solve is exact where the system is solved directly.
bool ImpulseMethod::correct_velocities(State& state) {
  Kinematics& kinematics = dynamics().kinematics();
  const double speed = std::max(fastest(state.bodies), std::numeric_limits<double>::min());
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0;; ++iteration) {
    dynamics().system().velocity_rhs(kinematics, joints_.b);
    const double left = largest(joints_.b);
    report().residual = std::max(report().residual, left <= settings().method.velocity_tolerance() ? left / speed : 0);
    if (iteration > 0 && left <= settings().method.velocity_tolerance()) return true;
    if (iteration == tuning().most_velocity_solves || !std::isfinite(left) || !(left < before)) {
      fail_open("brought to rest", settings().method.velocity_tolerance(), state);
      return false;
    }
    before = left;
    ++report().velocity_iterations;
    std::fill(joints_.y.begin(), joints_.y.end(), BodyVector{});
    dynamics().system().solve(joints_.b, joints_.y, joints_.wanted());
    const double motors = joints_.driven ? dynamics().motor_power(joints_.x) : 0;
    state.ledger.motors += motors;
    state.ledger.projection += energy_gained(joints_.y, state) - motors;
    for (std::size_t i = 0; i < joints_.y.size(); ++i)
      add_velocity(model().bodies[i].kind, joints_.y[i], state.bodies[i]);
  }
}

// Eqs. 1–3 take the forces of t for the whole step. Where they vary, the mean of both ends makes it of second order.
void ImpulseMethod::end_forces(double h, double begin, State& state) {
  const Powers first = loads_.powers;
  const double end = state.time;
  // Dampers push with the velocities the laws leave, not with those they are about to stop.
  if (laws_) {
    before_laws_ = state.bodies;
    obey_laws(h, state);
  }
  // A force that ends with this step still acts in it.
  state.time = std::max(begin, end - 4 * std::numeric_limits<double>::epsilon() * std::abs(end));
  dynamics().forces().external(model(), dynamics().kinematics(), dynamics().coordinates(), loads_.end, loads_.powers);
  state.time = end;
  if (laws_) state.bodies = before_laws_;
  state.ledger.actuators += 0.5 * h * (first.actuators + loads_.powers.actuators);
  state.ledger.external += 0.5 * h * (first.external + loads_.powers.external);
  state.ledger.damping += 0.5 * h * (first.damping + loads_.powers.damping);
  for (std::size_t i = 0; i < loads_.begin.size(); ++i) {
    const BodyVector change = (0.5 * h) * (loads_.end[i] + -1.0 * loads_.begin[i]);
    add_velocity(model().bodies[i].kind,
                 inverse_times(model().bodies[i].kind, dynamics().kinematics().M(BodyId(i)), change), state.bodies[i]);
  }
  correct_velocities(state);
}

// The laws' impulses at t + h. Returns the energy they give the bodies.
ImpulseLaws::Work ImpulseMethod::obey_laws(double h, State& state) {
  dynamics().kinematics().update(model(), state);
  dynamics().system().set_accuracy(tuning().fine);
  if (!laws_->end(h, joints_.y)) return {};
  const double motors = laws_->motor_work_at_end(joints_.y), gained = energy_gained(joints_.y, state);
  for (std::size_t i = 0; i < joints_.y.size(); ++i)
    add_velocity(model().bodies[i].kind, joints_.y[i], state.bodies[i]);
  return {.contacts = gained - motors, .motors = motors};
}

void ImpulseMethod::end_laws(double h, State& state) {
  const ImpulseLaws::Work work = obey_laws(h, state);
  state.ledger.contacts += work.contacts;
  state.ledger.motors += work.motors;
  laws_->report(h, state);
  stamp_ = 0;
}

// What could not be closed: the worst joint or, where there is none or bodies overlap by more, the two that do.
void ImpulseMethod::fail_open(const char* what, double tolerance, const State& state) {
  const Drift left = context_.projection.read(joints_.b);
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
