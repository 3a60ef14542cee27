// From an axis between two convex shapes to all the points in which they touch.
#pragma once

#include <cstdint>
#include <vector>

#include "catena/collide/axis.h"

namespace catena {

// At most so many points are kept of one pair of convex shapes.
inline constexpr std::size_t kMaxPoints = 8;

struct ManifoldPoint {
  Vec3 position{};  // half way between the surfaces
  double gap = 0;
  std::uint32_t feature = 0;
};

struct Manifold {
  Vec3 normal{};  // from B to A
  std::vector<ManifoldPoint> points;
};

// What a feature is made of, in the upper bits of its number.
inline constexpr std::uint32_t kVertexOfA = 1u << 28, kVertexOfB = 2u << 28, kEdges = 3u << 28, kClosest = 4u << 28;

// The part of a shape that lies farthest in one direction: a vertex, a segment or a face.
struct Feature {
  struct Corner {
    Vec3 p;
    int id;    // of the vertex in its shape
    int edge;  // of the edge that leaves it, for naming points on it
  };
  std::vector<Corner> corners;
  Vec3 normal{};  // of a face, outward
};

// The face (polyhedra), the whole core (points, segments), the cap or the line on the side (cylinders) that faces `d`, a unit vector.
void feature_toward(const Convex& shape, const Vec3& d, Feature& out);

class ManifoldBuilder {
 public:
  // Points with gaps up to `margin`, each a local minimum of the distance or a corner of the region where the shapes face each other.
  void build(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out);

 private:
  void clip_to_face(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out);
  bool pass_each_other(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out);

  Feature reference_, incident_;
  std::vector<Feature::Corner> outline_, spare_;
};

// Drops points that coincide, and beyond kMaxPoints all but a well-spread choice that holds the deepest. Gives features that occur
// twice different numbers.
void tidy(double same, Manifold& manifold);

}  // namespace catena
