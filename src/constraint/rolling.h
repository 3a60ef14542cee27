// Rolling without slip of a sphere or a disc on a plane of the ground or of a rigid body. Removes 3: one holonomic (touching), two not.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Rolling {
  static void rows(const JointPose& j, Rows& out);
  static void coordinates(const JointPose&, Rows&) {}
};

}  // namespace catena
