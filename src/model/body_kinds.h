// The kinds of body. Each kind is one struct here in its own header; a new kind is one more and a line in visit().
//
// Every kind says: its mass block M, the velocity-dependent force it feels, which of the seven numbers of a BodyVector it uses,
// and how it moves along a velocity on its manifold.
#pragma once

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

inline BodyVector velocity_of(const BodyState& state) {
  return {state.velocity, state.angular_velocity, state.scale_velocity};
}

// Moves the positions of a body by the displacement `d` (velocity times time), exactly on its manifold.
inline void displace(BodyKind kind, const BodyVector& d, BodyState& state) {
  visit(kind, [&](auto k) { k.displace(d, state); });
}

}  // namespace catena
