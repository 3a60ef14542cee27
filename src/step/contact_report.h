// What the impulses of a step say of its contacts.
#pragma once

#include <cmath>

#include "catena/constraint/law_rows.h"
#include "catena/math/rotation.h"
#include "catena/step/contact_force.h"

namespace catena {

// z: impulses of the block's rows over a step of h; w: relative velocities along them after it.
inline ContactForce contact_force(const Contact& contact, const LawBlock& block, const double* z, const double* w,
                                  double h) {
  ContactForce out;
  out.contact = contact;
  const Mat3 frame = frame_along(contact.normal);
  const Vec3 tangents[] = {block.size == 2 ? cross(Vec3{0, 0, 1}, contact.normal) : frame.column(0), frame.column(1)};
  out.normal = z[0] / h;
  out.force = out.normal * contact.normal;
  double tangential2 = 0;
  for (int i = 1; i < block.size; ++i) {
    const double push = z[i] / h;
    out.force += push * tangents[i - 1];
    out.slip += w[i] * tangents[i - 1];
    tangential2 += push * push;
  }
  out.margin = block.friction[0] * out.normal - std::sqrt(tangential2);
  const bool held = out.margin > 1e-6 * block.friction[0] * out.normal;
  out.state = out.normal <= 0 ? ContactForce::State::separating
            : held            ? ContactForce::State::stick
                              : ContactForce::State::slip;
  return out;
}

}  // namespace catena
