#include "catena/model/transmission.h"

#include <cmath>

#include "catena/math/elementary.h"

namespace catena {

double acting_input(const Control& control, double u, double activation) {
  using enum Control::Dynamics;
  if (control.dynamics == none) return clipped_input(control, u);
  if (control.dynamics != error_integral) return activation;
  return clipped_input(control, u) + control.integral_gain / control.gain[0] * activation;
}

namespace {

// ẋ = (u − x)/τ of a muscle: τ is T (½ + 3/2 x) while it contracts, T'/(½ + 3/2 x) while it lets go, and in between where that is smoothed.
double muscle_rate(const Control& control, double u, double x) {
  const double bend = 0.5 + 1.5 * std::clamp(x, 0.0, 1.0), difference = std::clamp(u, 0.0, 1.0) - x;
  const double up = control.time_constant * bend, down = control.release_time / bend;
  double contracts = difference > 0 ? 1 : 0;
  if (control.smoothing > 0) {
    const double s = std::clamp(difference / control.smoothing + 0.5, 0.0, 1.0);
    contracts = s * s * s * (10 + s * (6 * s - 15));
  }
  return difference / std::max(down + (up - down) * contracts, 1e-12);
}

// Classical Runge–Kutta steps of at most a tenth of the shortest time constant; over forty of the longest x has arrived at u.
Activation follow_muscle(const Control& control, double x, double u, double h) {
  constexpr double kShare = 0.1, kArrived = 40;
  const double shortest = 0.5 * std::min(control.time_constant, control.release_time);
  const double longest = 2 * std::max(control.time_constant, control.release_time);
  const double end = std::clamp(u, 0.0, 1.0);
  if (!(shortest > 0) || h > kArrived * longest) return {end, end};
  const double steps = std::max(1.0, std::ceil(h / (kShare * shortest))), d = h / steps;
  double sum = 0;
  for (double k = 0; k < steps; ++k) {
    const double f0 = muscle_rate(control, u, x), f1 = muscle_rate(control, u, x + 0.5 * d * f0),
                 f2 = muscle_rate(control, u, x + 0.5 * d * f1), f3 = muscle_rate(control, u, x + d * f2);
    const double next = x + d / 6 * (f0 + 2 * f1 + 2 * f2 + f3);
    sum += 0.5 * (x + next) + d / 12 * (f0 - muscle_rate(control, u, next));  // of the cubic through both
    x = next;
  }
  return {x, sum / steps};
}

}  // namespace

Activation follow(const Control& control, double x, double u, double length, double h) {
  const double input = clipped_input(control, u);
  const auto bounded = [&](double value) { return std::clamp(value, control.act_lower, control.act_upper); };
  if (control.dynamics == Control::Dynamics::none) return {input, input};
  if (control.dynamics == Control::Dynamics::muscle) {
    const Activation now = h > 0 ? follow_muscle(control, x, input, h) : Activation{x, x};
    return {bounded(now.end), bounded(now.mean)};
  }
  if (control.dynamics != Control::Dynamics::filter) {
    const bool error = control.dynamics == Control::Dynamics::error_integral;
    const double end = bounded(x + h * (error ? input - length : input));
    return {end, 0.5 * (x + end)};
  }
  // x(t) = u + (x0 − u) e^{−t/T}; without a time constant the filter follows at once.
  const double ratio = h / std::max(control.time_constant, 1e-300);
  const double left = portable::exp(-ratio), share = ratio > 1e-8 ? -portable::expm1(-ratio) / ratio : 1 - 0.5 * ratio;
  return {bounded(input + (x - input) * left), bounded(input + (x - input) * share)};
}

}  // namespace catena
