// Articulated bodies: factor and sweeps, on any scalar (reduced_system.h). Where things are and how they move: reduced_places.h.
#pragma once

#include <algorithm>

#include "catena/math/lanes.h"
#include "catena/primary/coordinates.h"
#include "catena/primary/reduced_system.h"

namespace catena {

// Whether a number, of any lane, is not zero.
template <class Real>
bool is_set(const Real& x) {
  return any(no(x == Real(0)));
}

// ---------------------------------------------------------------------------------------------------------------- factor

template <class Real>
void ReducedSystemT<Real>::set_freedom_inertia(std::span<const Real> a) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    const ReducedNode& node = model_->nodes()[i];
    Vec3 own{};
    for (int k = 0; k < std::min(node.count, 3) && !a.empty(); ++k) own[k] = a[static_cast<std::size_t>(node.v + k)];
    switch (link.mobility) {
      case Mobility::hinge: link.hinge.a = own[0]; break;
      case Mobility::other: others_[static_cast<std::size_t>(link.slot)].freedoms.a = own; break;
      case Mobility::ball: {
        Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
        const bool heavy = is_set(own.x) || is_set(own.y) || is_set(own.z);
        ball.freedoms.a = own;
        if (heavy && !ball.heavy) set_heavy_freedoms(node, link, ball);
        ball.heavy = heavy;
        break;
      }
      case Mobility::compound: {
        auto& along = compounds_[static_cast<std::size_t>(link.slot)].freedoms.a;
        for (int k = 0; k < node.count; ++k)
          along[static_cast<std::size_t>(k)] = a.empty() ? Real(0) : a[static_cast<std::size_t>(node.v + k)];
        break;
      }
      case Mobility::free: break;
    }
  }
}

// F along the axes the rates are measured in: of frame A, of the second body relative to the first.
template <class Real>
void ReducedSystemT<Real>::set_heavy_freedoms(const ReducedNode& node, const Link& link, Ball& ball) {
  ball.freedoms.count = 3;
  for (int k = 0; k < 3; ++k) ball.freedoms.F[static_cast<std::size_t>(k)] = {{}, link.sign * ball.fa.column(k)};
  const Vec3 w_A = node.child_is_b ? link.w - ball.w_rel : link.w;
  ball.turning = link.sign * cross(w_A, ball.w_rel);
}

template <class Real>
void ReducedSystemT<Real>::eliminate_all() {
  for (std::size_t i = links_.size(); i-- > 0;) eliminate(links_[i]);
}

template <class Real>
void ReducedSystemT<Real>::eliminate(Link& link) {
  Link* const parent = link.parent >= 0 ? &links_[static_cast<std::size_t>(link.parent)] : nullptr;
  switch (link.mobility) {
    case Mobility::hinge: link.hinge.eliminate(link.D); break;
    case Mobility::ball: {
      Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) {
        ball.freedoms.eliminate(link.D);
        break;
      }
      BallFreedom<Real>::eliminate(link.D);
      if (parent) add_point_block(link.D.A, link.d, parent->D);
      return;
    }
    case Mobility::other: others_[static_cast<std::size_t>(link.slot)].freedoms.eliminate(link.D); break;
    case Mobility::compound: compounds_[static_cast<std::size_t>(link.slot)].freedoms.eliminate(link.D); break;
    case Mobility::free: frees_[static_cast<std::size_t>(link.slot)].inverse = inverse(link.D); return;
  }
  if (parent) parent->D += shifted(link.D, -link.d);
}

// ---------------------------------------------------------------------------------------------------------------- sweeps

// link.f ← g and what the parent receives, from the force at the link's origin.
template <class Real>
template <bool kWithBias>
void ReducedSystemT<Real>::up(const ReducedNode& node, Link& link, const Real* tau) {
  Spatial to_parent;
  switch (link.mobility) {
    case Mobility::hinge:
      link.hinge.up(link.f, tau ? link.sign * tau[node.v] : Real(0));
      to_parent = kWithBias ? link.f - link.D * link.bias : link.f;
      break;
    case Mobility::ball: {
      Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) {
        ball.freedoms.up(link.f, tau ? vector_at(tau + node.v) : Vec3{});
        to_parent = link.f;
        if constexpr (kWithBias) to_parent = to_parent - link.D * Spatial{link.bias.linear, ball.turning};
        break;
      }
      ball.tau = tau ? link.sign * (ball.fa * vector_at(tau + node.v)) : Vec3{};
      link.f.angular += ball.tau;
      BallFreedom<Real>::up(link.D, link.f);
      to_parent = {kWithBias ? link.f.linear - link.D.A * link.bias.linear : link.f.linear, -ball.tau};
      break;
    }
    case Mobility::other: {
      Freedoms<Real>& freedoms = others_[static_cast<std::size_t>(link.slot)].freedoms;
      Vec3 along{};
      for (int k = 0; tau && k < freedoms.count; ++k) along[k] = tau[node.v + k];
      freedoms.up(link.f, along);
      to_parent = kWithBias ? link.f - link.D * link.bias : link.f;
      break;
    }
    case Mobility::compound:
      compounds_[static_cast<std::size_t>(link.slot)].freedoms.up(link.f, tau ? tau + node.v : nullptr);
      to_parent = kWithBias ? link.f - link.D * link.bias : link.f;
      break;
    case Mobility::free:
      if (tau) link.f += Spatial{vector_at(tau + node.v), vector_at(tau + node.v + 3)};
      return;
  }
  if (link.parent >= 0) links_[static_cast<std::size_t>(link.parent)].f += force_from(to_parent, link.d);
}

// link.y and the rates, from the motion of the parent.
template <class Real>
template <bool kWithBias>
void ReducedSystemT<Real>::down(const ReducedNode& node, Link& link, const Spatial& y_parent, Real* rates) const {
  Spatial v = motion_at(y_parent, link.d);
  if constexpr (kWithBias) v += link.bias;
  switch (link.mobility) {
    case Mobility::hinge: {
      const Real rate = link.hinge.rate(v);
      rates[node.v] = link.sign * rate;
      link.y = {v.linear, v.angular + rate * link.hinge.axis};
      break;
    }
    case Mobility::ball: {
      const Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) {
        if constexpr (kWithBias) v.angular += ball.turning;
        const Vec3 along = ball.freedoms.rates(v);
        link.y = v;
        ball.freedoms.move(along, link.y);
        put(along, rates + node.v);
        break;
      }
      link.y = {v.linear, BallFreedom<Real>::turn(link.D, link.f, v.linear)};
      // α_1 − α_p = ±(fa q̈ + ω_A × ω_rel), ω_A of the frame that the rates are measured in.
      Vec3 relative = link.sign * (link.y.angular - y_parent.angular);
      if constexpr (kWithBias) {
        const Vec3 w_A = node.child_is_b ? link.w - ball.w_rel : link.w;
        relative -= cross(w_A, ball.w_rel);
      }
      put(transpose_times(ball.fa, relative), rates + node.v);
      break;
    }
    case Mobility::other: {
      const Freedoms<Real>& freedoms = others_[static_cast<std::size_t>(link.slot)].freedoms;
      const Vec3 along = freedoms.rates(v);
      link.y = v;
      freedoms.move(along, link.y);
      for (int k = 0; k < freedoms.count; ++k) rates[node.v + k] = along[k];
      break;
    }
    case Mobility::compound: {
      link.y = v;
      compounds_[static_cast<std::size_t>(link.slot)].freedoms.down(link.y, rates + node.v);
      break;
    }
    case Mobility::free:
      link.y = frees_[static_cast<std::size_t>(link.slot)].inverse * link.f;
      put(link.y.linear, rates + node.v);
      put(link.y.angular, rates + node.v + 3);
      break;
  }
}

template <class Real>
void ReducedSystemT<Real>::load(std::span<const BodyVector> f) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    link.f = Spatial{} - link.p;
    if (!f.empty()) link.f += lift(link, f[model_->nodes()[i].body]);
  }
}

// Gravity is an acceleration of the ground upwards (links.y is then relative to free fall).
template <class Real>
template <bool kFactor>
void ReducedSystemT<Real>::sweep(const Real* tau, std::span<const BodyVector> f, const Vec3& gravity, Real* vdot) {
  load(f);
  const std::vector<ReducedNode>& nodes = model_->nodes();
  for (std::size_t i = links_.size(); i-- > 0;) {
    if constexpr (kFactor) eliminate(links_[i]);
    up<true>(nodes[i], links_[i], tau);
  }
  const Spatial ground{-gravity, {}};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    down<true>(nodes[i], link, link.parent >= 0 ? links_[static_cast<std::size_t>(link.parent)].y : ground, vdot);
    if (link.mobility == Mobility::free)
      for (int k = 0; k < 3; ++k) vdot[nodes[i].v + k] += gravity[k];
  }
}

template <class Real>
void ReducedSystemT<Real>::answer(std::span<const BodyVector> p, Real* dv) {
  const std::vector<ReducedNode>& nodes = model_->nodes();
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].f = lift(links_[i], p[nodes[i].body]);
  for (std::size_t i = links_.size(); i-- > 0;) up<false>(nodes[i], links_[i], nullptr);
  const Spatial ground{};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    down<false>(nodes[i], link, link.parent >= 0 ? links_[static_cast<std::size_t>(link.parent)].y : ground, dv);
  }
}

// ------------------------------------------------------------------------------------------------------------- compliance

template <class Real>
void ReducedSystemT<Real>::pass(const Link& link, Spatial& x) const {
  x = motion_at(x, link.d);
  switch (link.mobility) {
    case Mobility::hinge: link.hinge.pass(x); break;
    case Mobility::ball: {
      const Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) ball.freedoms.pass(x);
      else BallFreedom<Real>::pass(link.D, x);
      break;
    }
    case Mobility::other: others_[static_cast<std::size_t>(link.slot)].freedoms.pass(x); break;
    case Mobility::compound: compounds_[static_cast<std::size_t>(link.slot)].freedoms.pass(x); break;
    case Mobility::free: x = {}; break;
  }
}

template <class Real>
void ReducedSystemT<Real>::pass(const Link& link, Sym6& Y) const {
  if (link.mobility == Mobility::free) {
    Y = frees_[static_cast<std::size_t>(link.slot)].inverse;
    return;
  }
  Y = compliance_at(Y, link.d);
  if (link.mobility == Mobility::hinge) link.hinge.pass(Y);
  else if (link.mobility == Mobility::other) others_[static_cast<std::size_t>(link.slot)].freedoms.pass(Y);
  else if (link.mobility == Mobility::compound) compounds_[static_cast<std::size_t>(link.slot)].freedoms.pass(Y);
  else if (balls_[static_cast<std::size_t>(link.slot)].heavy)
    balls_[static_cast<std::size_t>(link.slot)].freedoms.pass(Y);
  else BallFreedom<Real>::pass(link.D, Y);
}

template <class Real>
void ReducedSystemT<Real>::halve(int node, Spatial& x, Real* z, Real* Ez) const {
  const Link& link = links_[static_cast<std::size_t>(node)];
  switch (link.mobility) {
    case Mobility::hinge: link.hinge.halve(x, *z, *Ez); break;
    case Mobility::ball: {
      const Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) {
        ball.freedoms.halve(x, z, Ez);
        break;
      }
      put(x.angular, z);
      put(link.D.C * x.angular, Ez);
      x = {x.linear - link.D.B * x.angular, {}};
      break;
    }
    case Mobility::other: others_[static_cast<std::size_t>(link.slot)].freedoms.halve(x, z, Ez); break;
    case Mobility::compound: compounds_[static_cast<std::size_t>(link.slot)].freedoms.halve(x, z, Ez); break;
    case Mobility::free: {
      const Spatial y = frees_[static_cast<std::size_t>(link.slot)].inverse * x;
      put(x.linear, z);
      put(x.angular, z + 3);
      put(y.linear, Ez);
      put(y.angular, Ez + 3);
      return;
    }
  }
  x = force_from(x, link.d);
}

}  // namespace catena
