// A particle: three freedoms, no rotation.
#pragma once

#include "catena/model/mass_block.h"
#include "catena/model/model.h"

namespace catena {

struct Particle {
  static constexpr int kDimension = 3;

  static MassBlock mass(const Body& body, const Mat3&, double) { return {body.mass, {}, 0}; }
  static BodyVector velocity_force(const Body&, const MassBlock&, const BodyState&) { return {}; }
  static BodyVector restricted(const BodyVector& v) { return {v.linear, {}, 0}; }
  static void displace(const BodyVector& d, BodyState& s) { s.position += d.linear; }

  static constexpr int kFlat = 6;
  static double* pack(const BodyState& s, double* y) {
    for (const double x : {s.position.x, s.position.y, s.position.z, s.velocity.x, s.velocity.y, s.velocity.z})
      *y++ = x;
    return y;
  }
  static const double* unpack(const double* y, BodyState& s) {
    s.position = {y[0], y[1], y[2]};
    s.velocity = {y[3], y[4], y[5]};
    return y + kFlat;
  }
  static double* rates(const BodyState& s, const BodyVector& vdot, double* dy) {
    for (const double x : {s.velocity.x, s.velocity.y, s.velocity.z, vdot.linear.x, vdot.linear.y, vdot.linear.z})
      *dy++ = x;
    return dy;
  }
};

}  // namespace catena
