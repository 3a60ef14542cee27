#include "catena/model/convex_hull.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>
#include <random>
#include <set>

namespace catena {
namespace convex_hull_test {

std::size_t count_corners(const std::vector<std::array<int, 3>>& triangles) {
  std::set<int> corners;
  for (const auto& t : triangles) corners.insert(t.begin(), t.end());
  return corners.size();
}

TEST(ConvexHull, OfRandomPointsIsClosedAndHoldsThemAll) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points(300);
  for (Vec3& p : points) p = {normal(random), 2 * normal(random), 0.1 * normal(random)};
  const auto triangles = convex_hull(points);
  ASSERT_FALSE(triangles.empty());
  std::map<std::pair<int, int>, int> edges;
  for (const auto& t : triangles) {
    for (int e = 0; e < 3; ++e) ++edges[{t[e], t[(e + 1) % 3]}];
    const Vec3 n = normalized(cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]));
    for (const Vec3& p : points) EXPECT_LE(dot(n, p - points[t[0]]), 1e-8);
  }
  for (const auto& [edge, count] : edges) {  // every edge once each way
    EXPECT_EQ(count, 1);
    EXPECT_EQ((edges[{edge.second, edge.first}]), 1);
  }
}

// A tessellated solid has thousands of corners, many of them in common planes and each of them several times.
TEST(ConvexHull, OfAFineCylinderIsClosedAndKeepsToItsTolerance) {
  std::vector<Vec3> points;
  constexpr std::size_t kAround = 100;
  for (int copy = 0; copy < 3; ++copy)
    for (int ring = 0; ring <= 8; ++ring)
      for (std::size_t k = 0; k < kAround; ++k) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kAround;
        points.push_back({std::cos(angle), std::sin(angle), 0.25 * ring});
      }
  const double size = std::sqrt(12.0);
  for (const double flat : {1e-10, 1e-3}) {
    const auto triangles = convex_hull(points, flat);
    std::map<std::pair<int, int>, int> edges;
    for (const auto& t : triangles) {
      for (int e = 0; e < 3; ++e) ++edges[{t[e], t[(e + 1) % 3]}];
      const Vec3 n = cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]);
      if (norm(n) < 1e-9) continue;
      for (const Vec3& p : points) EXPECT_LE(dot(normalized(n), p - points[t[0]]), (flat + 1e-9) * size);
    }
    for (const auto& [edge, count] : edges) EXPECT_EQ((edges[{edge.second, edge.first}]), count);
    // All corners of the two rims; with the coarse tolerance, 3.5 mm, every other one will do: they stick out by 2 mm.
    if (flat == 1e-3) {
      EXPECT_LT(count_corners(triangles), 2 * kAround);
    } else {
      EXPECT_GE(count_corners(triangles), 2 * kAround);
    }
  }
}

TEST(ConvexHull, OfPointsInAPlaneOrALineIsEmpty) {
  EXPECT_TRUE(convex_hull({}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 1}, {1, 0, 1}, {2, 1, 1}, {3, 5, 1}, {1, 1, 1}}).empty());
  EXPECT_TRUE(convex_hull({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).empty());
}

}  // namespace convex_hull_test
}  // namespace catena
