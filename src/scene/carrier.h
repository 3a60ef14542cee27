// Gears and racks on a moving carrier, as rows over the velocities of three bodies.
#pragma once

#include "catena/scene/draft.h"

namespace catena {

// The row of a gear or rack whose bearings sit on `carrier`: what the two bodies' velocities against it have to do with each other. Its
// force, which is along the row, loads the carrier with what the teeth do to the bearings.
CouplingRow carried_row(const JointSpec& spec, BodyId a, BodyId b, BodyId carrier, const State& initial);

}  // namespace catena
