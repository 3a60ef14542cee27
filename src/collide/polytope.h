// Convex polyhedra with their faces and edges: boxes, hulls and single triangles.
#pragma once

#include <array>
#include <vector>

#include "catena/math/vec3.h"

namespace catena {

struct Polytope {
  struct Face {
    int first, count;  // its corners, corners[first … first + count), counter-clockwise from outside
    Vec3 normal;       // unit, outward
  };
  struct Edge {
    int from, to;     // vertices, in the order in which `left` goes round
    int left, right;  // the faces it parts
  };
  std::vector<Vec3> vertices;
  std::vector<int> corners;
  std::vector<Face> faces;
  std::vector<Edge> edges;
};

Polytope box_polytope(const Vec3& sides);

// The convex hull, neighbouring triangles in one plane (to 1e-9 of the hull's size) joined to one face. Points in one plane give their
// flat hull with two faces; fewer than three points, or points on a line, give the one or two farthest apart, without faces.
Polytope hull_polytope(const std::vector<Vec3>& points);

// A surface that bounds a convex solid: closed, and no vertex outside of any of its triangles.
bool bounds_convex_solid(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles);

// The two sides of the triangle p: faces 0 (counter-clockwise) and 1. Writes into `out`, whose memory is used again.
void make_triangle(const std::array<Vec3, 3>& p, Polytope& out);

}  // namespace catena
