// Hinge: the anchors coincide and the axes stay parallel; one rotation is free. Removes 5.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Hinge {
  static void rows(const JointPose& j, Rows& out) {
    point_rows(j, out);
    aligned_rows(j, out);
  }
  static void coordinates(const JointPose& j, Rows& out) { out.add(angle_row(j)); }
};

}  // namespace catena
