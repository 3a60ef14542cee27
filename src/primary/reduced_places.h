// POSITION and VELOCITY of articulated bodies, and what moves with them, on any scalar (reduced_system.h).
#pragma once

#include "catena/constraint/compound_kernels.h"
#include "catena/math/elementary.h"
#include "catena/math/wide.h"
#include "catena/primary/coordinates.h"
#include "catena/primary/joint_motion.h"
#include "catena/primary/reduced_system.h"

namespace catena {

// −m c×: the coupling of a block at the point that the centre of mass is c away from.
template <class Real>
Mat3T<Real> minus_cross(const Vec3T<Real>& mc) {
  return {{0, mc.z, -mc.y}, {-mc.z, 0, mc.x}, {mc.y, -mc.x, 0}};
}

// q moved along v for h, exactly on its manifold.
template <class Real>
void integrate_coordinates(const std::vector<ReducedNode>& nodes, const Real& h, const Real* rates, Real* coordinates) {
  for (const ReducedNode& node : nodes) {
    Real* const q = coordinates + node.q;
    const Real* const v = rates + node.v;
    switch (node.mobility) {
      case Mobility::free:
        for (int k = 0; k < 3; ++k) q[k] += h * v[k];
        put(normalized(exp_rotation(h * vector_at(v + 3)) * rotation_at(q + 3)), q + 3);
        break;
      case Mobility::ball: put(normalized(exp_rotation(h * vector_at(v)) * rotation_at(q)), q); break;
      case Mobility::hinge: q[0] += h * v[0]; break;
      case Mobility::other:
      case Mobility::compound:
        for (int k = 0; k < node.count; ++k) q[k] += h * v[k];
        break;
    }
  }
}

template <class Real>
void ReducedSystemT<Real>::place_all(const JointState& state) {
  const ReducedNode* node = model_->nodes().data();
  for (Link& link : links_) place(*node++, link, state);
}

template <class Real>
void ReducedSystemT<Real>::turn_all(const JointState& state) {
  const ReducedNode* node = model_->nodes().data();
  for (Link& link : links_) turn(*node++, link, state);
}

template <class Real>
void ReducedSystemT<Real>::place(const ReducedNode& node, Link& link, const JointState& state) {
  Vec3 w_parent{};
  Mat3 J = wide<Real>(link.P);
  link.d = wide<Real>(link.r);
  if (link.parent >= 0) {
    const Link& parent = links_[static_cast<std::size_t>(link.parent)];
    w_parent = parent.w;
    J = parent.R * wide<Real>(link.P);
    link.d = parent.R * wide<Real>(link.r);
  }
  switch (link.mobility) {
    case Mobility::hinge:
      place_hinge(link, J, link.sign * state.q[static_cast<std::size_t>(node.q)]);
      turn_hinge(link, link.sign * state.v[static_cast<std::size_t>(node.v)], w_parent);
      break;
    case Mobility::ball:
      place_ball(node, link, J, state);
      turn_ball(node, link, state, w_parent);
      break;
    case Mobility::other: place_other(node, link, J, state, w_parent); break;
    case Mobility::compound:
      place_compound_joint(node, link, J, state);
      turn_compound(node, link, J, state, w_parent);
      break;
    case Mobility::free: {
      Free& free = frees_[static_cast<std::size_t>(link.slot)];
      const Real *q = state.q.data() + node.q, *v = state.v.data() + node.v;
      free = {{vector_at(v), vector_at(v + 3)}, vector_at(q), rotation_at(q + 3), {}};
      link.d = free.position;
      link.R = to_matrix(free.turn);
      link.w = free.velocity.angular;
      link.bias = {};
      break;
    }
  }
  // The body's block and what its spin asks for, at the node's origin.
  const Real m(link.mass);
  link.mc = m * (link.R * wide<Real>(link.c));
  link.C = congruence(link.R, wide<Real>(link.I));
  link.D = {Sym3T<Real>::diagonal(m, m, m), minus_cross(link.mc), link.C};
  link.p = {cross(link.w, cross(link.w, link.mc)), cross(link.w, link.C * link.w)};
}

template <class Real>
void ReducedSystemT<Real>::turn(const ReducedNode& node, Link& link, const JointState& state) {
  const Link* const parent = link.parent >= 0 ? &links_[static_cast<std::size_t>(link.parent)] : nullptr;
  const Vec3 w_parent = parent ? parent->w : Vec3{};
  switch (link.mobility) {
    case Mobility::hinge: turn_hinge(link, link.sign * state.v[static_cast<std::size_t>(node.v)], w_parent); break;
    case Mobility::ball: turn_ball(node, link, state, w_parent); break;
    case Mobility::other:  // places it again where it is
      link.d = parent ? parent->R * wide<Real>(link.r) : wide<Real>(link.r);
      place_other(node, link, parent ? parent->R * wide<Real>(link.P) : wide<Real>(link.P), state, w_parent);
      break;
    case Mobility::compound:
      if (node.child_is_b) {
        turn_compound(node, link, link.R, state, w_parent);
        break;
      }
      link.d = parent ? parent->R * wide<Real>(link.r) : wide<Real>(link.r);
      turn_compound(node, link, parent ? parent->R * wide<Real>(link.P) : wide<Real>(link.P), state, w_parent);
      break;
    case Mobility::free: {
      const Real* v = state.v.data() + node.v;
      frees_[static_cast<std::size_t>(link.slot)].velocity = {vector_at(v), vector_at(v + 3)};
      link.w = vector_at(v + 3);
      break;
    }
  }
  link.p = {cross(link.w, cross(link.w, link.mc)), cross(link.w, link.C * link.w)};
}

template <class Real>
void ReducedSystemT<Real>::place_hinge(Link& link, const Mat3& J, const Real& angle) {
  using portable::sin_cos;
  const portable::SinCos<Real> half = sin_cos(Real(0.5) * angle);
  link.half_c = half.cos;
  link.half_s = half.sin;
  const Real c = (link.half_c - link.half_s) * (link.half_c + link.half_s), s = 2 * link.half_s * link.half_c;
  const auto turned = [c, s](const Vec3& row) { return Vec3{c * row.x + s * row.y, c * row.y - s * row.x, row.z}; };
  link.R = {turned(J.r0), turned(J.r1), turned(J.r2)};
  link.hinge.axis = {J.r0.z, J.r1.z, J.r2.z};
}

template <class Real>
void ReducedSystemT<Real>::turn_hinge(Link& link, const Real& rate, const Vec3& w_parent) {
  link.w = w_parent + rate * link.hinge.axis;
  link.bias = {cross(w_parent, cross(w_parent, link.d)), rate * cross(w_parent, link.hinge.axis)};
}

template <class Real>
void ReducedSystemT<Real>::place_ball(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state) {
  Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
  const Quat q = rotation_at(state.q.data() + node.q);  // B in A
  ball.turn = node.child_is_b ? q : q.conjugate();
  link.R = J * to_matrix(ball.turn);
  ball.fa = node.child_is_b ? J : link.R;
}

template <class Real>
void ReducedSystemT<Real>::turn_ball(const ReducedNode& node, Link& link, const JointState& state,
                                     const Vec3& w_parent) {
  Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
  ball.w_rel = ball.fa * vector_at(state.v.data() + node.v);
  link.w = w_parent + link.sign * ball.w_rel;
  link.bias = {cross(w_parent, cross(w_parent, link.d)), {}};  // angular: any, it is free
  if (ball.heavy) set_heavy_freedoms(node, link, ball);
}

// With T = t(q) in the world, v and ω the joint's velocity: a body that is the joint's second stands at d = arm + T and
//     a = … + ω_p × (ω_p × d) + 2 ω_p × v + L̇q̇,            α = … + ω_p × ω + Ω̇q̇
// One that is the joint's first has A's frame, so T turns with it: it stands at d = arm − T, moves along (−L + Ω × T, −Ω), and
//     α = … − ω_1 × ω − Ω̇q̇,      a = … + ω_p × (ω_p × arm) − ω_1 × (ω_1 × T) − 2 ω_1 × v − L̇q̇ − (its bias of α) × T.
template <class Real>
Mat3T<Real> ReducedSystemT<Real>::place_relative(const ReducedNode& node, Link& link, const Mat3& J,
                                                 const Relative& joint, const Vec3& w_parent, Mat3& R, Vec3& velocity) {
  R = node.child_is_b ? joint.R : transpose(joint.R);
  link.R = J * R;
  const Mat3& A = node.child_is_b ? J : link.R;
  const Vec3 T = A * joint.t, arm = link.d;
  const Vec3 v = A * joint.velocity.linear, w = A * joint.velocity.angular;
  const Vec3 drifting = A * joint.bias.linear, turning = A * joint.bias.angular;
  link.w = w_parent + link.sign * w;
  link.d = arm + link.sign * T;
  if (node.child_is_b) {
    link.bias = {cross(w_parent, cross(w_parent, link.d)) + 2.0 * cross(w_parent, v) + drifting,
                 cross(w_parent, w) + turning};
  } else {
    const Vec3 alpha = -(cross(link.w, w) + turning);
    link.bias = {cross(w_parent, cross(w_parent, arm)) - cross(link.w, cross(link.w, T)) - 2.0 * cross(link.w, v) -
                     drifting - cross(alpha, T),
                 alpha};
  }
  velocity = node.child_is_b ? v : cross(w, T) - v;
  return A;
}

// A column of the joint's F (axes of frame A) as the motion of the body's origin.
template <class Real>
SpatialT<Real> ReducedSystemT<Real>::direction(const ReducedNode& node, const Mat3& A, const Vec3& T,
                                               const Spatial& F) {
  const Spatial world{A * F.linear, A * F.angular};
  return node.child_is_b ? world : Spatial{cross(world.angular, T) - world.linear, -world.angular};
}

template <class Real>
void ReducedSystemT<Real>::place_other(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state,
                                       const Vec3& w_parent) {
  Other& other = others_[static_cast<std::size_t>(link.slot)];
  const Real* rates = state.v.data() + node.v;
  const JointMotion<Real> joint = joint_motion(node.kind, node.parameter, state.q.data() + node.q, rates);
  const Mat3 A = place_relative(node, link, J, {joint.R, joint.t, joint.velocity(rates), {{}, joint.turning}}, w_parent,
                                other.R, other.velocity);
  other.freedoms.count = joint.count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(joint.count); ++k)
    other.freedoms.F[k] = direction(node, A, A * joint.t, joint.F[k]);
}

// Where the body is the joint's second, F and all else is found in world axes at once.
template <class Real>
void ReducedSystemT<Real>::place_compound_joint(const ReducedNode& node, Link& link, const Mat3& J,
                                                const JointState& state) {
  Compound& compound = compounds_[static_cast<std::size_t>(link.slot)];
  const std::vector<Freedom>& freedoms = model_->model().joints[node.joint].freedoms;
  place_compound(freedoms, state.q.data() + node.q, node.child_is_b ? J : Mat3::identity(), compound.place);
  compound.freedoms.count = node.count;
  if (!node.child_is_b) return;
  link.R = compound.place.R;
  link.d += compound.place.t;
  for (std::size_t k = 0; k < freedoms.size(); ++k) compound.freedoms.F[k] = compound.place.F[k];
}

template <class Real>
void ReducedSystemT<Real>::turn_compound(const ReducedNode& node, Link& link, const Mat3& J, const JointState& state,
                                         const Vec3& w_parent) {
  Compound& compound = compounds_[static_cast<std::size_t>(link.slot)];
  const std::vector<Freedom>& freedoms = model_->model().joints[node.joint].freedoms;
  const CompoundPlaceT<Real>& joint = compound.place;
  const CompoundRatesT<Real> rates = compound_rates_of(freedoms, joint, state.v.data() + node.v);
  if (node.child_is_b) {
    const Spatial &V = rates.velocity, &bias = rates.bias;
    compound.velocity = V.linear;
    link.w = w_parent + V.angular;
    link.bias = {cross(w_parent, cross(w_parent, link.d)) + 2.0 * cross(w_parent, V.linear) + bias.linear,
                 cross(w_parent, V.angular) + bias.angular};
    return;
  }
  const Mat3 A = place_relative(node, link, J, {joint.R, joint.t, rates.velocity, rates.bias}, w_parent, compound.R,
                                compound.velocity);
  for (std::size_t k = 0; k < freedoms.size(); ++k)
    compound.freedoms.F[k] = direction(node, A, A * joint.t, joint.F[k]);
}

template <class Real>
void ReducedSystemT<Real>::find_bodies(std::span<BodyState> out) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const ReducedNode& node = model_->nodes()[i];
    Pose& pose = poses_[i];
    if (link.mobility == Mobility::free) {
      const Free& free = frees_[static_cast<std::size_t>(link.slot)];
      pose = {free.turn, free.position, free.velocity.linear};
    } else {
      const Pose still;
      const Pose& parent = link.parent >= 0 ? poses_[static_cast<std::size_t>(link.parent)] : still;
      const Vec3 w_parent = link.parent >= 0 ? links_[static_cast<std::size_t>(link.parent)].w : Vec3{};
      Quat turn;
      pose.v = parent.v + cross(w_parent, link.d);
      if (link.mobility == Mobility::hinge) {
        turn = {link.half_c, 0, 0, link.half_s};
      } else if (link.mobility == Mobility::ball) {
        turn = balls_[static_cast<std::size_t>(link.slot)].turn;
      } else if (link.mobility == Mobility::compound) {
        const Compound& compound = compounds_[static_cast<std::size_t>(link.slot)];
        turn = node.child_is_b ? from_matrix(link.R) : from_matrix(compound.R);
        pose.v += compound.velocity;
      } else {
        const Other& other = others_[static_cast<std::size_t>(link.slot)];
        turn = from_matrix(other.R);
        pose.v += other.velocity;
      }
      const bool in_world = link.mobility == Mobility::compound && node.child_is_b;
      pose.turn = in_world ? turn : parent.turn * wide<Real>(node.turn_parent) * turn;
      pose.origin = parent.origin + link.d;
    }
    BodyState& body = out[node.body];
    const Vec3 c = com(link);
    body.position = pose.origin + c;
    body.velocity = pose.v + cross(link.w, c);
    if (model_->model().bodies[node.body].kind == BodyKind::particle) continue;
    body.orientation = normalized(pose.turn * wide<Real>(node.turn).conjugate());
    body.angular_velocity = link.w;
  }
}

template <class Real>
int ReducedSystemT<Real>::directions(int index, std::array<Spatial, 6>& F) const {
  const Link& link = links_[static_cast<std::size_t>(index)];
  switch (link.mobility) {
    case Mobility::hinge: F[0] = {{}, link.sign * link.hinge.axis}; return 1;
    case Mobility::ball:
      for (int k = 0; k < 3; ++k)
        F[static_cast<std::size_t>(k)] = {{}, link.sign * balls_[static_cast<std::size_t>(link.slot)].fa.column(k)};
      return 3;
    case Mobility::other: {
      const Freedoms<Real>& freedoms = others_[static_cast<std::size_t>(link.slot)].freedoms;
      for (std::size_t k = 0; k < static_cast<std::size_t>(freedoms.count); ++k) F[k] = freedoms.F[k];
      return freedoms.count;
    }
    case Mobility::compound: {
      const ManyFreedomsT<Real>& freedoms = compounds_[static_cast<std::size_t>(link.slot)].freedoms;
      for (std::size_t k = 0; k < static_cast<std::size_t>(freedoms.count); ++k) F[k] = freedoms.F[k];
      return freedoms.count;
    }
    case Mobility::free: break;
  }
  for (int k = 0; k < 6; ++k) {
    F[static_cast<std::size_t>(k)] = {};
    (k < 3 ? F[static_cast<std::size_t>(k)].linear[k] : F[static_cast<std::size_t>(k)].angular[k - 3]) = 1;
  }
  return 6;
}

template <class Real>
SpatialT<Real> ReducedSystemT<Real>::bias(int index) const {
  const Link& link = links_[static_cast<std::size_t>(index)];
  Spatial bias = link.bias;
  if (link.mobility == Mobility::ball) {
    const Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
    bias.angular = link.sign * cross(link.sign > 0 ? link.w - ball.w_rel : link.w, ball.w_rel);
  }
  return bias;
}

template <class Real>
void ReducedSystemT<Real>::find_motion(const Real* v, std::span<BodyVector> out) {
  std::array<Spatial, 6> F;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    Spatial y = link.parent >= 0 ? motion_at(motions_[static_cast<std::size_t>(link.parent)], link.d) : Spatial{};
    const Real* rates = v + model_->nodes()[i].v;
    if (link.mobility == Mobility::hinge) {
      y.angular += (link.sign * rates[0]) * link.hinge.axis;
    } else if (link.mobility == Mobility::compound) {
      compounds_[static_cast<std::size_t>(link.slot)].freedoms.move(rates, y);
    } else {
      const int count = directions(static_cast<int>(i), F);
      for (int k = 0; k < count; ++k) y += rates[k] * F[static_cast<std::size_t>(k)];
    }
    motions_[i] = y;
    const Spatial at_com = motion_at(y, com(link));
    out[model_->nodes()[i].body] = {at_com.linear, at_com.angular, 0};
  }
}

}  // namespace catena
