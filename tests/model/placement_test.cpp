#include "catena/model/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace placement_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two rigid bodies a, b (posed without symmetry), a particle p, planar bodies f, g.
struct Fixture {
  Model model;
  State state;

  Fixture() {
    const Sym3 I = Sym3::diagonal(1, 1, 1);
    add({.name = "a",
         .mass = 1.0,
         .inertia = I,
         .position = {1, 2, 3},
         .orientation = normalized(Quat{0.9, 0.2, -0.3, 0.1})});
    add({.name = "b",
         .mass = 1.0,
         .inertia = I,
         .position = {-1, 0.5, 2},
         .orientation = normalized(Quat{0.3, 0.8, 0.1, -0.6})});
    add({.name = "p", .kind = BodyKind::particle, .mass = 1.0, .position = {0, 0, 5}});
    add({.name = "f",
         .kind = BodyKind::planar,
         .mass = 1.0,
         .inertia = I,
         .position = {1, 1, 0},
         .orientation = normalized(Quat{0.6, 0, 0, 0.8})});
    add({.name = "g", .kind = BodyKind::planar, .mass = 1.0, .inertia = I});
  }
  void add(const BodySpec& spec) { append_body(model, state, spec); }
  const Joint& join(const JointSpec& spec, int a, int b) {
    return model.joints[append_joint(model, state, spec, BodyId{a}, BodyId{b})];
  }
  Vec3 world(BodyId body, const Vec3& p) const {
    return body.valid() ? state.bodies[body].position + rotate(state.bodies[body].orientation, p) : p;
  }
  Mat3 world(BodyId body, const Quat& q) const {
    return to_matrix(body.valid() ? state.bodies[body].orientation * q : q);
  }
  void expect_refused(const JointSpec& spec, int a, int b, const std::string& why) {
    EXPECT_THAT([&] { join(spec, a, b); }, ThrowsMessage<InputError>(HasSubstr(why)));
  }
};

void expect_near(const Vec3& a, const Vec3& b) { EXPECT_LE(norm(a - b), 1e-14) << a.x << " " << a.y << " " << a.z; }

TEST(Placement, AnchorsAndAxesComeBackInTheWorld) {
  Fixture f;
  const Vec3 anchor{0.3, -0.2, 1.7}, axis{1, 2, -2};
  const Joint& j = f.join({.name = "j", .kind = JointKind::hinge, .anchor = anchor, .axis = axis}, 0, 1);
  expect_near(f.world(j.a, j.anchor_a), anchor);
  expect_near(f.world(j.b, j.anchor_b), anchor);
  expect_near(f.world(j.a, j.frame_a).column(2), axis / 3);
  for (int k = 0; k < 3; ++k) expect_near(f.world(j.a, j.frame_a).column(k), f.world(j.b, j.frame_b).column(k));
}

TEST(Placement, TheGroundsCoordinatesAreTheWorlds) {
  Fixture f;
  const Joint& j = f.join({.name = "j", .kind = JointKind::ball, .anchor = Vec3{1, 2, 3}}, -1, 1);
  expect_near(j.anchor_a, {1, 2, 3});
  EXPECT_EQ(j.frame_a, Quat{});
}

TEST(Placement, AnchorsThatDoNotMeetAreKept) {
  Fixture f;
  const Joint& j =
      f.join({.name = "j", .kind = JointKind::ball, .anchors = std::array{Vec3{1, 0, 0}, Vec3{0, 1, 0}}}, 0, 1);
  expect_near(f.world(j.a, j.anchor_a), {1, 0, 0});
  expect_near(f.world(j.b, j.anchor_b), {0, 1, 0});
}

TEST(Placement, AxesOfTheirOwnDifferByTheShortestTurn) {
  Fixture f;
  const Joint& j = f.join(
      {.name = "j", .kind = JointKind::hinge, .anchor = Vec3{}, .axes = std::array{Vec3{0, 0, 2}, Vec3{0, 0.1, 1}}}, 0,
      1);
  const Mat3 A = f.world(j.a, j.frame_a), B = f.world(j.b, j.frame_b);
  expect_near(A.column(2), {0, 0, 1});
  expect_near(B.column(2), normalized(Vec3{0, 0.1, 1}));
  const Vec3 turn = log_rotation(from_matrix(B * transpose(A)));
  expect_near(turn, {-std::atan(0.1), 0, 0});
}

TEST(Placement, AUniversalJointStartsWithBothAnglesZero) {
  Fixture f;
  const Joint& j = f.join(
      {.name = "j", .kind = JointKind::universal, .anchor = Vec3{}, .axis = Vec3{0, 0, 1}, .axis2 = Vec3{0, 3, 0}}, 0,
      1);
  const Mat3 A = f.world(j.a, j.frame_a), B = f.world(j.b, j.frame_b);
  expect_near(A.column(2), {0, 0, 1});
  expect_near(B.column(2), {0, 1, 0});
  expect_near(A.column(0), cross(A.column(2), B.column(2)));
  expect_near(B.column(0), A.column(0));
  f.expect_refused(
      {.name = "k", .kind = JointKind::universal, .anchor = Vec3{}, .axis = Vec3{0, 0, 1}, .axis2 = Vec3{0, 0, 2}}, 0,
      1, "joint 'k': its two axes are parallel; a universal joint needs them perpendicular");
}

TEST(Placement, SecondAxesHaveDefaults) {
  Fixture f;
  const Joint u = f.join({.name = "u", .kind = JointKind::universal, .anchor = Vec3{}, .axis = Vec3{1, 0, 0}}, 0, 1);
  EXPECT_NEAR(dot(f.world(u.a, u.frame_a).column(2), f.world(u.b, u.frame_b).column(2)), 0, 1e-15);
  const Joint g = f.join({.name = "g", .kind = JointKind::gear, .axis = Vec3{0, 1, 0}, .ratio = -2}, 0, 1);
  expect_near(f.world(g.b, g.frame_b).column(2), {0, 1, 0});
  EXPECT_EQ(g.parameter, -2);
  const Joint r = f.join(
      {.name = "r", .kind = JointKind::rack, .axis = Vec3{0, 1, 0}, .axis2 = Vec3{0, 0, 1}, .radius = 0.1}, 0, 1);
  expect_near(f.world(r.a, r.frame_a).column(2), {0, 1, 0});
  expect_near(f.world(r.b, r.frame_b).column(2), {0, 0, 1});
  f.expect_refused({.name = "x", .kind = JointKind::rack, .axis = Vec3{0, 1, 0}, .radius = 0.1}, 0, 1,
                   "a rack joint needs axis2");
}

TEST(Placement, RollingTouchesThePlaneBelowTheCentre) {
  Fixture f;
  const Joint ball =
      f.join({.name = "ball", .kind = JointKind::rolling, .normal = Vec3{0, 0, 2}, .radius = 0.25}, -1, 0);
  EXPECT_FALSE(ball.disc);
  expect_near(ball.anchor_a, {1, 2, 2.75});
  expect_near(ball.anchor_b, {0, 0, 0});
  expect_near(to_matrix(ball.frame_a).column(2), {0, 0, 1});
  const Vec3 axis{0, std::cos(0.3), std::sin(0.3)};
  const Joint disc = f.join({.name = "disc", .kind = JointKind::rolling, .axis = axis, .radius = 0.5}, -1, 0);
  EXPECT_TRUE(disc.disc);
  expect_near(disc.anchor_a, Vec3{1, 2, 3} - 0.5 * Vec3{0, -std::sin(0.3), std::cos(0.3)});
  expect_near(f.world(disc.b, disc.frame_b).column(2), axis);
  f.expect_refused({.name = "flat", .kind = JointKind::rolling, .axis = Vec3{0, 0, 1}, .radius = 0.5}, -1, 0,
                   "the disc lies flat on the plane");
  f.expect_refused({.name = "none", .kind = JointKind::rolling}, -1, 0, "joint 'none': a rolling joint needs a radius");
}

TEST(Placement, ADistanceDefaultsToWhatItIs) {
  Fixture f;
  const Joint j =
      f.join({.name = "j", .kind = JointKind::distance, .anchors = std::array{Vec3{0, 0, 0}, Vec3{0, 3, 4}}}, 0, 2);
  EXPECT_EQ(j.parameter, 5);
  const Joint k = f.join({.name = "k", .kind = JointKind::distance, .length = 2}, 0, 2);
  EXPECT_EQ(k.parameter, 2);
  expect_near(k.anchor_b, {0, 0, 0});  // centres, where no anchors are given
}

TEST(Placement, MissingPartsAreNamed) {
  Fixture f;
  using enum JointKind;
  f.expect_refused({.name = "j", .kind = ball}, 0, 1, "joint 'j': a ball joint needs an anchor");
  f.expect_refused({.name = "j", .kind = hinge, .anchor = Vec3{}}, 0, 1, "joint 'j': a hinge joint needs an axis");
  f.expect_refused({.name = "j", .kind = slider}, 0, 1, "joint 'j': a slider joint needs an axis");
  f.expect_refused({.name = "j", .kind = hinge, .anchor = Vec3{}, .axis = Vec3{}}, 0, 1,
                   "axis (0, 0, 0) has no direction");
  f.expect_refused({.name = "j", .kind = screw, .anchor = Vec3{}, .axis = Vec3{1, 0, 0}}, 0, 1,
                   "a screw joint needs a pitch");
  f.expect_refused({.name = "j", .kind = gear, .axis = Vec3{1, 0, 0}}, 0, 1, "a gear joint needs a ratio");
}

TEST(Placement, WeldsAndFixedOrientationsNeedNoAxis) {
  Fixture f;
  const Joint j = f.join({.name = "j", .kind = JointKind::weld}, 0, 1);
  const Mat3 A = f.world(j.a, j.frame_a);
  for (int k = 0; k < 3; ++k) expect_near(A.column(k), Mat3::identity().column(k));
  expect_near(f.world(j.a, j.anchor_a), {-1, 0.5, 2});  // at the second body's centre
}

TEST(Placement, BetweenPlanarBodiesHingesArePinsAndWeldsPlanar) {
  Fixture f;
  EXPECT_EQ(f.join({.name = "j", .kind = JointKind::hinge, .anchor = Vec3{1, 0, 0}}, 3, 4).kind, JointKind::pin);
  EXPECT_EQ(f.join({.name = "k", .kind = JointKind::weld}, -1, 4).kind, JointKind::planar_weld);
  EXPECT_EQ(f.join({.name = "l", .kind = JointKind::weld}, -1, 0).kind, JointKind::weld);
  f.expect_refused({.name = "x", .kind = JointKind::hinge, .anchor = Vec3{}, .axis = Vec3{0, 0, -1}}, 3, 4,
                   "planar bodies turn about +z");
}

TEST(Placement, ExtrasAreKeptOnlyWhereTheySaySomething) {
  Fixture f;
  EXPECT_EQ(f.join({.name = "j", .kind = JointKind::ball, .anchor = Vec3{}}, 0, 1).extras, -1);
  JointSpec damped{.name = "k", .kind = JointKind::ball, .anchor = Vec3{}};
  damped.extras.damping = 2;
  EXPECT_EQ(f.model.extras_of(f.join(damped, 0, 1)).damping, 2);
}

TEST(Placement, ADensityGivesMassInertiaAndTheCentre) {
  Model model;
  State state;
  const Quat q = normalized(Quat{1, 2, 3, 4});
  BodySpec spec{.name = "hammer", .density = 1000.0, .position = {1, 2, 3}, .orientation = q};
  spec.shapes = {{Box{{1, 1, 1}}, {2, 0, 0}}};
  append_body(model, state, spec);
  EXPECT_NEAR(model.bodies[0].mass, 1000, 1e-9);
  EXPECT_NEAR(model.bodies[0].inertia.xx, 1000.0 / 6, 1e-9);
  expect_near(model.bodies[0].shapes[0].position, {0, 0, 0});
  expect_near(state.bodies[0].position, Vec3{1, 2, 3} + rotate(q, Vec3{2, 0, 0}));
}

TEST(Placement, AMassWithShapesTakesTheirInertiaAtItsOwnWeight) {
  Model model;
  State state;
  BodySpec spec{.name = "box", .mass = 12.0};
  spec.shapes = {{Box{{1, 2, 3}}}};
  append_body(model, state, spec);
  EXPECT_NEAR(model.bodies[0].inertia.xx, 13, 1e-12);
  EXPECT_NEAR(model.bodies[0].inertia.zz, 5, 1e-12);
}

TEST(Placement, ABodyMustHaveMassAndInertiaFromSomewhere) {
  Model model;
  State state;
  const auto refused = [&](const BodySpec& spec, const char* why) {
    EXPECT_THAT([&] { append_body(model, state, spec); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refused({.name = "x"}, "body 'x': has no mass");
  refused({.name = "x", .mass = 1.0}, "body 'x': has no inertia");
  refused({.name = "x", .density = 1.0}, "density without shapes");
  refused({.name = "x", .mass = 1.0, .density = 1.0}, "mass and density are both given");
  refused({.name = "x", .density = 1.0, .shapes = {{Point{}}}}, "its shapes enclose no volume");
}

}  // namespace placement_test
}  // namespace catena
