// What a step is booked and judged by, on any scalar: one world's numbers, or those of several in lanes (batch/lane_step.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "catena/math/spatial.h"

namespace catena {

// Work over h of a force on a body, and of one along a rate, with the means of the velocities before and after.
template <class Real>
Real work_over(double h, const BodyVectorT<Real>& f, const BodyVectorT<Real>& before, const BodyVectorT<Real>& after) {
  return (0.5 * h) * dot(f, before + after);
}
template <class Real>
Real work_over(double h, const Real& tau, const Real& before, const Real& after) {
  return (0.5 * h) * tau * (before + after);
}

// The energy that a step of second order gained and that nothing explains. Integration that damps on purpose may lose energy; otherwise a
// loss is as much an error as a gain.
inline double energy_error(bool damps, double change, double total) {
  return damps ? total : std::max(std::abs(change), total);
}

}  // namespace catena
