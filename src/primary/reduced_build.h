// What is constant of articulated bodies, for any scalar (reduced_system.h).
#pragma once

#include "catena/primary/reduced_system.h"

namespace catena {

// The inertia of a body about its centre of mass in body axes, with ones where its kind has none.
inline Sym3 whole_inertia(const Body& body) {
  if (body.kind == BodyKind::particle) return Sym3::diagonal(1, 1, 1);
  if (body.kind == BodyKind::planar) return Sym3::diagonal(1, 1, body.inertia.zz);
  return body.inertia;
}

template <class Real>
ReducedSystemT<Real>::ReducedSystemT(const ReducedModel& model)
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
    const catena::Vec3& c = node.com;
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

}  // namespace catena
