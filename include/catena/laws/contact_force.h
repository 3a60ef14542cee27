// What a contact did in the last step.
#pragma once

#include <array>

#include "catena/collide/contact.h"

namespace catena {

struct ContactForce {
  enum class State { separating, stick, slip };
  Contact contact;
  Vec3 force{};                        // on body a, world [N]: the impulse of the step over its length
  double normal = 0;                   // of it, along the contact's normal
  std::array<double, 2> tangential{};  // of it, along `tangent` and normal × tangent
  Vec3 tangent{};                      // unit, world
  Vec3 slip{};                         // velocity of a relative to b across the normal, after the step [m/s]
  double margin = 0;                   // of the cone: friction · normal − |tangential force|
  State state = State::separating;
};

// `force` and `slip` along the normal and the two `tangents`, the second of which is zero in the plane; friction as LawBlock has it:
// half axes of the ellipse and the shift of its middle, to which `force` is relative.
ContactForce contact_force(const Contact& contact, const std::array<Vec3, 2>& tangents,
                           const std::array<double, 2>& friction, double shift, const std::array<double, 3>& force,
                           const std::array<double, 2>& slip);

}  // namespace catena
