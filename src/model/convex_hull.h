// The convex hull of a set of points, as a closed surface of triangles.
#pragma once

#include <array>
#include <vector>

#include "catena/math/vec3.h"

namespace catena {

// Triangles (indices into `points`) counter-clockwise from outside; empty when the points lie in one plane.
// The surface grows by the point farthest from it until none is farther out than `flat` of the set's size: a larger one leaves out corners
// that stick out by less. Cost: O(points · log corners) to be expected, and O(corners²) at least.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points, double flat = 1e-10);

}  // namespace catena
