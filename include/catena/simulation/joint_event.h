// A joint that attached or let go, by its schedule or by hand.
#pragma once

#include "catena/math/spatial.h"
#include "catena/model/ids.h"

namespace catena {

struct JointEvent {
  double time = 0;  // s
  JointId joint{};
  bool attached = false;
  Spatial impulse{};  // of attaching, on the second body at its anchor, world axes [N·s, N·m·s]
};

}  // namespace catena
