// Point on plane: B's anchor stays in the plane through A's anchor whose normal is fixed in A. Removes 1.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PointOnPlane {
  static void rows(const JointPose& j, Rows& out) { out.add(plane_row(j, j.axis_a())); }
  static void coordinates(const JointPose& j, Rows& out) {
    out.add(travel_row(j, 0));
    out.add(travel_row(j, 1));
  }
};

}  // namespace catena
