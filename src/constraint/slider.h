// Slider: B travels along the axis fixed in A and does not turn. Removes 5.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Slider {
  static void rows(const JointPose& j, Rows& out) {
    out.add(plane_row(j, j.fa.column(0)));
    out.add(plane_row(j, j.fa.column(1)));
    orientation_rows(j, out);
  }
  static void coordinates(const JointPose& j, Rows& out) { out.add(travel_row(j, 2)); }
};

}  // namespace catena
