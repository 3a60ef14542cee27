// Angles written without a unit that are degrees rather than radians, to judge by their size.
#pragma once

#include "catena/model/model.h"
#include "catena/scene/value.h"

namespace catena {

// A warning, with its place, for each rotation by more than a turn and each limit, start or rest of a turning joint beyond two turns that no unit
// follows.
void warn_of_bare_angles(const Value& root, Warnings& warnings);

}  // namespace catena
