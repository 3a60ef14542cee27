// Planar joint: B stays in the plane fixed in A and turns about its normal. Removes 3. Coordinates: two travels, angle.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PlanarJoint {
  static void rows(const JointPose& j, Rows& out) {
    out.add(plane_row(j, j.axis_a()));
    aligned_rows(j, out);
  }
  static void coordinates(const JointPose& j, Rows& out) {
    out.add(travel_row(j, 0));
    out.add(travel_row(j, 1));
    out.add(angle_row(j));
  }
};

}  // namespace catena
