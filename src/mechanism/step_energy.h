// What a step is booked and judged by, on any scalar: one world's numbers, or those of several in lanes (batch/lane_step.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "catena/math/spatial.h"
#include "catena/model/model.h"
#include "catena/model/state.h"

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

// Potential energy of weights, −Σ m g·x, and their work over h by the means of the velocities before and after. Together they show by how much bodies on
// curves, or moved by their velocities after the step, go elsewhere than by the mean.
inline double energy_of_weights(const Model& model, std::span<const BodyState> bodies) {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) sum -= model.bodies[i].mass * dot(model.gravity, bodies[i].position);
  return sum;
}
inline double work_of_weights(const Model& model, double h, std::span<const BodyVector> before,
                              std::span<const BodyVector> after) {
  double sum = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    sum += model.bodies[i].mass * dot(model.gravity, before[i].linear + after[i].linear);
  return 0.5 * h * sum;
}

// The energy that a step of second order gained and that nothing explains. Integration that damps on purpose may lose energy; otherwise a
// loss is as much an error as a gain.
inline double energy_error(bool damps, double change, double total) {
  return damps ? total : std::max(std::abs(change), total);
}

}  // namespace catena
