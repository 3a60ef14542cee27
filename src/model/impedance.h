// What resists or drives a joint along its own coordinates in proportion to them: springs, dampers, position and velocity servos, and the
// inertia of a motor's rotor.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

// For each joint, whether it has any.                                                     (n_joint)
std::vector<char> joints_with_impedance(const Model& model);

// Whether a joint carries a rotor: inertia along one of its coordinates.
bool has_armature(const Model& model, const Joint& joint);

}  // namespace catena
