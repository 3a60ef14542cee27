// Displacements of all bodies at once.
#pragma once

#include <span>

#include "catena/math/spatial.h"
#include "catena/model/model.h"
#include "catena/model/state.h"

namespace catena {

// displace() of body_kinds.h with d of each body, to the bit, four rigid bodies at a time.
void displace_all(const Model& model, std::span<const BodyVector> d, std::span<BodyState> bodies);

}  // namespace catena
