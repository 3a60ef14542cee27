#include "catena/model/run_limits.h"

#include <fmt/format.h>

#include <cmath>

namespace catena {

std::string wrong_times(double step, double duration) {
  if (!std::isfinite(step) || !(step > 0))
    return fmt::format("a step of {} s: a positive number of seconds is expected, such as 1e-3", step);
  if (step < kShortestStep)
    return fmt::format("a step of {} s is shorter than {} s, which time cannot count; take one such as 1e-3", step,
                       kShortestStep);
  if (!std::isfinite(duration) || duration < 0)
    return fmt::format("a duration of {} s: a number of seconds is expected, 0 or more, such as 10", duration);
  if (duration / step > kMostSteps)
    return fmt::format(
        "{:.3g} s in steps of {:.3g} s are {:.2g} steps, and at most {:.0e} are taken; make the step "
        "longer or the duration shorter",
        duration, step, duration / step, kMostSteps);
  return {};
}

}  // namespace catena
