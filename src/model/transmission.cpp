#include "catena/model/transmission.h"
#include "catena/math/elementary.h"

#include <cmath>

namespace catena {

double acting_input(const Control& control, double u, double activation) {
  using enum Control::Dynamics;
  if (control.dynamics == none) return clipped_input(control, u);
  if (control.dynamics != error_integral) return activation;
  return clipped_input(control, u) + control.integral_gain / control.gain[0] * activation;
}

Activation follow(const Control& control, double x, double u, double length, double h) {
  const double input = clipped_input(control, u);
  const auto bounded = [&](double value) { return std::clamp(value, control.act_lower, control.act_upper); };
  if (control.dynamics == Control::Dynamics::none) return {input, input};
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
