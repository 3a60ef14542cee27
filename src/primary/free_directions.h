// Which joints leave a few directions free, and which directions.
#pragma once

#include <array>

#include "catena/constraint/joint_pose.h"

namespace catena {

// The freedoms of a joint kind between rigid bodies (pin, planar_weld: between planar ones): the directions F (at B's anchor, B relative to A) that leave all its rows at zero.
struct Directions {
  int count = -1;  // −1: this kind is not described by free directions
  std::array<Spatial, 3> F;
  bool arm_to_b = false;  // rows act on A at B's anchor rather than at A's own
};

// `motor`: its row takes the direction of coordinate 0 away.
Directions free_directions(JointKind kind, bool motor, const JointPose& j);

bool has_free_directions(JointKind kind, bool motor);
int free_direction_count(JointKind kind, bool motor);  // −1: none described

// Which of the free directions a coordinate of the joint moves along; −1: none, or the motor prescribes it.
int direction_of(JointKind kind, bool motor, int coordinate);

}  // namespace catena
