// Articulated bodies: factor and sweeps. Where things are and how they move: reduced_kinematics.cpp.
#include "catena/primary/reduced_system.h"

#include <algorithm>

#include "catena/math/dispatch.h"
#include "catena/primary/coordinates.h"

namespace catena {
namespace {

// The inertia of a body about its centre of mass in body axes, with ones where its kind has none.
Sym3 whole_inertia(const Body& body) {
  if (body.kind == BodyKind::particle) return Sym3::diagonal(1, 1, 1);
  if (body.kind == BodyKind::planar) return Sym3::diagonal(1, 1, body.inertia.zz);
  return body.inertia;
}

}  // namespace

ReducedSystem::ReducedSystem(const ReducedModel& model)
    : model_(&model), poses_(model.nodes().size()), motions_(poses_.size()) {
  links_.reserve(model.nodes().size());
  for (const ReducedNode& node : model.nodes()) {
    const Body& body = model.model().bodies[node.body];
    Link link{};
    link.mobility = node.mobility;
    link.parent = node.parent;
    link.sign = node.child_is_b ? 1 : -1;
    link.mass = body.mass;
    link.c = node.com;
    const Vec3& c = node.com;
    const double m = body.mass, cc = dot(c, c);
    link.I = congruence(transpose(to_matrix(node.turn)), whole_inertia(body)) +
             Sym3{m * (cc - c.x * c.x), m * (cc - c.y * c.y), m * (cc - c.z * c.z),
                  -m * c.x * c.y,       -m * c.x * c.z,       -m * c.y * c.z};
    link.P = to_matrix(node.turn_parent);
    if (node.joint.valid()) {
      const Joint& joint = model.model().joints[node.joint];
      link.r = node.child_is_b ? joint.anchor_a : joint.anchor_b;
      if (node.parent >= 0) {
        const ReducedNode& parent = model.nodes()[static_cast<std::size_t>(node.parent)];
        link.r = rotate(parent.turn.conjugate(), link.r - parent.anchor);
      }
    }
    switch (node.mobility) {
      case Mobility::free:
        link.slot = static_cast<int>(frees_.size());
        frees_.emplace_back();
        break;
      case Mobility::ball:
        link.slot = static_cast<int>(balls_.size());
        balls_.emplace_back();
        break;
      case Mobility::other:
        link.slot = static_cast<int>(others_.size());
        others_.emplace_back();
        break;
      case Mobility::compound:
        link.slot = static_cast<int>(compounds_.size());
        compounds_.emplace_back();
        break;
      case Mobility::hinge: break;
    }
    links_.push_back(link);
  }
}

// ---------------------------------------------------------------------------------------------------------------- factor

void ReducedSystem::set_freedom_inertia(std::span<const double> a) {
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
        const bool heavy = own.x != 0 || own.y != 0 || own.z != 0;
        ball.freedoms.a = own;
        if (heavy && !ball.heavy) set_heavy_freedoms(node, link, ball);
        ball.heavy = heavy;
        break;
      }
      case Mobility::compound: {
        JointArray& along = compounds_[static_cast<std::size_t>(link.slot)].freedoms.a;
        for (int k = 0; k < node.count; ++k)
          along[static_cast<std::size_t>(k)] = a.empty() ? 0 : a[static_cast<std::size_t>(node.v + k)];
        break;
      }
      case Mobility::free: break;
    }
  }
}

// F along the axes the rates are measured in: of frame A, of the second body relative to the first.
void ReducedSystem::set_heavy_freedoms(const ReducedNode& node, const Link& link, Ball& ball) {
  ball.freedoms.count = 3;
  for (int k = 0; k < 3; ++k) ball.freedoms.F[static_cast<std::size_t>(k)] = {{}, link.sign * ball.fa.column(k)};
  const Vec3 w_A = node.child_is_b ? link.w - ball.w_rel : link.w;
  ball.turning = link.sign * cross(w_A, ball.w_rel);
}

CATENA_DISPATCH void ReducedSystem::factor() {
  for (std::size_t i = links_.size(); i-- > 0;) eliminate(links_[i]);
}

void ReducedSystem::eliminate(Link& link) {
  Link* const parent = link.parent >= 0 ? &links_[static_cast<std::size_t>(link.parent)] : nullptr;
  switch (link.mobility) {
    case Mobility::hinge: link.hinge.eliminate(link.D); break;
    case Mobility::ball: {
      Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) {
        ball.freedoms.eliminate(link.D);
        break;
      }
      BallFreedom<double>::eliminate(link.D);
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
template <bool kWithBias>
void ReducedSystem::up(const ReducedNode& node, Link& link, const double* tau) {
  Spatial to_parent;
  switch (link.mobility) {
    case Mobility::hinge:
      link.hinge.up(link.f, tau ? link.sign * tau[node.v] : 0);
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
      BallFreedom<double>::up(link.D, link.f);
      to_parent = {kWithBias ? link.f.linear - link.D.A * link.bias.linear : link.f.linear, -ball.tau};
      break;
    }
    case Mobility::other: {
      Freedoms<double>& freedoms = others_[static_cast<std::size_t>(link.slot)].freedoms;
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
template <bool kWithBias>
void ReducedSystem::down(const ReducedNode& node, Link& link, const Spatial& y_parent, double* rates) const {
  Spatial v = motion_at(y_parent, link.d);
  if constexpr (kWithBias) v += link.bias;
  switch (link.mobility) {
    case Mobility::hinge: {
      const double rate = link.hinge.rate(v);
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
      link.y = {v.linear, BallFreedom<double>::turn(link.D, link.f, v.linear)};
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
      const Freedoms<double>& freedoms = others_[static_cast<std::size_t>(link.slot)].freedoms;
      const Vec3 along = freedoms.rates(v);
      link.y = v;
      freedoms.move(along, link.y);
      for (int k = 0; k < freedoms.count; ++k) rates[node.v + k] = along[k];
      break;
    }
    case Mobility::compound: {
      const ManyFreedoms& freedoms = compounds_[static_cast<std::size_t>(link.slot)].freedoms;
      freedoms.rates(v, rates + node.v);
      link.y = v;
      freedoms.move(rates + node.v, link.y);
      break;
    }
    case Mobility::free:
      link.y = frees_[static_cast<std::size_t>(link.slot)].inverse * link.f;
      put(link.y.linear, rates + node.v);
      put(link.y.angular, rates + node.v + 3);
      break;
  }
}

void ReducedSystem::load(std::span<const BodyVector> f) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    link.f = Spatial{} - link.p;
    if (!f.empty()) link.f += lift(link, f[model_->nodes()[i].body]);
  }
}

// Gravity is an acceleration of the ground upwards (links.y is then relative to free fall).
template <bool kFactor>
void ReducedSystem::sweep(const double* tau, std::span<const BodyVector> f, const Vec3& gravity, double* vdot) {
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

CATENA_DISPATCH void ReducedSystem::accelerations(std::span<const double> tau, std::span<const BodyVector> f,
                                                  const Vec3& gravity, std::span<double> vdot) {
  sweep<false>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

CATENA_DISPATCH void ReducedSystem::forward(std::span<const double> tau, std::span<const BodyVector> f,
                                            const Vec3& gravity, std::span<double> vdot) {
  sweep<true>(tau.empty() ? nullptr : tau.data(), f, gravity, vdot.data());
}

CATENA_DISPATCH void ReducedSystem::respond(std::span<const BodyVector> p, std::span<double> dv) {
  const std::vector<ReducedNode>& nodes = model_->nodes();
  for (std::size_t i = 0; i < links_.size(); ++i) links_[i].f = lift(links_[i], p[nodes[i].body]);
  for (std::size_t i = links_.size(); i-- > 0;) up<false>(nodes[i], links_[i], nullptr);
  const Spatial ground{};
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    down<false>(nodes[i], link, link.parent >= 0 ? links_[static_cast<std::size_t>(link.parent)].y : ground, dv.data());
  }
}

// ------------------------------------------------------------------------------------------------------------- compliance

void ReducedSystem::pass(const Link& link, Spatial& x) const {
  x = motion_at(x, link.d);
  switch (link.mobility) {
    case Mobility::hinge: link.hinge.pass(x); break;
    case Mobility::ball: {
      const Ball& ball = balls_[static_cast<std::size_t>(link.slot)];
      if (ball.heavy) ball.freedoms.pass(x);
      else BallFreedom<double>::pass(link.D, x);
      break;
    }
    case Mobility::other: others_[static_cast<std::size_t>(link.slot)].freedoms.pass(x); break;
    case Mobility::compound: compounds_[static_cast<std::size_t>(link.slot)].freedoms.pass(x); break;
    case Mobility::free: x = {}; break;
  }
}

void ReducedSystem::pass(const Link& link, Sym6& Y) const {
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
  else BallFreedom<double>::pass(link.D, Y);
}

void ReducedSystem::halve(int node, Spatial& x, double* z, double* Ez) const {
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
