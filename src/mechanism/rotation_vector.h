// Rotations integrated by their rotation vector θ from a fixed one, p = exp θ (Munthe-Kaas): they never leave the rotations.
#pragma once

#include "catena/math/spatial.h"

namespace catena {

// θ̇ = dexp⁻¹(ω) = ω − ½ θ × ω + θ × (θ × ω)/12 + O(θ⁴).
inline Vec3 dexp_inverse(const Vec3& theta, const Vec3& w) {
  const Vec3 once = cross(theta, w);
  return w - 0.5 * once + (1.0 / 12) * cross(theta, once);
}

}  // namespace catena
