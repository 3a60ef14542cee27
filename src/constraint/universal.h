// Universal joint: the anchors coincide; the axis of A stays perpendicular to axis2, fixed in B. Removes 4.
#pragma once

#include "catena/constraint/basic_rows.h"
#include "catena/math/elementary.h"

namespace catena {

struct Universal {
  template <class List>
  static void list(List&& of) {
    of.point();
    of.perpendicular(2, 2);
  }
  static void rows(const JointPose& j, Rows& out) { list(RowList{j, out}); }

  // The turn of the cross about the axis in A, then of B about axis2: ω_rel = q̇0 a + q̇1 b.
  static void coordinates(const JointPose& j, Rows& out) {
    const Vec3 a = j.axis_a(), b = j.axis_b(), n = cross(a, b);
    const Vec3 adot = cross(j.A.w, a), bdot = cross(j.B.w, b);
    const double q0 = portable::atan2(dot(n, j.fa.column(1)), dot(n, j.fa.column(0)));
    const double q1 = portable::atan2(-dot(n, j.fb.column(1)), dot(n, j.fb.column(0)));
    out.add({about(-a), about(a), dot(adot, j.w_rel), 0, q0});
    out.add({about(-b), about(b), dot(bdot, j.w_rel), 0, q1});
  }
};

}  // namespace catena
