// The rows all joints are combined from: Bender's six basic joints (his section 3) and the coordinates they leave free.
#pragma once

#include "catena/constraint/joint_pose.h"
#include "catena/math/elementary.h"

namespace catena {

struct Direction {
  Vec3 value{}, rate{};
};

// The anchors coincide along the fixed world direction n.
inline Row point_row(const JointPose& j, const Vec3& n) {
  return {negative(along(n, j.pa)), along(n, j.pb), dot(n, j.bias_rel()), 0, dot(n, j.gap())};
}

// The anchors coincide: three rows, world axes.
inline void point_rows(const JointPose& j, Rows& rows) {
  rows.add(point_row(j, {1, 0, 0}));
  rows.add(point_row(j, {0, 1, 0}));
  rows.add(point_row(j, {0, 0, 1}));
}

// B's anchor stays in the plane through A's anchor with normal t, which is fixed in A.
//   phi = t·d,  d = p_B − p_A        J v = t·v_rel + (ω_A × t)·d
//   c = t·bias_rel + 2 (ω_A × t)·v_rel + (ω_A × (ω_A × t))·d
inline Row plane_row(const JointPose& j, const Vec3& t) {
  const Vec3 d = j.gap(), tdot = cross(j.A.w, t);
  Row row{negative(along(t, j.pa)), along(t, j.pb), 0, 0, dot(t, d)};
  row.a.angular += cross(t, d);
  row.c = dot(t, j.bias_rel()) + 2 * dot(tdot, j.v_rel()) + dot(cross(j.A.w, tdot), d);
  return row;
}

// e (fixed in A) stays perpendicular to f (fixed in B).
//   phi = e·f        J v = (f × e)·ω_rel        c = d/dt(f × e)·ω_rel
inline Row perpendicular_row(const JointPose& j, const Vec3& e, const Vec3& f) {
  const Vec3 u = cross(f, e);
  const Vec3 udot = cross(cross(j.B.w, f), e) + cross(f, cross(j.A.w, e));
  return {about(-u), about(u), dot(udot, j.w_rel), 0, dot(e, f)};
}

// The axes of A and B stay parallel: two rows.
inline void aligned_rows(const JointPose& j, Rows& rows) {
  rows.add(perpendicular_row(j, j.fa.column(0), j.axis_b()));
  rows.add(perpendicular_row(j, j.fa.column(1), j.axis_b()));
}

// The frames of A and B stay parallel: three rows, in the order of small rotations about x, y, z.
inline void orientation_rows(const JointPose& j, Rows& rows) {
  rows.add(perpendicular_row(j, j.fa.column(2), j.fb.column(1)));
  rows.add(perpendicular_row(j, j.fa.column(0), j.fb.column(2)));
  rows.add(perpendicular_row(j, j.fa.column(1), j.fb.column(0)));
}

// Joints whose rows are also asked for in parts (framed_rows.h) list what they consist of once. These are the rows.
struct RowList {
  const JointPose& j;
  Rows& rows;
  void point() { point_rows(j, rows); }
  void plane(int t) { rows.add(plane_row(j, j.fa.column(t))); }
  void perpendicular(int e, int f) { rows.add(perpendicular_row(j, j.fa.column(e), j.fb.column(f))); }
  void orientation() { orientation_rows(j, rows); }
};

// The twist of frame B about the common axis, relative to frame A: a coordinate, phi in (−pi, pi].
//   J v = (a_A + a_B)·ω_rel / (1 + a_A·a_B), exact also while the axes are slightly apart.
inline Row angle_row(const JointPose& j) {
  const Vec3 a = j.axis_a(), b = j.axis_b();
  const Vec3 adot = cross(j.A.w, a), bdot = cross(j.B.w, b);
  const double D = 1 + dot(a, b);
  const double Ddot = dot(adot, b) + dot(a, bdot);
  const Vec3 u = (a + b) / D;
  const Vec3 udot = (adot + bdot) / D - (Ddot / D) * u;
  const double c = dot(j.fa.column(0), j.fb.column(0)) + dot(j.fa.column(1), j.fb.column(1));
  const double s = dot(j.fa.column(1), j.fb.column(0)) - dot(j.fa.column(0), j.fb.column(1));
  return {about(-u), about(u), dot(udot, j.w_rel), 0, portable::atan2(s, c)};
}

// The swing of B: the angle between the axes of A and B, in [0, pi]. Where they are parallel it has no direction, and J = 0.
//   J v = u·ω_rel, u = a × b/|a × b|        c = du/dt·ω_rel
inline Row swing_row(const JointPose& j) {
  const Vec3 a = j.axis_a(), b = j.axis_b(), n = cross(a, b);
  const double sine = norm(n);
  Row row;
  row.phi = portable::atan2(sine, dot(a, b));
  if (!(sine > 1e-9)) return row;
  const Vec3 u = n / sine, ndot = cross(cross(j.A.w, a), b) + cross(a, cross(j.B.w, b));
  row.a = about(-u);
  row.b = about(u);
  row.c = dot((ndot - dot(ndot, u) * u) / sine, j.w_rel);
  return row;
}

// The travel of B's anchor along column k of frame A: a coordinate.
inline Row travel_row(const JointPose& j, int k) { return plane_row(j, j.fa.column(k)); }

}  // namespace catena
