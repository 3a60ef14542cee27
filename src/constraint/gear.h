// Gear: ω_B·axis2 = ratio ω_A·axis, each axis fixed in its own body. A velocity constraint; removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Gear {
  // c = 0: an axis fixed in a body does not move along that body's own angular velocity.
  static void rows(const JointPose& j, Rows& out) {
    out.add({about(-j.geometry.parameter * j.axis_a()), about(j.axis_b()), 0, 0, 0, false});
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
