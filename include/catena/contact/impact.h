// What met in a step.
#pragma once

#include "catena/collide/contact.h"
#include "catena/model/ids.h"

namespace catena {

// A meeting of the last step that was faster than the threshold.
struct Impact {
  double time = 0;
  JointId joint{};               // whose limit was hit; not valid for contacts
  Contact contact{};             // else
  Vec3 impulse{};                // contact: on body a, world [N·s]
  double normal = 0;             // along the normal, or the joint's coordinate [N·s or N·m·s]
  double before = 0, after = 0;  // speed along it [m/s or rad/s]; negative: coming together
};

}  // namespace catena
