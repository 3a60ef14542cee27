#include "catena/constraint/tangent_surfaces.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

// Where the surfaces touch, or come nearest. Arms lead from the joint's anchors to the material points there.
struct Touch {
  double gap = 0;
  Vec3 n{}, n_rate{};  // normal of A's surface, towards B
  Vec3 arm_a{}, arm_a_rate{};
  Vec3 arm_b{}, arm_b_rate{};
};

// A ball of radius r on a surface whose f is a distance: the normal is that at its centre, and f there is the gap plus r.
Touch touch_of_ball(const JointPose& j, const JointSurfaces& surfaces) {
  const double r = surfaces.second.size.x, side = surfaces.inside ? -1 : 1;
  const Vec3 d = j.gap(), u = j.v_rel() - cross(j.A.w, d);
  const SurfaceValue at = evaluate(surfaces.first, transpose_times(j.fa, d));
  Touch t;
  t.gap = side * at.f - r;
  t.n = side * (j.fa * at.gradient);
  t.n_rate = cross(j.A.w, t.n) + side * (j.fa * (at.hessian * transpose_times(j.fa, u)));
  t.arm_b = -r * t.n;
  t.arm_b_rate = -r * t.n_rate;
  t.arm_a = d + t.arm_b;
  t.arm_a_rate = j.v_rel() + t.arm_b_rate;
  return t;
}

// An ellipsoid x = Q n/h(n) by its normals, h(n)² = nᵀQ n: its furthest point along n, and how that changes with n.
struct Support {
  double h = 0;
  Vec3 point{};
  Sym3 H{};  // ∂point/∂n; H n = 0

  Support() = default;
  Support(const Sym3& Q, const Vec3& n) {
    const Vec3 Qn = Q * n;
    h = std::sqrt(dot(n, Qn));
    point = Qn / h;
    H = (1 / h) * minus_both(Q, 0.5 * point, point);
  }
};

Sym3 square_of(const JointSurface& surface, const Mat3& frame) {
  const Vec3 a = surface.kind == JointSurface::Kind::sphere ? surface.size.x * Vec3{1, 1, 1} : surface.size;
  return congruence(frame, Sym3::diagonal(a.x * a.x, a.y * a.y, a.z * a.z));
}

// K = H + gap·1 on the tangent plane, and something positive along n.
Sym3 curvature(const Sym3& H, double gap, const Vec3& n) {
  return minus_both(H + Sym3::diagonal(gap, gap, gap), (-0.5 * trace(H)) * n, n);
}

// The normal that separates two convex surfaces best: maximum of n·d − h_A(n) − h_B(n), by Newton's method on the sphere. The value there is
// the gap; the points are opposite each other: d − x_A(n) − x_B(n) is along n.
Vec3 separating_normal(const Sym3& Qa, const Sym3& Qb, const Vec3& d) {
  constexpr int kSteps = 60, kHalvings = 30;
  Vec3 n = normalized(d);
  for (int i = 0; i < kSteps; ++i) {
    const Support a(Qa, n), b(Qb, n);
    const double gap = dot(n, d) - a.h - b.h;
    const Vec3 left = d - a.point - b.point, across = left - dot(left, n) * n;
    const double size = norm(d) + a.h + b.h;
    if (norm(across) <= 1e-16 * size) break;
    const Vec3 step = inverse(curvature(a.H + b.H, std::max(gap, 0.0), n)) * across;
    double length = 1;
    Vec3 next = n;
    for (int k = 0; k < kHalvings; ++k, length /= 2) {
      next = normalized(n + length * step);
      if (dot(next, d) - Support(Qa, next).h - Support(Qb, next).h >= gap - 1e-14 * size) break;  // but for rounding
    }
    if (norm(next - n) <= 1e-16) break;
    n = next;
  }
  return n;
}

// Differentiated in time, d − x_A − x_B = gap n gives K ṅ = u + H_A (ω_A × n) + H_B (ω_B × n) on the tangent plane, where u is how fast
// the material points at the contact slip.
Touch touch_of_convex(const JointPose& j, const JointSurfaces& surfaces) {
  const Vec3 d = j.gap(), wa = j.A.w, wb = j.B.w;
  const Sym3 Qb = square_of(surfaces.second, j.fb);
  const bool flat = surfaces.first.kind == JointSurface::Kind::plane;
  const Sym3 Qa = flat ? Sym3{} : square_of(surfaces.first, j.fa);
  Touch t;
  t.n = flat ? j.axis_a() : separating_normal(Qa, Qb, d);
  const Support b(Qb, t.n), a = flat ? Support() : Support(Qa, t.n);
  t.gap = dot(t.n, d) - a.h - b.h;
  t.arm_b = -b.point;
  if (flat) {
    t.n_rate = cross(wa, t.n);
  } else {
    const Vec3 slip = j.v_rel() - cross(wb, b.point) - cross(wa, a.point);
    const Vec3 rate = slip + a.H * cross(wa, t.n) + b.H * cross(wb, t.n);
    t.n_rate = inverse(curvature(a.H + b.H, t.gap, t.n)) * (rate - dot(rate, t.n) * t.n);
  }
  t.arm_b_rate = -cross(wb, b.point) - b.H * (t.n_rate - cross(wb, t.n));
  t.arm_a = flat ? d + t.arm_b : a.point;
  t.arm_a_rate = flat ? j.v_rel() + t.arm_b_rate : cross(wa, a.point) + a.H * (t.n_rate - cross(wa, t.n));
  return t;
}

bool is_ball(const JointSurface& surface) { return surface.kind == JointSurface::Kind::sphere; }

// A tangent, across the normal and the first axis of A, or the second where the first is near the normal.
Direction tangent(const JointPose& j, const Touch& t) {
  constexpr double kNear = 0.8;
  const Vec3 axis = std::abs(dot(j.fa.column(0), t.n)) < kNear ? j.fa.column(0) : j.fa.column(1);
  const Vec3 raw = cross(t.n, axis);
  const Vec3 raw_rate = cross(t.n_rate, axis) + cross(t.n, cross(j.A.w, axis));
  const double length = norm(raw);
  const Vec3 value = raw / length;
  return {value, (raw_rate - dot(value, raw_rate) * value) / length};
}

}  // namespace

// The material points at the contact slip with u = v_rel + ω_B × arm_b − ω_A × arm_a, and n·u is the rate of the gap. Along a direction e
//     J v = e·u,        c = e·(bias_rel + ω_B × d/dt arm_b − ω_A × d/dt arm_a) + ė·u
void TangentSurfaces::rows(const JointPose& j, Rows& out) {
  const JointSurfaces& surfaces = *j.geometry.surfaces;
  const bool ball = is_ball(surfaces.second) && surfaces.first.kind != JointSurface::Kind::ellipsoid;
  const Touch t = ball ? touch_of_ball(j, surfaces) : touch_of_convex(j, surfaces);
  AttachedPoint on_a = j.pa, on_b = j.pb;
  on_a.arm += t.arm_a;
  on_b.arm += t.arm_b;
  const Vec3 slip = j.v_rel() + cross(j.B.w, t.arm_b) - cross(j.A.w, t.arm_a);
  const Vec3 bias = j.bias_rel() + cross(j.B.w, t.arm_b_rate) - cross(j.A.w, t.arm_a_rate);
  const auto add = [&](const Vec3& e, const Vec3& rate, double phi, bool holonomic) {
    out.add({negative(along(e, on_a)), along(e, on_b), dot(e, bias) + dot(rate, slip), 0, phi, holonomic});
  };
  add(t.n, t.n_rate, t.gap, true);
  if (surfaces.slides) return;
  const Direction first = tangent(j, t);
  add(first.value, first.rate, 0, false);
  add(cross(t.n, first.value), cross(t.n_rate, first.value) + cross(t.n, first.rate), 0, false);
}

}  // namespace catena
