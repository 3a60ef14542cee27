// Point on line: B's anchor stays on the line through A's anchor along the axis fixed in A. Removes 2. Coordinate: travel.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PointOnLine {
  static void rows(const JointPose& j, Rows& out) {
    out.add(plane_row(j, j.fa.column(0)));
    out.add(plane_row(j, j.fa.column(1)));
  }
  static void coordinates(const JointPose& j, Rows& out) { out.add(travel_row(j, 2)); }
};

}  // namespace catena
