#pragma once

#include "catena/model/joint.h"

namespace catena {

// A distance with limits is a rope or a strut with play: held at its limits alone.
inline bool is_rope(const Joint& joint, const JointExtras& extras) {
  return joint.kind == JointKind::distance && extras.limits;
}

}  // namespace catena
