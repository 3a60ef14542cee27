// Rack and pinion: v_B·axis2 = radius ω_A·axis, each axis fixed in its own body. A velocity constraint; removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Rack {
  static void rows(const JointPose& j, Rows& out) {
    const Vec3 n = j.axis_b();
    out.add({about(-j.geometry.parameter * j.axis_a()), {n, {}, 0}, dot(cross(j.B.w, n), j.B.v), 0, 0, false});
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
