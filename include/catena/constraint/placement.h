// Where a body is and how it moves: all that constraint rows see of it. The ground is a placement that never moves.
#pragma once

#include "catena/math/spatial.h"
#include "catena/model/model.h"

namespace catena {

struct FormPlacement;  // constraint/forms.h

struct Placement {
  Mat3 R = Mat3::identity();         // body to world
  Vec3 x{}, v{}, w{};                // centre of mass, its velocity, angular velocity; world
  double scale = 1, scale_rate = 0;  // scale and its logarithmic rate (ds/dt)/s
  const FormPlacement* form = nullptr;
};

inline Placement place(const Mat3& R, const BodyState& s, const FormPlacement* form = nullptr) {
  return {R, s.position, s.velocity, s.angular_velocity, s.scale, s.scale_velocity / s.scale, form};
}
inline Placement place(const BodyState& s) { return place(to_matrix(s.orientation), s); }

// A material point of a body.
struct AttachedPoint {
  Vec3 arm{};     // from the centre of mass
  Vec3 p{}, v{};  // position, velocity
  Vec3 bias{};    // the part of its acceleration that is there even when the body's v̇ is zero
  double scale = 1;
};

AttachedPoint attach_to_form(const Placement& body, const Vec3& point);

inline AttachedPoint attach(const Placement& body, const Vec3& point) {
  if (body.form) [[unlikely]]
    return attach_to_form(body, point);
  const Vec3 arm = body.scale * (body.R * point);
  const Vec3 turn = cross(body.w, arm);
  return {arm, body.x + arm, body.v + turn + body.scale_rate * arm, cross(body.w, turn) + (2 * body.scale_rate) * turn,
          body.scale};
}

}  // namespace catena
