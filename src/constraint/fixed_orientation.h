// Fixed orientation: B does not turn relative to A. Removes 3. Coordinates: three travels.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct FixedOrientation {
  static void rows(const JointPose& j, Rows& out) { orientation_rows(j, out); }
  static void coordinates(const JointPose& j, Rows& out) {
    for (int k = 0; k < 3; ++k) out.add(travel_row(j, k));
  }
};

}  // namespace catena
