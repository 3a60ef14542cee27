// The kinds of body. Each kind is one struct here in its own header; a new kind is one more and a line in visit().
//
// Every kind says: its mass block M, the velocity-dependent force it feels, which of the seven numbers of a BodyVector it uses,
// and how it moves along a velocity on its manifold.
#pragma once

#include "catena/model/form_blocks.h"
#include "catena/model/particle.h"
#include "catena/model/planar_body.h"
#include "catena/model/rigid_body.h"
#include "catena/model/scalable_body.h"

namespace catena {

// Calls f with the struct of the body's kind: visit(kind, [&](auto k) { return k.mass(...); }).
template <class F>
constexpr auto visit(BodyKind kind, F&& f) {
  switch (kind) {
    case BodyKind::particle: return f(Particle{});
    case BodyKind::planar: return f(PlanarBody{});
    case BodyKind::scalable: return f(ScalableBody{});
    case BodyKind::formed: return f(FormedBody{});
    case BodyKind::form: return f(FormCoordinates{});
    case BodyKind::rigid: break;
  }
  return f(RigidBody{});
}

inline MassBlock mass_block(const Body& body, const Mat3& R, double scale) {
  return visit(body.kind, [&](auto kind) { return kind.mass(body, R, scale); });
}

inline BodyVector velocity_force(const Body& body, const MassBlock& M, const BodyState& state) {
  return visit(body.kind, [&](auto kind) { return kind.velocity_force(body, M, state); });
}

// `v` with the components its kind does not have set to zero.
inline BodyVector restricted(BodyKind kind, const BodyVector& v) {
  return visit(kind, [&](auto k) { return k.restricted(v); });
}

// M⁻¹ f.
inline BodyVector inverse_times(BodyKind kind, const MassBlock& M, const BodyVector& f) {
  const Vec3 linear = f.linear / M.linear;
  switch (kind) {
    case BodyKind::particle: return {linear, {}, 0};
    case BodyKind::planar: return {{linear.x, linear.y, 0}, {0, 0, f.angular.z / M.angular.zz}, 0};
    case BodyKind::formed:
    case BodyKind::rigid: return {linear, inverse(M.angular) * f.angular, 0};
    case BodyKind::form: return times(M.own->inverse, f);
    case BodyKind::scalable: break;
  }
  return {linear, inverse(M.angular) * f.angular, f.scale / M.scale};
}

// v ← v + dv, in the components the kind has.
inline void add_velocity(BodyKind kind, const BodyVector& dv, BodyState& s) {
  const BodyVector own = restricted(kind, dv);
  s.velocity += own.linear;
  s.angular_velocity += own.angular;
  s.scale_velocity += own.scale;
}

inline BodyVector velocity_of(const BodyState& state) {
  return {state.velocity, state.angular_velocity, state.scale_velocity};
}

// Moves the positions of a body by the displacement `d` (velocity times time), exactly on its manifold.
inline void displace(BodyKind kind, const BodyVector& d, BodyState& state) {
  visit(kind, [&](auto k) { k.displace(d, state); });
}

}  // namespace catena
