// What a contact did in the last step.
#pragma once

#include "catena/collide/contact.h"

namespace catena {

struct ContactForce {
  enum class State { separating, stick, slip };
  Contact contact;
  Vec3 force{};       // on body a, world [N]: the impulse of the step over its length
  double normal = 0;  // of it, along the contact's normal
  Vec3 slip{};        // velocity of a relative to b across the normal, after the step [m/s]
  double margin = 0;  // of the cone: friction · normal − |tangential force|
  State state = State::separating;
};

}  // namespace catena
