#include "catena/mechanism/runge_kutta.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// What is integrated with the motion, after its own numbers.
constexpr double Ledger::*kBooks[] = {&Ledger::motors, &Ledger::actuators, &Ledger::external, &Ledger::damping,
                                      &Ledger::contacts};

}  // namespace

RungeKutta::RungeKutta(EquationsOfMotion& equations, const State& initial, const Settings& settings, double step_error)
    : equations_(&equations),
      integrator_(settings.method.integrator()),
      first_step_(settings.step),
      controlled_(boost::numeric::odeint::make_controlled(step_error * settings.method.tolerance(),
                                                          step_error * settings.method.tolerance(), Fehlberg())),
      y_(equations.size() + std::size(kBooks)),
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

bool RungeKutta::euler(double h, const Evaluate& evaluate, State& state) {
  Ledger powers;
  if (!evaluate(state, powers)) return false;
  for (const auto book : kBooks) state.ledger.*book += h * powers.*book;
  state.time = end_;
  equations_->euler(h, state);
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
  double* out = equations_->rates(stage_, dy.data());
  for (const auto book : kBooks) *out++ = powers.*book;
}

void RungeKutta::pack(const State& state) {
  stage_.joint_angles = state.joint_angles;
  stage_.guides = state.guides;
  double* y = equations_->pack(state, y_.data());
  for (const auto book : kBooks) *y++ = state.ledger.*book;
}

void RungeKutta::unpack(const Flat& flat, double t, State& state) {
  state.time = t;
  const double* y = equations_->unpack(flat.data(), state);
  for (const auto book : kBooks) state.ledger.*book = *y++;
}

}  // namespace catena
