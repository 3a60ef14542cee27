// Tangent surfaces: a smooth surface of B touches one of A all the time and rolls on it, or slides without friction. Baraff §2.2
// Removes 3, of which one is holonomic (touching); where they slide, 1.
//
// Two convex surfaces (sphere, ellipsoid; a plane as the first) touch where their normals are opposite. A ball also touches what curves
// the other way: a cylinder or a torus, or a sphere, cylinder or torus from inside.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct TangentSurfaces {
  static void rows(const JointPose& j, Rows& out);
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
