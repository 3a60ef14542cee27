// Pairs whose contact can be written down. Numbers are short decimals of order one: a few roundings each, hence 1e-14.
#include "collide/collide_testing.h"

namespace catena::testing {
namespace closed_form_test {

constexpr double kRounding = 1e-14;

void expect_one(const std::vector<Contact>& contacts, double gap, const Vec3& normal, const Vec3& on_a,
                const Vec3& on_b, double tolerance = kRounding) {
  ASSERT_EQ(contacts.size(), 1u);
  const Contact& c = contacts[0];
  EXPECT_NEAR(c.gap, gap, tolerance);
  expect_near(c.normal, normal, tolerance);
  expect_near(c.on_a(), on_a, tolerance);
  expect_near(c.on_b(), on_b, tolerance);
}

TEST(ClosedForm, SpheresTouchOnTheLineOfTheirCentres) {
  expect_one(contacts_between(Sphere{1}, {{0, 3, 4}}, Sphere{2}, {}, 3), 2, {0, 0.6, 0.8}, {0, 2.4, 3.2},
             {0, 1.2, 1.6});
  expect_one(contacts_between(Sphere{1}, {{0, 0, 2.5}}, Sphere{2}, {}), -0.5, {0, 0, 1}, {0, 0, 1.5}, {0, 0, 2});
}

TEST(ClosedForm, ConcentricSpheresPartUpwards) {
  expect_one(contacts_between(Sphere{1}, {}, Sphere{2}, {}), -3, {0, 0, 1}, {0, 0, -1}, {0, 0, 2});
}

TEST(ClosedForm, ASphereRestsOnAPlane) {
  expect_one(contacts_on_plane(Sphere{0.5}, {{1, 2, 0.499}}), -0.001, {0, 0, 1}, {1, 2, -0.001}, {1, 2, 0});
  EXPECT_TRUE(contacts_on_plane(Sphere{0.5}, {{1, 2, 0.506}}).empty());
}

TEST(ClosedForm, APointIsASphereWithoutRadius) {
  expect_one(contacts_on_plane(Point{}, {{1, 2, 0.001}}), 0.001, {0, 0, 1}, {1, 2, 0.001}, {1, 2, 0});
  expect_one(contacts_between(Point{}, {{0.1, 0.2, 0.9}}, Box{{2, 2, 2}}, {}), -0.1, {0, 0, 1}, {0.1, 0.2, 0.9},
             {0.1, 0.2, 1});
}

TEST(ClosedForm, ASphereMeetsTheFaceEdgeAndCornerOfABox) {
  const Box box{{2, 2, 2}};
  expect_one(contacts_between(Sphere{0.5}, {{0.3, 0.2, 1.4}}, box, {}), -0.1, {0, 0, 1}, {0.3, 0.2, 0.9},
             {0.3, 0.2, 1});
  expect_one(contacts_between(Sphere{4}, {{0, 4, 5}}, box, {}, 2), 1, {0, 0.6, 0.8}, {0, 1.6, 1.8}, {0, 1, 1});
  const double d = std::sqrt(3.0);
  expect_one(contacts_between(Sphere{1}, {{2, 2, 2}}, box, {}, 2), d - 1, Vec3{1, 1, 1} / d,
             Vec3{2, 2, 2} - Vec3{1, 1, 1} / d, {1, 1, 1});
}

TEST(ClosedForm, ASphereDeepInABoxLeavesByTheNearestFace) {
  expect_one(contacts_between(Sphere{0.5}, {{-0.7, 0.2, 0.1}}, Box{{2, 2, 2}}, {}), -0.8, {-1, 0, 0}, {-0.2, 0.2, 0.1},
             {-1, 0.2, 0.1});
}

TEST(ClosedForm, ASphereMeetsTheSideCapAndRimOfACylinder) {
  const Cylinder cylinder{1, 2};
  expect_one(contacts_between(Sphere{0.5}, {{0, 1.4, 0.3}}, cylinder, {}), -0.1, {0, 1, 0}, {0, 0.9, 0.3}, {0, 1, 0.3});
  expect_one(contacts_between(Sphere{0.5}, {{0.2, 0.3, -1.4}}, cylinder, {}), -0.1, {0, 0, -1}, {0.2, 0.3, -0.9},
             {0.2, 0.3, -1});
  expect_one(contacts_between(Sphere{4}, {{4, 0, 5}}, cylinder, {}, 2), 1, {0.6, 0, 0.8}, {1.6, 0, 1.8}, {1, 0, 1});
  expect_one(contacts_between(Sphere{0.25}, {}, cylinder, {{0, 0, 0.1}}), -1.15, {0, 0, -1}, {0, 0, 0.25},
             {0, 0, -0.9});
}

TEST(ClosedForm, ASphereMeetsTheSideAndEndOfACapsule) {
  const Capsule capsule{0.5, 2};
  expect_one(contacts_between(Sphere{1}, {{1.4, 0, 0.3}}, capsule, {}), -0.1, {1, 0, 0}, {0.4, 0, 0.3}, {0.5, 0, 0.3});
  expect_one(contacts_between(Sphere{1}, {{0, 0, 2.4}}, capsule, {}), -0.1, {0, 0, 1}, {0, 0, 1.4}, {0, 0, 1.5});
}

TEST(ClosedForm, CrossedCapsulesTouchInOnePoint) {
  expect_one(contacts_between(Capsule{0.5, 2}, {{0.2, 0, 0.9}, kQuarterAboutY}, Capsule{0.5, 2},
                              {{0, 0.1, 0}, kQuarterAboutX}),
             -0.1, {0, 0, 1}, {0, 0, 0.4}, {0, 0, 0.5});
}

TEST(ClosedForm, CapsulesWhoseAxesMeetPartAcrossBoth) {
  const auto c = contacts_between(Capsule{0.5, 2}, {{}, kQuarterAboutY}, Capsule{0.25, 2}, {{}, kQuarterAboutX});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, -0.75, kRounding);
  EXPECT_NEAR(std::abs(c[0].normal.z), 1, kRounding);
}

TEST(ClosedForm, ParallelCapsulesTouchAtBothEndsOfWhereTheyPass) {
  const auto c = contacts_between(Capsule{0.5, 2}, {{0.9, 0, 0.5}}, Capsule{0.5, 2}, {});
  ASSERT_EQ(c.size(), 2u);
  for (const Contact& p : c) {
    EXPECT_NEAR(p.gap, -0.1, kRounding);
    expect_near(p.normal, {1, 0, 0}, kRounding);
  }
  EXPECT_TRUE(has_point(c, {0.45, 0, -0.5}, kRounding));
  EXPECT_TRUE(has_point(c, {0.45, 0, 1}, kRounding));
}

TEST(ClosedForm, CapsulesInLineTouchEndToEnd) {
  expect_one(contacts_between(Capsule{0.5, 2}, {{0, 0, 2.9}}, Capsule{0.5, 2}, {}), -0.1, {0, 0, 1}, {0, 0, 1.4},
             {0, 0, 1.5});
}

TEST(ClosedForm, ACapsuleLiesOnAPlaneWithBothEnds) {
  const auto c = contacts_on_plane(Capsule{0.5, 2}, {{0, 0, 0.499}, kQuarterAboutY});
  ASSERT_EQ(c.size(), 2u);
  EXPECT_TRUE(has_point(c, {1, 0, -0.0005}, kRounding));
  EXPECT_TRUE(has_point(c, {-1, 0, -0.0005}, kRounding));
  expect_one(contacts_on_plane(Capsule{0.5, 2}, {{0, 0, 1.5}}), 0, {0, 0, 1}, {}, {});
}

TEST(ClosedForm, ACapsuleLiesAcrossABox) {
  // Longer than the box: the points are over the box's edges. Shorter: under the capsule's ends.
  const auto longer = contacts_between(Capsule{0.5, 4}, {{0, 0, 1.499}, kQuarterAboutY}, Box{{2, 2, 2}}, {});
  ASSERT_EQ(longer.size(), 2u);
  for (const double x : {-1.0, 1.0}) EXPECT_TRUE(has_point(longer, {x, 0, 0.9995}, kRounding));
  const auto shorter = contacts_between(Capsule{0.5, 1}, {{0, 0, 1.499}, kQuarterAboutY}, Box{{2, 2, 2}}, {});
  ASSERT_EQ(shorter.size(), 2u);
  for (const double x : {-0.5, 0.5}) EXPECT_TRUE(has_point(shorter, {x, 0, 0.9995}, kRounding));
  EXPECT_NEAR(least_gap(shorter), -0.001, kRounding);
}

TEST(ClosedForm, ACapsuleAlongTheEdgeOfABoxTouchesItAtTwoPoints) {
  const double r = std::sqrt(0.5);
  const auto c = contacts_between(Capsule{0.5, 1}, {{1 + r, 0.2, 1 + r}, kQuarterAboutX}, Box{{2, 2, 2}}, {}, 1);
  ASSERT_EQ(c.size(), 2u);
  for (const Contact& p : c) {
    // GJK stops at a squared relative error of 1e-12.
    EXPECT_NEAR(p.gap, 0.5, 1e-10);
    expect_near(p.normal, {r, 0, r}, 1e-10);
  }
}

TEST(ClosedForm, ACapsuleCrossesTheEdgeOfABox) {
  // Axis from (1 + s, -1, 1) to (1 + s, 1, 1) turned to lie across the edge x = z = 1 at 45 degrees.
  const double r = std::sqrt(0.5);
  const Quat across{std::cos(0.39269908169872414), 0, -std::sin(0.39269908169872414), 0};  // −45° about y
  expect_one(contacts_between(Capsule{0.25, 4}, {{1 + 0.2 * r, 0.1, 1 + 0.2 * r}, across}, Box{{2, 2, 2}}, {}), -0.05,
             {r, 0, r}, Vec3{1, 0.1, 1} - 0.05 * Vec3{r, 0, r}, {1, 0.1, 1});
}

TEST(ClosedForm, BoxesCrossEdgeOnEdge) {
  // Two cubes, each on its edge, one turned by 90 degrees: edges cross at right angles at the origin's z.
  const double half = std::sqrt(2.0);  // half diagonal of a square of side 2
  const Quat on_edge_x{std::cos(0.39269908169872414), std::sin(0.39269908169872414), 0, 0};
  const Quat on_edge_y{std::cos(0.39269908169872414), 0, std::sin(0.39269908169872414), 0};
  expect_one(contacts_between(Box{{2, 2, 2}}, {{0.1, 0.2, 2 * half - 0.1}, on_edge_x}, Box{{2, 2, 2}}, {{}, on_edge_y}),
             -0.1, {0, 0, 1}, {0, 0.2, half - 0.1}, {0, 0.2, half});
}

TEST(ClosedForm, ABoxStandsWithACornerOnABox) {
  // The diagonal of the cube upright: the rotation takes (1, 1, 1) to z.
  const Vec3 axis = normalized(Vec3{1, -1, 0});
  const double angle = std::acos(1 / std::sqrt(3.0));
  const Quat upright = exp_rotation(angle * axis);
  const double half = std::sqrt(3.0);
  const auto c = contacts_between(Box{{2, 2, 2}}, {{0.3, 0.4, 1 + half - 0.01}, upright}, Box{{4, 4, 2}}, {});
  expect_one(c, -0.01, {0, 0, 1}, {0.3, 0.4, 0.99}, {0.3, 0.4, 1}, 1e-13);
}

TEST(ClosedForm, ABoxDeepInABoxLeavesByTheShortestWay) {
  const auto c = contacts_between(Box{{1, 1, 1}}, {{0.8, 0.1, 0}}, Box{{2, 2, 2}}, {});
  ASSERT_EQ(c.size(), 4u);
  for (const Contact& p : c) {
    EXPECT_NEAR(p.gap, -0.7, kRounding);
    expect_near(p.normal, {1, 0, 0}, kRounding);
  }
}

TEST(ClosedForm, ConcentricBoxesPartAlongTheThinnestSide) {
  const auto c = contacts_between(Box{{1, 1, 0.5}}, {}, Box{{2, 2, 1}}, {});
  ASSERT_EQ(c.size(), 4u);
  for (const Contact& p : c) EXPECT_NEAR(p.gap, -0.75, kRounding);
}

TEST(ClosedForm, BoxesCornerToCornerKnowTheirDistance) {
  const double d = std::sqrt(3.0) * 0.1;
  const auto c = contacts_between(Box{{2, 2, 2}}, {{2.1, 2.1, 2.1}}, Box{{2, 2, 2}}, {}, 1);
  expect_one(c, d, Vec3{1, 1, 1} / std::sqrt(3.0), {1.1, 1.1, 1.1}, {1, 1, 1}, 1e-10);
}

}  // namespace closed_form_test
}  // namespace catena::testing
