// Weld between planar bodies. Removes 3.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct PlanarWeld {
  static void rows(const JointPose& j, Rows& out) {
    out.add(point_row(j, {1, 0, 0}));
    out.add(point_row(j, {0, 1, 0}));
    out.add(perpendicular_row(j, j.fa.column(1), j.fb.column(0)));
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
