#include "catena/step/lagrange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace catena {
namespace {

constexpr std::size_t kLedger = 5;  // motors, actuators, external, damping, contacts: integrated with the motion

// The error of a whole run is to stay near the tolerance, so a step is held to a tenth of it.
constexpr double kMargin = 0.1;

std::size_t flat_size(const Model& model) {
  std::size_t size = kLedger;
  for (const Body& body : model.bodies)
    size += visit(body.kind, [](auto kind) { return static_cast<std::size_t>(kind.kFlat); });
  return size;
}

}  // namespace

LagrangeStepper::LagrangeStepper(const Model& model, const State& initial, const Settings& settings)
    : Stepper(model, initial, settings),
      controlled_(boost::numeric::odeint::make_controlled(kMargin * settings.tolerance, kMargin * settings.tolerance,
                                                          Fehlberg())),
      y_(flat_size(model)),
      stage_(initial),
      baumgarte_(settings.stabilise == Stabilisation::baumgarte ? settings.baumgarte : 0),
      guarded_(initial) {
  closed_ = settings.stabilise == Stabilisation::projection;
}

void LagrangeStepper::move(double h, State& state) {
  const double end = state.time + h;
  evaluations_ = rows_solved_ = 0;
  for (double left = h, most = h; left > 0;) {
    guard(state);
    const double part = std::min(left, most);
    integrate(part, state);
    left -= part;
    if (settings_.integrator == Integrator::adaptive) left = 0;
    else if (left <= 0) state.time = end;
    if (report_.ok() && !find_not_finite(state)) stabilise(state);
    if (takes_back(part, state)) {
      left += part;
      most = part / 2;
    }
    if (!report_.ok()) return;
  }
}

// Only projected joints keep the energy at all, and Euler's steps only on average.
void LagrangeStepper::guard(const State& state) {
  if (settings_.integrator == Integrator::adaptive) return;
  guarded_ = state;
  guarded_energy_ = kept_energy(state);
}

bool LagrangeStepper::takes_back(double part, State& state) {
  if (settings_.integrator == Integrator::adaptive) return false;
  const bool failed = report_.status == Status::not_converged || report_.status == Status::diverged;
  const bool measured = settings_.integrator != Integrator::euler && closed_ && report_.ok();
  const double gained = measured ? kept_energy(state) - guarded_energy_ : 0;
  const double allowed =
      part / settings_.step * tuning_.motion_gain * (weight_times_size_ + dynamics_.kinetic_energy(guarded_));
  // A loss is as much an error as a gain; in the shortest parts it is taken.
  if (!failed && !(std::abs(gained) > allowed)) return false;
  if (part <= std::ldexp(settings_.step, -tuning_.most_halvings)) {
    if (gained > allowed && has_other())
      fail(Status::not_converged, fmt::format("t = {}: the step gains {:.3g} J", guarded_.time, gained));
    return false;
  }
  state = guarded_;
  factored_ = false;
  report_.status = Status::ok;
  report_.message.clear();
  ++report_.halvings;
  return true;
}

void LagrangeStepper::integrate(double h, State& state) {
  first_stage_ = true;
  switch (settings_.integrator) {
    case Integrator::euler: euler(h, state); break;
    case Integrator::adaptive: adaptive(h, state); break;
    default: rk4(h, state); break;
  }
}

bool LagrangeStepper::is_within_budget(int rows, const State& state) {
  evaluations_ += 1;
  rows_solved_ += rows;
  if ((evaluations_ <= tuning_.most_evaluations && rows_solved_ <= tuning_.most_rows) || !has_other()) return true;
  fail(Status::too_long,
       fmt::format("t = {}: the step needs more than {} evaluations of the forces, or {} rows of laws", state.time,
                   tuning_.most_evaluations, tuning_.most_rows));
  return false;
}

bool LagrangeStepper::accelerate(const State& state) {
  if (!is_within_budget(0, state)) return false;
  if (dynamics_.accelerations(state, baumgarte_, !std::exchange(factored_, false))) return true;
  report_.status = Status::singular;
  return false;
}

bool LagrangeStepper::evaluate_here(const State& state) {
  if (!factored_) factor(state);
  return factored_ && dynamics_.accelerations(state, baumgarte_, false);
}

// v ← v + h v̇,  then positions with the new velocities.
void LagrangeStepper::euler(double h, State& state) {
  if (!accelerate(state)) return;
  report_.residual = std::max(report_.residual, dynamics_.check().worst());
  state.ledger.motors += h * (dynamics_.motor_power() + bounded_motor_power_);
  state.ledger.actuators += h * dynamics_.powers.actuators;
  state.ledger.external += h * dynamics_.powers.external;
  state.ledger.damping += h * dynamics_.powers.damping;
  state.ledger.contacts += h * contact_power_;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    BodyState& s = state.bodies[i];
    const BodyKind kind = model_->bodies[i].kind;
    add_velocity(kind, h * dynamics_.vdot[i], s);
    displace(kind, h * velocity_of(s), s);
  }
  state.time += h;
}

void LagrangeStepper::rk4(double h, State& state) {
  pack(state);
  stage_end_ = state.time + h;
  rk4_.do_step([this](const Flat& y, Flat& dy, double t) { rates(y, dy, t); }, y_, state.time, h);
  unpack(y_, stage_end_, state);
}

void LagrangeStepper::adaptive(double h, State& state) {
  pack(state);
  const double limit = h;
  double t = state.time;
  double dt = state.next_step > 0 ? state.next_step : settings_.step;
  const double shortest = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), settings_.step);
  for (;;) {
    const bool cut = dt >= limit;
    double trial = cut ? limit : dt;
    stage_end_ = t + trial;
    const auto result =
        controlled_.try_step([this](const Flat& y, Flat& dy, double time) { rates(y, dy, time); }, y_, t, trial);
    if (!report_.ok()) return;
    if (result == boost::numeric::odeint::success) {
      // A step cut short by the end of the interval does not lower what the next one tries.
      state.next_step = cut ? std::max(dt, trial) : trial;
      break;
    }
    dt = trial;
    if (!(dt > shortest)) {
      report_.status = Status::not_converged;
      report_.message = fmt::format(
          "t = {}: the adaptive step fell below {:.3g} s: the motion cannot be resolved to the tolerance {:.3g}", t,
          shortest, settings_.tolerance);
      return;
    }
  }
  unpack(y_, t, state);
}

void LagrangeStepper::rates(const Flat& y, Flat& dy, double t) {
  if (!report_.ok()) {
    std::fill(dy.begin(), dy.end(), 0.0);
    return;
  }
  // t + (stop − t) may round to a little more than stop: a few units in the last place are kept clear of the end.
  const double latest = stage_end_ - 4 * std::numeric_limits<double>::epsilon() * std::abs(stage_end_);
  unpack(y, std::min(t, std::max(latest, before_.time)), stage_);
  if (!accelerate(stage_)) {
    std::fill(dy.begin(), dy.end(), 0.0);
    return;
  }
  if (std::exchange(first_stage_, false)) report_.residual = std::max(report_.residual, dynamics_.check().worst());
  double* out = dy.data();
  for (std::size_t i = 0; i < stage_.bodies.size(); ++i)
    out =
        visit(model_->bodies[i].kind, [&](auto kind) { return kind.rates(stage_.bodies[i], dynamics_.vdot[i], out); });
  out[0] = dynamics_.motor_power() + bounded_motor_power_;
  out[1] = dynamics_.powers.actuators;
  out[2] = dynamics_.powers.external;
  out[3] = dynamics_.powers.damping;
  out[4] = contact_power_;
}

void LagrangeStepper::pack(const State& state) {
  stage_.joint_angles = state.joint_angles;
  double* y = y_.data();
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model_->bodies[i].kind, [&](auto kind) { return kind.pack(state.bodies[i], y); });
  y[0] = state.ledger.motors;
  y[1] = state.ledger.actuators;
  y[2] = state.ledger.external;
  y[3] = state.ledger.damping;
  y[4] = state.ledger.contacts;
}

void LagrangeStepper::unpack(const Flat& flat, double t, State& state) const {
  const double* y = flat.data();
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model_->bodies[i].kind, [&](auto kind) { return kind.unpack(y, state.bodies[i]); });
  state.ledger.motors = y[0];
  state.ledger.actuators = y[1];
  state.ledger.external = y[2];
  state.ledger.damping = y[3];
  state.ledger.contacts = y[4];
  state.time = t;
}

// Projection costs the state a little energy, which the ledger books.
void LagrangeStepper::stabilise(State& state) {
  if (settings_.stabilise == Stabilisation::projection && dynamics_.system().rows() > 0) {
    constexpr int kIterations = 30;
    constexpr double kClosed = 1e-9;
    const double before = dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state);
    const Drift left = projection_.positions(state, false, kIterations);
    if (!(left.scaled <= kClosed)) {
      report_.status = Status::not_converged;
      report_.message =
          fmt::format("t = {}: joint '{}' could not be closed: {:.3g} m, {:.3g} rad are left; try a shorter step",
                      state.time, model_->joints[left.worst].name, left.position, left.angle);
      return;
    }
    if (!projection_.velocities(state)) {
      report_.status = Status::singular;
      return;
    }
    factored_ = true;
    state.ledger.projection += dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state) - before;
    report_.drift_position = left.position;
    report_.drift_angle = left.angle;
  } else {
    const Drift left = projection_.drift(state);
    report_.drift_position = left.position;
    report_.drift_angle = left.angle;
  }
  dynamics_.kinematics().update(*model_, state);
  dynamics_.coordinates().remember(*model_, dynamics_.kinematics(), state);
}

}  // namespace catena
