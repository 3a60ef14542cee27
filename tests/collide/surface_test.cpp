// Meshes that bound no convex solid, triangle by triangle, against the solids their faces are of.
#include "catena/collide/surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "collide/convex_testing.h"

namespace catena {
namespace surface_test {

using namespace catena::testing;

// A valley of two planes that meet along y at 30 degrees each: not convex from above.
Mesh valley() {
  Mesh mesh;
  const double rise = 2 * std::tan(std::acos(-1.0) / 6);
  mesh.vertices = {{-2, -2, rise}, {0, -2, 0}, {2, -2, rise}, {-2, 2, rise}, {0, 2, 0}, {2, 2, rise}};
  mesh.triangles = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}};
  return mesh;
}

TEST(Surface, the_normals_of_its_triangles_are_unit_and_its_seams_know_what_lies_across) {
  const Surface surface(valley());
  ASSERT_EQ(surface.triangles.size(), 4U);
  int open = 0, inner = 0;
  for (std::size_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(norm(surface.normals[t]), 1, 1e-15);
    EXPECT_NEAR(surface.normals[t].z, std::cos(std::acos(-1.0) / 6), 1e-15);
    for (int k = 0; k < 3; ++k) {
      const Surface::Seam& seam = surface.seams[t][static_cast<std::size_t>(k)];
      (seam.open ? open : inner) += 1;
      if (!seam.open) {
        EXPECT_NEAR(norm(seam.neighbour_normal), 1, 1e-15);
      }
    }
  }
  EXPECT_EQ(open, 6);
  EXPECT_EQ(inner, 6) << "three edges, each seen from both sides";
}

// A ball in the valley touches both slopes, at r from its centre.
TEST(Surface, a_ball_in_a_valley_touches_both_slopes_where_they_are_nearest) {
  std::mt19937 rng(20);
  const double r = 0.3, up = r / std::cos(std::acos(-1.0) / 6);
  for (const double gap : {-0.004, 0.003}) {
    Convex ball = placed(Sphere{r}, {{0, 0.37, up + gap / std::cos(std::acos(-1.0) / 6)}, random_rotation(rng)});
    Surface surface(valley());
    SurfacePhase phase;
    std::vector<SurfacePoint> out;
    phase.collide(ball, surface, 0.01, out);
    ASSERT_EQ(out.size(), 2U);
    EXPECT_LT(out[0].normal.x * out[1].normal.x, 0);
    for (const SurfacePoint& point : out) {
      EXPECT_NEAR(point.gap, gap, 1e-12);
      EXPECT_NEAR(std::abs(point.normal.x), 0.5, 1e-12);
      EXPECT_NEAR(norm(point.position - ball.centre), r + gap / 2, 1e-12) << "half way between the surfaces";
    }
  }
}

// A flat field cut in many triangles: a box that lies on it is carried as by the plane, and no seam pushes sideways.
TEST(Surface, seams_between_triangles_of_one_plane_are_not_felt) {
  Mesh mesh;
  constexpr int n = 6;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) mesh.vertices.push_back({0.3 * i - 0.9, 0.3 * j - 0.9, 0});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  std::mt19937 rng(21);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 tilt = 0.02 * random_vector(rng);
    const Quat turn = normalized(exp_rotation(Vec3{tilt.x, tilt.y, 3 * random_vector(rng).z}));
    Convex box = placed(Box{{0.5, 0.4, 0.2}}, {{0.05 * trial - 0.4, 0.1, 0.1}, turn});
    const double lowest = dot(support(box, {0, 0, -1}), Vec3{0, 0, 1});
    Surface surface(mesh);
    SurfacePhase phase;
    std::vector<SurfacePoint> out;
    phase.collide(box, surface, 0.005, out);
    double least = 1e300;
    for (const SurfacePoint& point : out) {
      EXPECT_NEAR(point.normal.z, 1, 1e-9);
      least = std::min(least, point.gap);
    }
    if (lowest > 0.0049) continue;
    ASSERT_FALSE(out.empty());
    EXPECT_NEAR(least, lowest, 1e-9);
  }
}

}  // namespace surface_test
}  // namespace catena
