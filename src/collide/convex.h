// A convex shape placed in the world: a core (point, segment, polyhedron or cylinder) with a ball of some radius swept over it.
//
// A sphere is a point with a radius, a capsule a segment with one. Distances between such shapes are distances between their cores less
// the radii, and penetration depths the cores' plus the radii, so that round shapes cost no accuracy.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catena/collide/polytope.h"
#include "catena/model/shape.h"

namespace catena {

enum class Core { point, segment, polytope, cylinder };

// Corners in the rim of a cylinder's cap where its contacts are: fixed in the body, at multiples of 45 degrees.
inline constexpr int kRimPoints = 8;

// Which sides of a shape push.
struct Sides {
  bool one_sided = false;  // a triangle of a surface: its second face does not
  bool planar = false;     // of a planar body: in the x-y plane only, so faces that look along z do not count
};

struct CylinderSize {
  double rim = 0, half_length = 0;
};

struct Convex {
  Core core = Core::point;
  Polytope local{};     // in shape coordinates at scale 1; no vertices for a cylinder
  bool is_box = false;  // `local` is that of box_polytope()
  Sides sides{};
  struct Sizes {  // at scale 1
    double radius = 0;
    CylinderSize cylinder{};
    // Around `local`, by measure(): a box in shape coordinates, and the distance of the farthest vertex.
    Vec3 box_centre{}, box_half{};
    double reach = 0;
  } at_1{};

  // Placed by place_frame().
  Vec3 centre{};
  Mat3 R = Mat3::identity();
  double scale = 1;
  double radius = 0;  // of the ball
  CylinderSize cylinder{};
  double reach = 0;  // nothing of the shape is farther from `centre`

  // Placed by place_points(), after place_frame().
  std::vector<Vec3> vertices{}, normals{};
  bool points_placed = false;

  // Placed by place_edges(): the direction of an edge, and the directions from it into the faces it parts.
  struct EdgeFrame {
    Vec3 along, into_left, into_right;
  };
  struct Edges {
    std::vector<EdgeFrame> frames;
    bool placed = false;
    std::vector<double> scratch;  // of a search over pairs of edges
  } edges{};
};

// Nothing for planes, and for meshes that are not convex.
std::optional<Convex> make_convex(const Geometry& geometry);
// What is around `local`, where somebody else has changed it.
void measure(Convex& shape);

// Puts the shape with its origin at x: enough for bounds(). What else a search needs of shapes that are near each other is placed when it is needed.
void place_frame(const Mat3& R, const Vec3& x, double scale, Convex& shape);
void place_points(Convex& shape);
// Puts its vertices where they are said to be: of a body that changes its form, R and x being those of the shape in its frame. Faces are taken for flat.
void place_deformed(const Mat3& R, const Vec3& x, std::span<const Vec3> vertices, Convex& shape);
void place_edges(Convex& shape);
inline void place(const Mat3& R, const Vec3& x, double scale, Convex& shape) {
  place_frame(R, x, scale, shape);
  place_points(shape);
}

// The point of the core farthest along d; d need not be a unit vector.
Vec3 support(const Convex& shape, const Vec3& d);

// min over A − max over B of n·x over the cores: how far the slab normal to n parts them. Never above their signed distance.
double separation(const Convex& A, const Convex& B, const Vec3& n);

// The k-th corner in the rim of a cylinder's cap; side −1 or +1 along its axis.
Vec3 rim_point(const Convex& cylinder, double side, int k);

struct Aabb {
  Vec3 low, high;
};
// Around a box in the axes of the shape, so that it costs the same however many vertices there are.
Aabb bounds(const Convex& shape, double margin);

inline bool overlap(const Aabb& a, const Aabb& b) {
  return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
         a.low.z <= b.high.z && b.low.z <= a.high.z;
}

}  // namespace catena
