// The axis that parts two cores best: separating when they are apart, of least penetration when they are not.
#pragma once

#include <optional>

#include "catena/collide/convex.h"

namespace catena {

struct Axis {
  enum class Kind {
    face_a,  // normal to a face (or cap) of A
    face_b,
    general  // edge against edge, or whatever the closest points gave
  };
  Kind kind = Kind::general;
  int face = -1;        // of the polyhedron the kind names
  Vec3 normal{};        // unit, from B to A
  double gap = 0;       // of the cores along it
  Vec3 on_a{}, on_b{};  // general: the closest points of the cores
};

// Lengths nearer than this, relative to the shapes, are the same: far above what rounding and the tremble of a body at rest change, so
// that neither decides between two axes or points that are equally good.
inline constexpr double kSame = 1e-7;
inline double same_length(const Convex& A, const Convex& B) { return kSame * (A.reach + B.reach); }

// Separating axes of two boxes: three normals each, nine pairs of edges.
Axis box_axis(const Convex& A, const Convex& B, double limit);

// Separating axes of two polyhedra or segments: the normals of all faces, and the cross products of those edges that can touch. Exact
// when the cores penetrate; when they are apart and no face is nearest the gap is a lower bound. Ends early when the gap exceeds
// `limit`. Cost: O(faces · vertices + edges²).
Axis polytope_axis(Convex& A, Convex& B, double limit);

// Any cores: their closest points when they are apart (a gap above `limit` may be too large), a way out that is shortest among its
// neighbours when they are not.
Axis general_axis(const Convex& A, const Convex& B, double limit);

// The first half of it: nothing when the cores touch, or are so near that their closest points give no accurate normal.
std::optional<Axis> distance_axis(const Convex& A, const Convex& B, double limit);

// Calls take(unit vector) for the directions of a core's straight lines: edges, the sides of a cylinder.
template <class Take>
void for_each_line(const Convex& C, const Take& take) {
  if (C.core == Core::cylinder) take(C.R.column(2));
  for (const Polytope::Edge& e : C.local.edges) take(normalized(C.vertices[e.to] - C.vertices[e.from]));
}

// `axis` bettered for cylinders: directions that are exact where a flat or straight feature of a cylinder takes part.
Axis refined_axis(const Convex& A, const Convex& B, const Axis& axis);

struct ClosestPoints {
  Vec3 on_a, on_b;
};
// Of the segments from p to p + d and from q to q + e; parallel ones get the middle of where they pass each other.
ClosestPoints closest_of_segments(const Vec3& p, const Vec3& d, const Vec3& q, const Vec3& e);

}  // namespace catena
