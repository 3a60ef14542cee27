#include "catena/model/convex_hull.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace catena {
namespace {

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

TEST(ConvexHull, OfPointsInAPlaneOrALineIsEmpty) {
  EXPECT_TRUE(convex_hull({}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).empty());
  EXPECT_TRUE(convex_hull({{0, 0, 1}, {1, 0, 1}, {2, 1, 1}, {3, 5, 1}, {1, 1, 1}}).empty());
  EXPECT_TRUE(convex_hull({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).empty());
}

}  // namespace
}  // namespace catena
