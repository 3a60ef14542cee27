// The closest points of two convex cores that are apart.
#pragma once

#include "catena/collide/convex.h"

namespace catena {

struct Closest {
  double distance = 0;  // 0 when they meet
  Vec3 normal{};        // unit, from B to A
  Vec3 on_a{}, on_b{};  // on A before the shift, on B
};

// The point of least norm of the difference of A + shift and B (Gilbert, Johnson and Keerthi). Ends when the distance found and the slab
// its normal proves differ by less than 1e-13 of the size, or rounding lets them come no nearer; earlier, with a distance too large,
// once they are known to be farther apart than `limit`. `toward`: where to begin, any vector from B to A.
Closest closest_points(const Convex& A, const Convex& B, const Vec3& shift, const Vec3& toward, double limit);

}  // namespace catena
