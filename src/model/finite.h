// Whether the numbers of a body's state are finite, and its energy with them.
#pragma once

#include <cmath>

#include "catena/model/state.h"

namespace catena {

// The quantity that is not, as messages name it; null: all are. A velocity whose square overflows is as lost as one that is no number.
inline const char* not_finite(const BodyState& s) {
  const auto has_square = [](const Vec3& v) { return dot(v, v) < 1e290; };
  if (!has_square(s.position)) return "position";
  if (!has_square(s.orientation.vec()) || !std::isfinite(s.orientation.w)) return "orientation";
  if (!has_square(s.velocity)) return "velocity";
  if (!has_square(s.angular_velocity)) return "angular velocity";
  return std::isfinite(s.scale) && std::isfinite(s.scale_velocity) ? nullptr : "scale";
}

}  // namespace catena
