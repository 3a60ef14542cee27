// Skate: the anchor has no velocity, relative to A, along the axis fixed in B. A velocity constraint; removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Skate {
  static void rows(const JointPose& j, Rows& out) {
    const Vec3 n = j.axis_b();
    const Vec3 d = j.pb.p - j.A.x;  // the point of A under the skate
    const Vec3 v = j.pb.v - (j.A.v + cross(j.A.w, d));
    Row row{negative({n, cross(d, n), 0}), along(n, j.pb), 0, 0, 0, false};
    row.c = dot(n, j.pb.bias - cross(j.A.w, j.pb.v - j.A.v)) + dot(cross(j.B.w, n), v);
    out.add(row);
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
