// A rigid body: six freedoms (v, omega) at the centre of mass in world axes.
#pragma once

#include "catena/model/mass_block.h"
#include "catena/model/model.h"

namespace catena {

struct RigidBody {
  static constexpr int kDimension = 6;

  static MassBlock mass(const Body& body, const Mat3& R, double) { return {body.mass, congruence(R, body.inertia), 0}; }

  // Euler's gyroscopic torque −ω × I ω.
  static BodyVector velocity_force(const Body&, const MassBlock& M, const BodyState& s) {
    return {{}, -cross(s.angular_velocity, M.angular * s.angular_velocity), 0};
  }

  static BodyVector restricted(const BodyVector& v) { return {v.linear, v.angular, 0}; }

  static void displace(const BodyVector& d, BodyState& s) {
    s.position += d.linear;
    s.orientation = normalized(exp_rotation(d.angular) * s.orientation);
  }

  // For integrators on plain vectors: position, quaternion | velocity, angular velocity.
  static constexpr int kFlat = 13;
  static double* pack(const BodyState& s, double* y) {
    for (const double x :
         {s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z,
          s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z})
      *y++ = x;
    return y;
  }
  static const double* unpack(const double* y, BodyState& s) {
    s.position = {y[0], y[1], y[2]};
    s.orientation = normalized(Quat{y[3], y[4], y[5], y[6]});
    s.velocity = {y[7], y[8], y[9]};
    s.angular_velocity = {y[10], y[11], y[12]};
    return y + kFlat;
  }
  // dy/dt, with q̇ = ½ (0, ω) q.
  static double* rates(const BodyState& s, const BodyVector& vdot, double* dy) {
    const Vec3& w = s.angular_velocity;
    const Quat qdot = Quat{0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * s.orientation;
    for (const double x : {s.velocity.x, s.velocity.y, s.velocity.z, qdot.w, qdot.x, qdot.y, qdot.z, vdot.linear.x,
                           vdot.linear.y, vdot.linear.z, vdot.angular.x, vdot.angular.y, vdot.angular.z})
      *dy++ = x;
    return dy;
  }
};

}  // namespace catena
