#include "catena/mechanism/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// What is integrated with the motion, after the numbers of the bodies.
constexpr double Ledger::*kBooks[] = {&Ledger::motors, &Ledger::actuators, &Ledger::external, &Ledger::damping,
                                      &Ledger::contacts};

std::size_t flat_size(const Model& model) {
  std::size_t size = std::size(kBooks);
  for (const Body& body : model.bodies)
    size += visit(body.kind, [](auto kind) { return static_cast<std::size_t>(kind.kFlat); });
  return size;
}

}  // namespace

RungeKutta::RungeKutta(const Model& model, const State& initial, const Settings& settings, double step_error,
                       const std::vector<BodyVector>& vdot)
    : model_(&model),
      vdot_(&vdot),
      integrator_(settings.method.integrator()),
      first_step_(settings.step),
      controlled_(boost::numeric::odeint::make_controlled(step_error * settings.method.tolerance(),
                                                          step_error * settings.method.tolerance(), Fehlberg())),
      y_(flat_size(model)),
      stage_(initial) {}

bool RungeKutta::step(double h, const Evaluate& evaluate, State& state) {
  failed_ = false;
  too_short_ = 0;
  start_ = state.time;
  end_ = state.time + h;
  if (integrator_ == Integrator::euler) return euler(h, evaluate, state);
  pack(state);
  if (integrator_ == Integrator::adaptive) return adaptive(h, evaluate, state);
  rk4_.do_step([&](const Flat& y, Flat& dy, double t) { rates(evaluate, y, dy, t); }, y_, state.time, h);
  unpack(y_, end_, state);
  return !failed_;
}

// v ← v + h v̇,  then positions with the new velocities.
bool RungeKutta::euler(double h, const Evaluate& evaluate, State& state) {
  Ledger powers;
  if (!evaluate(state, powers)) return false;
  for (const auto book : kBooks) state.ledger.*book += h * powers.*book;
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyKind kind = model_->bodies[i].kind;
    add_velocity(kind, h * (*vdot_)[i], state.bodies[i]);
    displace(kind, h * velocity_of(state.bodies[i]), state.bodies[i]);
  }
  state.time = end_;
  return true;
}

bool RungeKutta::adaptive(double h, const Evaluate& evaluate, State& state) {
  double t = state.time;
  double dt = state.next_step > 0 ? state.next_step : first_step_;
  const double shortest = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), first_step_);
  for (;;) {
    const bool cut = dt >= h;
    double trial = cut ? h : dt;
    end_ = t + trial;
    const auto result =
        controlled_.try_step([&](const Flat& y, Flat& dy, double time) { rates(evaluate, y, dy, time); }, y_, t, trial);
    if (failed_) return false;
    if (result == boost::numeric::odeint::success) {
      // A step cut short by the end of the interval does not lower what the next one tries.
      state.next_step = cut ? std::max(dt, trial) : trial;
      break;
    }
    dt = trial;
    if (dt > shortest) continue;
    too_short_ = shortest;
    return true;
  }
  unpack(y_, t, state);
  return true;
}

void RungeKutta::rates(const Evaluate& evaluate, const Flat& y, Flat& dy, double t) {
  // t + (stop − t) may round to a little more than stop: a few units in the last place are kept clear of the end.
  const double latest = end_ - 4 * std::numeric_limits<double>::epsilon() * std::abs(end_);
  Ledger powers;
  if (!failed_) {
    unpack(y, std::min(t, std::max(latest, start_)), stage_);
    failed_ = !evaluate(stage_, powers);
  }
  if (failed_) return std::fill(dy.begin(), dy.end(), 0.0);
  double* out = dy.data();
  for (std::size_t i = 0; i < stage_.bodies.size(); ++i)
    out = visit(model_->bodies[i].kind, [&](auto kind) { return kind.rates(stage_.bodies[i], (*vdot_)[i], out); });
  for (const auto book : kBooks) *out++ = powers.*book;
}

void RungeKutta::pack(const State& state) {
  stage_.joint_angles = state.joint_angles;
  stage_.guides = state.guides;
  double* y = y_.data();
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model_->bodies[i].kind, [&](auto kind) { return kind.pack(state.bodies[i], y); });
  for (const auto book : kBooks) *y++ = state.ledger.*book;
}

void RungeKutta::unpack(const Flat& flat, double t, State& state) const {
  const double* y = flat.data();
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    y = visit(model_->bodies[i].kind, [&](auto kind) { return kind.unpack(y, state.bodies[i]); });
  for (const auto book : kBooks) state.ledger.*book = *y++;
  state.time = t;
}

}  // namespace catena
