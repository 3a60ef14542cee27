// The convex hull of a set of points, as a closed surface of triangles.
#pragma once

#include <array>
#include <vector>

#include "catena/math/vec3.h"

namespace catena {

// Triangles (indices into `points`) counter-clockwise from outside; empty when the points lie in one plane.
// Points nearer than `flat` of the set's size to a face count as on it: a larger one leaves out corners that stick out by less. Cost: O(points + corners · faces) and the handing out of points, each to few faces.
std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points, double flat = 1e-10);

}  // namespace catena
