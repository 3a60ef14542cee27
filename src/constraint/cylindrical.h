// Cylindrical joint: B turns about and travels along the axis fixed in A. Removes 4. Coordinates: angle, travel.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Cylindrical {
  static void rows(const JointPose& j, Rows& out) {
    out.add(plane_row(j, j.fa.column(0)));
    out.add(plane_row(j, j.fa.column(1)));
    aligned_rows(j, out);
  }
  static void coordinates(const JointPose& j, Rows& out) {
    out.add(angle_row(j));
    out.add(travel_row(j, 2));
  }
};

}  // namespace catena
