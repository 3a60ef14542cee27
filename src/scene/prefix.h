// A part of a scene under names and at a place of its own: one file included several times.
#pragma once

#include <string>

#include "catena/scene/value.h"

namespace catena {

// Puts the prefix in front of the names of bodies, joints, materials, sites, sensors, tendons and generated links, and of everything that
// refers to them. `ground` stays what it is.
void prefix_names(Value& part, const std::string& prefix);

// Moves everything in it by `place` (a point): its bodies, joints, forces, springs and actuators become a block of `repeat:`.
void move_part(Value& part, const Value& place);

}  // namespace catena
