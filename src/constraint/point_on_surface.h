// Point on a surface: B's anchor stays on a smooth surface of A, whose function f counts in frame A.                     Baraff §2.2
// Removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PointOnSurface {
  //   phi = f(x),  x = Faᵀ d        J v = g·u,   g = Fa ∇f,   u = v_rel − ω_A × d: what the point does against the surface
  //   c = g·(bias_rel − ω_A × v_rel) + ġ·u,   ġ = ω_A × g + Fa ∇²f Faᵀ u
  static void rows(const JointPose& j, Rows& out) {
    const Vec3 d = j.gap(), w = j.A.w, u = j.v_rel() - cross(w, d);
    const SurfaceValue surface = evaluate(j.geometry.surfaces->first, transpose_times(j.fa, d));
    const Vec3 g = j.fa * surface.gradient;
    const Vec3 gdot = cross(w, g) + j.fa * (surface.hessian * transpose_times(j.fa, u));
    AttachedPoint on_a = j.pa;
    on_a.arm += d;
    out.add({negative(along(g, on_a)), along(g, j.pb), dot(g, j.bias_rel() - cross(w, j.v_rel())) + dot(gdot, u), 0,
             surface.f});
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
