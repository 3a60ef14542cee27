// Steps and durations that a run can be asked for: what floating-point time can count.
#pragma once

#include <string>

namespace catena {

// Below this, a day of simulated time no longer changes when a step is added.
inline constexpr double kShortestStep = 1e-12;  // s
inline constexpr double kMostSteps = 1e12;      // of a run; at a microsecond each, twelve days

// What is wrong with steps of `step` seconds for `duration` seconds, and what would be right; empty when nothing is.
std::string wrong_times(double step, double duration);

}  // namespace catena
