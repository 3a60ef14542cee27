// Distance joint: the anchors keep their distance. Removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Distance {
  //   phi = |d| − L        J v = n·v_rel        c = n·bias_rel + (|v_rel|² − (n·v_rel)²)/|d|
  static void rows(const JointPose& j, Rows& out) {
    const Vec3 d = j.gap(), v = j.v_rel();
    const double length = norm(d);
    const Vec3 n = d / length;
    const double vn = dot(n, v);
    out.add({negative(along(n, j.pa)), along(n, j.pb), dot(n, j.bias_rel()) + (dot(v, v) - vn * vn) / length, 0,
             length - j.geometry.parameter});
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
