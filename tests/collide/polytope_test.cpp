#include "catena/collide/polytope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "collide/convex_testing.h"

namespace catena {
namespace polytope_test {

using namespace catena::testing;

// Six times the volume that its faces enclose, seen from any point.
double volume6(const Polytope& p) {
  double sum = 0;
  for (const Polytope::Face& face : p.faces) {
    const auto corner = [&](int k) {
      return p.vertices[static_cast<std::size_t>(p.corners[static_cast<std::size_t>(face.first + k)])];
    };
    for (int k = 1; k + 1 < face.count; ++k) sum += dot(corner(0), cross(corner(k), corner(k + 1)));
  }
  return sum;
}

void expect_well_formed(const Polytope& p) {
  // Euler: V − E + F = 2.
  EXPECT_EQ(static_cast<int>(p.vertices.size()) - static_cast<int>(p.edges.size()) + static_cast<int>(p.faces.size()),
            2);
  std::map<std::pair<int, int>, int> sides;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const Polytope::Face& face = p.faces[f];
    EXPECT_NEAR(norm(face.normal), 1, 1e-14);
    const auto at = [&](int k) { return p.corners[static_cast<std::size_t>(face.first + k % face.count)]; };
    for (int k = 0; k < face.count; ++k) {
      EXPECT_TRUE((sides.emplace(std::pair(at(k), at(k + 1)), static_cast<int>(f)).second)) << "each side once";
      for (const Vec3& v : p.vertices)
        EXPECT_LE(dot(face.normal, v - p.vertices[static_cast<std::size_t>(at(k))]), 1e-9);
    }
  }
  for (const Polytope::Edge& edge : p.edges) {
    EXPECT_EQ(sides.at({edge.from, edge.to}), edge.left);
    EXPECT_EQ(sides.at({edge.to, edge.from}), edge.right);
  }
}

TEST(Polytope, the_hull_of_a_cloud_holds_all_its_points_and_its_faces_close) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 30; ++trial) {
    const std::vector<Vec3> points = cloud(rng, 4 + trial, 0.7);
    const Polytope hull = hull_polytope(points);
    expect_well_formed(hull);
    EXPECT_GT(volume6(hull), 0) << "faces are counter-clockwise from outside";
    for (const Polytope::Face& face : hull.faces)
      for (const Vec3& p : points)
        EXPECT_LE(dot(face.normal,
                      p - hull.vertices[static_cast<std::size_t>(hull.corners[static_cast<std::size_t>(face.first)])]),
                  1e-9);
  }
}

TEST(Polytope, triangles_in_one_plane_are_one_face_so_that_the_hull_of_a_boxs_corners_is_the_box) {
  std::mt19937 rng(12);
  const Vec3 sides{0.7, 0.5, 0.9};
  const Polytope box = box_polytope(sides);
  expect_well_formed(box);
  EXPECT_NEAR(volume6(box) / 6, sides.x * sides.y * sides.z, 1e-15);
  std::vector<Vec3> corners;
  const Quat turn = random_rotation(rng);
  for (const Vec3& v : box.vertices) corners.push_back(rotate(turn, v));
  corners.push_back(rotate(turn, Vec3{0.1, 0.1, 0.1}));   // inside
  corners.push_back(rotate(turn, Vec3{0.35, 0.1, 0.2}));  // on a face
  const Polytope hull = hull_polytope(corners);
  expect_well_formed(hull);
  EXPECT_EQ(hull.faces.size(), 6U);
  EXPECT_NEAR(volume6(hull) / 6, sides.x * sides.y * sides.z, 1e-14);
}

TEST(Polytope, points_in_one_plane_have_a_hull_of_two_faces_and_points_on_a_line_of_none) {
  std::mt19937 rng(13);
  const Quat turn = random_rotation(rng);
  std::vector<Vec3> flat, line;
  for (int i = 0; i < 12; ++i) {
    const Vec3 p = random_vector(rng);
    flat.push_back(rotate(turn, {p.x, p.y, 0.3}));
    line.push_back(rotate(turn, {p.x, 0.2, 0.3}));
  }
  const Polytope two = hull_polytope(flat);
  ASSERT_EQ(two.faces.size(), 2U);
  EXPECT_LE(norm(two.faces[0].normal + two.faces[1].normal), 1e-12);
  EXPECT_NEAR(std::abs(dot(two.faces[0].normal, rotate(turn, Vec3{0, 0, 1}))), 1, 1e-12);
  const Polytope none = hull_polytope(line);
  EXPECT_TRUE(none.faces.empty());
  ASSERT_EQ(none.vertices.size(), 2U);
  double farthest = 0;
  for (const Vec3& p : line)
    for (const Vec3& q : line) farthest = std::max(farthest, norm(p - q));
  EXPECT_NEAR(norm(none.vertices[0] - none.vertices[1]), farthest, 1e-14);
}

TEST(Polytope, a_closed_surface_bounds_a_convex_solid_only_without_a_dent_or_a_hole) {
  const Polytope box = box_polytope({0.7, 0.5, 0.9});
  std::vector<Vec3> vertices = box.vertices;
  std::vector<std::array<int, 3>> triangles;
  for (const Polytope::Face& face : box.faces)
    for (int k = 1; k + 1 < face.count; ++k) {
      const auto at = [&](int i) { return box.corners[static_cast<std::size_t>(face.first + i)]; };
      triangles.push_back({at(0), at(k), at(k + 1)});
    }
  EXPECT_TRUE(bounds_convex_solid(vertices, triangles));
  auto open = triangles;
  open.pop_back();
  EXPECT_FALSE(bounds_convex_solid(vertices, open));
  // A vertex in the middle of a face, pushed inward.
  auto dented = triangles;
  const std::array<int, 3> last = dented.back();
  dented.pop_back();
  const Vec3 middle = (vertices[static_cast<std::size_t>(last[0])] + vertices[static_cast<std::size_t>(last[1])] +
                       vertices[static_cast<std::size_t>(last[2])]) /
                      3;
  vertices.push_back(0.8 * middle);
  const int dent = static_cast<int>(vertices.size()) - 1;
  for (int k = 0; k < 3; ++k)
    dented.push_back({last[static_cast<std::size_t>(k)], last[static_cast<std::size_t>((k + 1) % 3)], dent});
  EXPECT_FALSE(bounds_convex_solid(vertices, dented));
}

}  // namespace polytope_test
}  // namespace catena
