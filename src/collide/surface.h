// Triangle meshes that bound no convex solid: each triangle pushes out of its front, and the seams between triangles are not felt.
#pragma once

#include "catena/collide/broad_phase.h"
#include "catena/collide/narrow_phase.h"

namespace catena {

struct Surface {
  explicit Surface(const Mesh& mesh);

  // What lies across an edge of a triangle.
  struct Seam {
    Vec3 neighbour_normal{};
    bool open = false;  // no neighbour
  };
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // those with an area
  std::vector<Vec3> normals;
  std::vector<std::array<Seam, 3>> seams;  // of the edges from corner k to k + 1
  TriangleTree tree;

  // Placed.
  Mat3 R = Mat3::identity();
  Vec3 centre{};
  double scale = 1;
  double reach_1 = 0;  // at scale 1

  double reach() const { return scale * reach_1; }
  Vec3 to_world(const Vec3& p) const { return centre + scale * (R * p); }
};

Aabb bounds(const Surface& surface, double margin);

struct SurfacePoint {
  Vec3 position{}, normal{};
  double gap = 0;
  std::uint64_t feature = 0;
};

class SurfacePhase {
 public:
  // The shape as A against the surface as B.
  void collide(Convex& A, Surface& B, double margin, std::vector<SurfacePoint>& out);
  void collide(Surface& A, Surface& B, double margin, std::vector<SurfacePoint>& out);
  void collide_plane(const Surface& A, const Vec3& n, double offset, double margin, std::vector<SurfacePoint>& out);

 private:
  void collide_triangle(Convex& A, const Surface& B, int t, double margin, std::uint64_t feature);
  void emit(double same, std::vector<SurfacePoint>& out);

  NarrowPhase narrow_;
  ManifoldBuilder builder_;
  Manifold manifold_;
  Convex triangle_a_, triangle_b_;
  std::vector<int> near_a_, near_b_;
  std::vector<SurfacePoint> found_;
  std::vector<std::uint64_t> features_;
};

}  // namespace catena
