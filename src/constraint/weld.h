// Weld: B is fixed in A. Removes 6.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Weld {
  static void rows(const JointPose& j, Rows& out) {
    point_rows(j, out);
    orientation_rows(j, out);
  }
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
