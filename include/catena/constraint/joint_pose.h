// A joint between two placed bodies: the points and axes its rows are made of.
#pragma once

#include <span>

#include "catena/constraint/rows.h"

namespace catena {

// What a joint kind needs to know of a Joint, frames as matrices. Filled once, from the Model.
struct JointGeometry {
  Vec3 anchor_a, anchor_b;
  Mat3 frame_a, frame_b;  // body coordinates; column 2 is the axis
  double parameter = 0;
  bool disc = false;
  std::span<const Freedom> freedoms{};      // of the Joint, which must stay
  const JointSurfaces* surfaces = nullptr;  // the same
};

inline JointGeometry geometry_of(const Joint& joint) {
  return {joint.anchor_a,  joint.anchor_b, to_matrix(joint.frame_a), to_matrix(joint.frame_b),
          joint.parameter, joint.disc,     joint.freedoms,           joint.surfaces.get()};
}

struct JointPose {
  const JointGeometry& geometry;
  const Placement& A;
  const Placement& B;
  AttachedPoint pa, pb;           // the anchors
  Mat3 fa, fb;                    // the frames in the world
  Vec3 w_rel;                     // angular velocity of B relative to A
  const double* guess = nullptr;  // compound: coordinates to look for the present ones from; none: their start

  JointPose(const JointGeometry& g, const Placement& a, const Placement& b)
      : geometry(g),
        A(a),
        B(b),
        pa(attach(a, g.anchor_a)),
        pb(attach(b, g.anchor_b)),
        fa(a.R * g.frame_a),
        fb(b.R * g.frame_b),
        w_rel(b.w - a.w) {}

  Vec3 axis_a() const { return fa.column(2); }
  Vec3 axis_b() const { return fb.column(2); }
  Vec3 gap() const { return pb.p - pa.p; }
  Vec3 v_rel() const { return pb.v - pa.v; }
  Vec3 bias_rel() const { return pb.bias - pa.bias; }
};

}  // namespace catena
