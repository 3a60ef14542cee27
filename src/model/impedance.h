// What resists or drives a joint along its own coordinates in proportion to them: springs, dampers, position and velocity servos, and the
// inertia of a motor's rotor.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

// For each joint, whether it has any.                                                     (n_joint)
std::vector<char> joints_with_impedance(const Model& model);

// Coordinates a joint's own spring and damper act along: all three of a ball joint, otherwise the first.
int sprung_coordinates(JointKind kind);

}  // namespace catena
