// Perpendicular axes: the axis of A and axis2 of B stay perpendicular. Removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PerpendicularAxes {
  static void rows(const JointPose& j, Rows& out) { out.add(perpendicular_row(j, j.axis_a(), j.axis_b())); }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
