// v ← v + dv, in the components a kind of body has.
#pragma once

#include "catena/model/body_kinds.h"

namespace catena {

inline void add_velocity(BodyKind kind, const BodyVector& dv, BodyState& s) {
  const BodyVector own = restricted(kind, dv);
  s.velocity += own.linear;
  s.angular_velocity += own.angular;
  s.scale_velocity += own.scale;
}

}  // namespace catena
