// Two convex shapes -> the points in which they touch. No memory of earlier calls: the same placements give the same bits.
#pragma once

#include "catena/collide/manifold.h"

namespace catena {

class NarrowPhase {
 public:
  // Every contact with a gap up to `margin`. Both shapes are placed; their edges are placed when they are needed.
  void collide(Convex& A, Convex& B, double margin, Manifold& out);
  // Of the last pair, where the nearest features are not faces but faces lie nearly as near: the corners of the region where those face each
  // other. They touch next when the bodies come together or rock, and have a normal of their own.
  const Manifold& facing() const { return facing_; }

  // The shape as A against the half-space n·x <= offset as B.
  void collide_plane(const Convex& A, const Vec3& n, double offset, double margin, Manifold& out);

 private:
  void touch(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out);
  void collide_general(Convex& A, Convex& B, double margin, Manifold& out);
  void find_facing(const Convex& A, const Convex& B, const Axis& axis, double margin, const Manifold& out);

  ManifoldBuilder builder_;
  Manifold facing_;
  Feature feature_;
};

// The axis from the core of B to a point; closed forms.
Axis point_axis(const Vec3& p, const Convex& B);

// Segments against each other; closed form. Where they cross, the axis is normal to both.
Axis segment_axis(const Convex& A, const Convex& B);

}  // namespace catena
