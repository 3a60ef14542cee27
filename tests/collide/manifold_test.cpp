// Whole manifolds in one call, and what keeps them still.
#include <set>

#include "collide/collide_testing.h"

namespace catena::testing {
namespace manifold_test {

constexpr double kRounding = 1e-14;

std::set<std::uint64_t> features(const std::vector<Contact>& contacts) {
  std::set<std::uint64_t> out;
  for (const Contact& c : contacts) out.insert(c.feature);
  return out;
}

TEST(Manifold, ABoxOnAPlaneHasItsFourCornersAtOnce) {
  const auto c = contacts_on_plane(Box{{2, 1, 0.5}}, {{1, 2, 0.249}});
  ASSERT_EQ(c.size(), 4u);
  for (const double x : {0.0, 2.0}) {
    for (const double y : {1.5, 2.5}) EXPECT_TRUE(has_point(c, {x, y, -0.0005}, kRounding));
  }
  for (const Contact& p : c) {
    EXPECT_NEAR(p.gap, -0.001, kRounding);
    EXPECT_EQ(p.normal, (Vec3{0, 0, 1}));
    EXPECT_EQ(p.b, kGround);
  }
  EXPECT_EQ(features(c).size(), 4u);
}

TEST(Manifold, ABoxOnABoxTouchesInTheCornersOfTheOverlap) {
  // Overlap in x from 0 to 1 and in y from −0.25 to 0.25.
  const auto c = contacts_between(Box{{2, 0.5, 1}}, {{1, 0, 0.999}}, Box{{2, 2, 1}}, {});
  ASSERT_EQ(c.size(), 4u);
  for (const double x : {0.0, 1.0}) {
    for (const double y : {-0.25, 0.25}) EXPECT_TRUE(has_point(c, {x, y, 0.4995}, kRounding));
  }
  EXPECT_EQ(features(c).size(), 4u);
}

// A box above another, leaning over its corner: the nearest features are edges, outside of which its lowest corner hangs. It will come down on the four
// corners of the region where the faces look at each other, and they are there. A lean of 0.05 moves them by 0.05 half diagonals across.
TEST(Manifold, ALeaningBoxHasTheCornersItWillComeDownOn) {
  const double lean = 0.05, across = lean * std::sqrt(0.5);
  const Quat leaning = exp_rotation((lean / std::sqrt(2.0)) * Vec3{1, 1, 0});
  const auto c = contacts_between(Box{{1, 1, 1}}, {{0.2, -0.2, 1.06}, leaning}, Box{{1, 1, 1}}, {}, 0.2);
  for (const double x : {-0.3, 0.5}) {
    for (const double y : {-0.5, 0.3}) {
      EXPECT_TRUE(
          std::any_of(c.begin(), c.end(),
                      [&](const Contact& p) { return std::hypot(p.position.x - x, p.position.y - y) <= across; }))
          << x << ' ' << y;
    }
  }
  // Gaps are those between the two surfaces at the point.
  for (const Contact& p : c) EXPECT_NEAR(dot(p.normal, p.on_a() - p.on_b()), p.gap, kRounding);
  EXPECT_EQ(features(c).size(), c.size());
}

TEST(Manifold, EqualBoxesExactlyAboveEachOtherTouchInFourCorners) {
  const auto c = contacts_between(Box{{1, 1, 1}}, {{0, 0, 1}}, Box{{1, 1, 1}}, {});
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(features(c).size(), 4u);
}

TEST(Manifold, ABoxTurnedByAnEighthTouchesInAnOctagon) {
  const Quat turned = exp_rotation(Vec3{0, 0, 0.78539816339744831});
  const auto c = contacts_between(Box{{1, 1, 1}}, {{0, 0, 1}, turned}, Box{{1, 1, 1}}, {});
  EXPECT_EQ(c.size(), 8u);
}

TEST(Manifold, AHullShapedLikeABoxTouchesLikeTheBox) {
  Hull hull;
  for (int i = 0; i < 8; ++i) hull.points.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5});
  const Pose pose{{0.2, 0.1, 0.999}, exp_rotation(Vec3{0, 0, 0.3})};
  const auto box = contacts_between(Box{{1, 1, 1}}, pose, Box{{1, 1, 1}}, {});
  const auto hulls = contacts_between(hull, pose, hull, {});
  ASSERT_EQ(box.size(), hulls.size());
  for (const Contact& p : box) EXPECT_TRUE(has_point(hulls, p.position, kRounding));
}

TEST(Manifold, ACylinderStandsOnEightPointsOfItsRim) {
  for (const double turn : {0.0, 0.3}) {
    const Quat q = exp_rotation(Vec3{0, 0, turn});
    const auto c = contacts_on_plane(Cylinder{0.5, 2}, {{1, 0, 0.999}, q});
    ASSERT_EQ(c.size(), 8u);
    for (int k = 0; k < 8; ++k) {
      const double angle = turn + k * 0.78539816339744831;
      EXPECT_TRUE(has_point(c, {1 + 0.5 * std::cos(angle), 0.5 * std::sin(angle), -0.0005}, 1e-14));
    }
  }
}

TEST(Manifold, ACylinderStandsOnABoxAsOnAPlane) {
  const auto c = contacts_between(Cylinder{0.5, 2}, {{0, 0, 1.999}}, Box{{4, 4, 2}}, {});
  ASSERT_EQ(c.size(), 8u);
  for (const Contact& p : c) EXPECT_NEAR(p.gap, -0.001, 1e-12);
}

TEST(Manifold, ACylinderLiesOnTwoPoints) {
  const auto plane = contacts_on_plane(Cylinder{0.5, 2}, {{0, 0, 0.499}, kQuarterAboutY});
  ASSERT_EQ(plane.size(), 2u);
  for (const double x : {-1.0, 1.0}) EXPECT_TRUE(has_point(plane, {x, 0, -0.0005}, kRounding));
  const auto box = contacts_between(Cylinder{0.5, 2}, {{0, 0, 1.499}, kQuarterAboutY}, Box{{4, 4, 2}}, {});
  ASSERT_EQ(box.size(), 2u);
  for (const double x : {-1.0, 1.0}) EXPECT_TRUE(has_point(box, {x, 0, 0.9995}, 1e-12));
}

TEST(Manifold, ACylinderOnItsRimHasItsDeepestPoint) {
  // Tilted by 0.5: the lowest point of the lower rim is at −(R sin + L/2 cos).
  const double tilt = 0.5, low = 0.5 * std::sin(tilt) + 1 * std::cos(tilt);
  const auto c = contacts_on_plane(Cylinder{0.5, 2}, {{0, 0, low - 0.002}, exp_rotation(Vec3{0, tilt, 0})});
  ASSERT_GE(c.size(), 1u);
  EXPECT_NEAR(least_gap(c), -0.002, kRounding);
}

TEST(Manifold, CylindersSideBySideTouchAlongALine) {
  const auto c = contacts_between(Cylinder{0.5, 2}, {{0, 0.999, 0.5}}, Cylinder{0.5, 2}, {});
  ASSERT_EQ(c.size(), 2u);
  for (const double z : {-0.5, 1.0}) EXPECT_TRUE(has_point(c, {0, 0.4995, z}, 1e-9));
}

TEST(Manifold, ACylinderOnACylinderStandsOnTheSmallerRim) {
  const auto c = contacts_between(Cylinder{0.25, 1}, {{0.1, 0, 0.999}}, Cylinder{0.5, 1}, {});
  ASSERT_EQ(c.size(), 8u);
  for (const Contact& p : c) EXPECT_NEAR(p.gap, -0.001, 1e-12);
}

// A body at rest trembles by rounding and solver residuals, some 1e-9 m; its contacts must not jump.
TEST(Manifold, PointsOfABodyAtRestStayWhenItTrembles) {
  std::mt19937 rng(3);
  const std::vector<World> resting = {
      World{}.body(Box{{1, 1, 1}}, {{0, 0, 0.5}}).ground(Plane{{0, 0, 1}, 0}),
      World{}.body(Box{{1, 1, 1}}, {{0, 0, 1}}).body(Box{{1, 1, 1}}, {}),
      World{}.body(Box{{1, 1, 1}}, {{0.5, 0, 1}}).body(Box{{1, 1, 1}}, {}),
      World{}.body(Box{{1, 1, 1}}, {{0, 0, 1}, exp_rotation(Vec3{0, 0, 0.78539816339744831})}).body(Box{{1, 1, 1}}, {}),
      World{}.body(Capsule{0.5, 1}, {{0, 0, 0.5}, kQuarterAboutY}).ground(Plane{{0, 0, 1}, 0}),
      World{}.body(Capsule{0.5, 1}, {{0, 0, 1}, kQuarterAboutY}).body(Box{{3, 3, 1}}, {}),
      World{}.body(Cylinder{0.5, 1}, {{0, 0, 0.5}}).ground(Plane{{0, 0, 1}, 0}),
      World{}.body(Cylinder{0.5, 1}, {{0, 0, 1}}).body(Box{{3, 3, 1}}, {}),
      World{}.body(Cylinder{0.5, 1}, {{0, 0, 1}, kQuarterAboutY}).body(Box{{3, 3, 1}}, {}),
      World{}.body(Cylinder{0.5, 1}, {{0, 0, 1}}).body(Cylinder{0.5, 1}, {})};
  for (std::size_t w = 0; w < resting.size(); ++w) {
    const auto still = resting[w].contacts();
    for (int k = 0; k < 50; ++k) {
      World moved = resting[w];
      moved.state.bodies[0].position += random_vector(rng, 1e-9);
      moved.state.bodies[0].orientation =
          normalized(exp_rotation(random_vector(rng, 1e-9)) * moved.state.bodies[0].orientation);
      const auto now = moved.contacts();
      ASSERT_EQ(still.size(), now.size()) << "world " << w << ", case " << k;
      for (std::size_t i = 0; i < now.size(); ++i) {
        EXPECT_EQ(still[i].feature, now[i].feature) << "world " << w << ", point " << i;
        EXPECT_LE(norm(still[i].position - now[i].position), 1e-6) << "world " << w << ", point " << i;
        EXPECT_LE(norm(still[i].normal - now[i].normal), 1e-6) << "world " << w << ", point " << i;
        EXPECT_LE(std::abs(still[i].gap - now[i].gap), 1e-8) << "world " << w << ", point " << i;
      }
    }
  }
}

}  // namespace manifold_test
}  // namespace catena::testing
