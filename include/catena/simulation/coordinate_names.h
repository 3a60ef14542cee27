// Names for the numbers of q and v.
#pragma once

#include <string>
#include <vector>

#include "catena/simulation/simulation.h"

namespace catena {

// Of v and tau, n_v: BODY.x .y .z .rx .ry .rz of a floating body, the name of a joint with one coordinate, JOINT[k] of others, and of a compound
// joint those of its freedoms where they have names.
std::vector<std::string> rate_names(const Simulation& simulation);

}  // namespace catena
