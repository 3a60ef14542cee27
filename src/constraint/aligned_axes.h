// Aligned axes: the axes of A and B stay parallel. Removes 2.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct AlignedAxes {
  static void rows(const JointPose& j, Rows& out) { aligned_rows(j, out); }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
