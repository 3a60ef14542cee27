// A rigid body that also scales uniformly: its material points are at x + s R X. Seven freedoms (v, omega, ds/dt).
//   T = m v²/2 + s² ω·I ω/2 + (tr I / 2) (ds/dt)²/2
#pragma once

#include "catena/model/rigid_body.h"

namespace catena {

struct ScalableBody {
  static constexpr int kDimension = 7;

  static MassBlock mass(const Body& body, const Mat3& R, double scale) {
    return {body.mass, (scale * scale) * congruence(R, body.inertia), 0.5 * trace(body.inertia)};
  }

  // −ω × s²I ω − 2 s ṡ I ω on the rotation, s ω·I ω on the scale.
  static BodyVector velocity_force(const Body&, const MassBlock& M, const BodyState& s) {
    const Vec3& w = s.angular_velocity;
    const Vec3 L = M.angular * w;
    return {{}, -cross(w, L) - (2 * s.scale_velocity / s.scale) * L, dot(w, L) / s.scale};
  }

  static BodyVector restricted(const BodyVector& v) { return v; }
  static void displace(const BodyVector& d, BodyState& s) {
    RigidBody::displace(d, s);
    s.scale += d.scale;
  }

  static constexpr int kFlat = RigidBody::kFlat + 2;
  static double* pack(const BodyState& s, double* y) {
    y = RigidBody::pack(s, y);
    *y++ = s.scale;
    *y++ = s.scale_velocity;
    return y;
  }
  static const double* unpack(const double* y, BodyState& s) {
    y = RigidBody::unpack(y, s);
    s.scale = y[0];
    s.scale_velocity = y[1];
    return y + 2;
  }
  static double* rates(const BodyState& s, const BodyVector& vdot, double* dy) {
    dy = RigidBody::rates(s, vdot, dy);
    *dy++ = s.scale_velocity;
    *dy++ = vdot.scale;
    return dy;
  }
};

}  // namespace catena
