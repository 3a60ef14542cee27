// A planar body: it lives in the world's x–y plane and turns about +z. Three freedoms (vx, vy, omega_z).
#pragma once

#include "catena/model/rigid_body.h"

namespace catena {

struct PlanarBody {
  static constexpr int kDimension = 3;

  static MassBlock mass(const Body& body, const Mat3&, double) {
    return {body.mass, Sym3::diagonal(0, 0, body.inertia.zz), 0};
  }
  static BodyVector velocity_force(const Body&, const MassBlock&, const BodyState&) { return {}; }
  static BodyVector restricted(const BodyVector& v) { return {{v.linear.x, v.linear.y, 0}, {0, 0, v.angular.z}, 0}; }
  static void displace(const BodyVector& d, BodyState& s) { RigidBody::displace(restricted(d), s); }

  // Kept as a rigid body's thirteen numbers: the ones out of the plane stay zero.
  static constexpr int kFlat = RigidBody::kFlat;
  static double* pack(const BodyState& s, double* y) { return RigidBody::pack(s, y); }
  static const double* unpack(const double* y, BodyState& s) { return RigidBody::unpack(y, s); }
  static double* rates(const BodyState& s, const BodyVector& vdot, double* dy) {
    return RigidBody::rates(s, restricted(vdot), dy);
  }
};

}  // namespace catena
