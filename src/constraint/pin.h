// Pin between planar bodies: the anchors coincide in the x–y plane. Removes 2. Coordinate: angle.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Pin {
  static void rows(const JointPose& j, Rows& out) {
    out.add(point_row(j, {1, 0, 0}));
    out.add(point_row(j, {0, 1, 0}));
  }
  static void coordinates(const JointPose& j, Rows& out) { out.add(angle_row(j)); }
};

}  // namespace catena
