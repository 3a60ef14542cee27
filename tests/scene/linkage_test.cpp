#include <cmath>
#include <numbers>

#include "scene/scene_testing.h"

namespace catena {
namespace linkage_test {

const std::string kLink = "link: {mass: 1, inertia: [1, 1, 1]}, joint: {kind: hinge, axis: [0, 1, 0]}";

TEST(Chain, LinksHangBetweenTheirJoints) {
  const Scene s = load_ok("repeat: {chain: {count: 3, start: [1, 0, 0], offset: [0, 0, -20 cm], " + kLink + "}}\n");
  ASSERT_EQ(s.model.bodies.size(), 3u);
  ASSERT_EQ(s.model.joints.size(), 3u);
  EXPECT_EQ(s.model.bodies[2].name, "link2");
  expect_near(s.initial.bodies[0].position, {1, 0, -0.1});
  expect_near(s.initial.bodies[2].position, {1, 0, -0.5});
  EXPECT_EQ(s.model.joints[0].a, kGround);
  EXPECT_EQ(s.model.joints[2].name, "link2");
  EXPECT_EQ(s.model.joints[2].a, BodyId{1});
  EXPECT_EQ(s.model.joints[2].b, BodyId{2});
  expect_near(s.model.joints[2].anchor_a, {0, 0, -0.1});
  expect_near(s.model.joints[2].anchor_b, {0, 0, 0.1});
}

TEST(Chain, TurnsFromLinkToLink) {
  const Scene s = load_ok(
      "chain: {count: 4, offset: [1, 0, 0], turn: {axis: [0, 0, 1], angle: 90 deg}, link: {mass: 1, inertia: 1}, "
      "joint: {kind: hinge, axis: [1, 0, 0]}}\n");
  expect_near(s.initial.bodies[1].position, {1, 0.5, 0});
  expect_near(s.initial.bodies[3].position, {0, 0.5, 0});  // a square
  expect_near(rotate(s.initial.bodies[1].orientation, Vec3{1, 0, 0}), {0, 1, 0});
  const Joint& j = s.model.joints[1];  // axes turn with their links
  expect_near(rotate(s.initial.bodies[1].orientation * j.frame_b, Vec3{0, 0, 1}), {0, 1, 0});
}

TEST(Chain, HangsFromABodyAndEndsAtAnother) {
  const Scene s = load_ok(
      "bodies: {top: {mass: 1, inertia: 1}}\nchain: {count: 2, name: c, from: top, to: ground, offset: [1, 0, 0], "
      "orientation: {axis: [0, 0, 1], angle: 90 deg}, " +
      kLink + "}\n");
  ASSERT_EQ(s.model.joints.size(), 3u);
  EXPECT_EQ(s.model.joints[0].a, BodyId{0});
  EXPECT_EQ(s.model.joints[2].name, "c_end");
  EXPECT_EQ(s.model.joints[2].a, kGround);
  EXPECT_EQ(s.model.joints[2].b, BodyId{2});
  expect_near(s.model.joints[2].anchor_a, {0, 2, 0});
}

TEST(Chain, CanBeFree) {
  EXPECT_EQ(load_ok("chain: {count: 3, from: none, offset: [1, 0, 0], " + kLink + "}\n").model.joints.size(), 2u);
}

TEST(Chain, InTwoDimensionsIsMadeOfPins) {
  const Scene s = load_ok(
      "dimension: 2\nchain: {count: 3, start: [0, 1], offset: [1, 0], link: {mass: 1, inertia: 1}, joint: {kind: "
      "pin}}\n");
  EXPECT_EQ(s.model.bodies[2].kind, BodyKind::planar);
  EXPECT_EQ(s.model.joints[2].kind, JointKind::pin);
  expect_near(s.initial.bodies[2].position, {2.5, 1, 0});
}

TEST(Chain, OfManyLinksIsReadInLinearTime) {
  const Scene s = load_ok("chain: {count: 20000, offset: [0, 0, -1], " + kLink + "}\n");
  EXPECT_EQ(s.model.bodies.size(), 20000u);
  EXPECT_EQ(s.model.joints.back().name, "link19999");
}

TEST(Tree, HasAllItsLevels) {
  const Scene s =
      load_ok("tree: {depth: 7, length: 0.4, spread: 60 deg, link: {mass: 1, inertia: 1}, joint: {kind: ball}}\n");
  ASSERT_EQ(s.model.bodies.size(), 127u);
  ASSERT_EQ(s.model.joints.size(), 127u);
  EXPECT_EQ(s.model.joints[0].a, kGround);
  for (std::size_t i = 1; i < 127; ++i) {
    EXPECT_EQ(s.model.joints[i].b, BodyId{i});
    EXPECT_EQ(s.model.joints[i].a, BodyId{(i - 1) / 2});
    expect_near(s.model.joints[i].anchor_a, {0, 0, -0.2});  // every joint at the end of its parent
    expect_near(s.model.joints[i].anchor_b, {0, 0, 0.2});
  }
  const auto down = [&](std::size_t i) { return rotate(s.initial.bodies[i].orientation, Vec3{0, 0, -1}); };
  EXPECT_NEAR(dot(down(1), down(2)), 0.5, 1e-15);  // 60 degrees apart
  EXPECT_NEAR(dot(down(0), down(1)), std::sqrt(0.75), 1e-15);
}

TEST(Tree, LevelsShrinkByTheRatio) {
  const Scene s = load_ok(
      "tree: {depth: 3, branch: 3, length: 1, ratio: 0.5, start: [0, 0, 4], link: {density: 1000, shapes: [{box: [0.1, "
      "0.1, 1]}]}, "
      "joint: {kind: ball}}\n");
  ASSERT_EQ(s.model.bodies.size(), 13u);
  EXPECT_NEAR(s.model.bodies[1].mass, s.model.bodies[0].mass / 8, 1e-12);
  EXPECT_NEAR(s.model.bodies[12].inertia.xx, s.model.bodies[0].inertia.xx / 1024, 1e-12);
  EXPECT_EQ(std::get<Box>(s.model.bodies[12].shapes[0].geometry).sides.z, 0.25);
  expect_near(s.model.joints[12].anchor_b, {0, 0, 0.125});
  expect_near(s.initial.bodies[2].position, {0, 0, 2.75});  // the middle child goes straight on
}

TEST(Linkage, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"chain: {count: 3}",
       "s.yaml:1:8: chain needs 'link', such as link: {mass: 0.1, shapes: [{box: [0.02, 0.02, 0.1]}]}"},
      {"chain: {count: 3, link: {}, joint: {kind: ball}}",
       "s.yaml:1:8: chain needs 'offset', such as offset: [0, 0, -0.1]"},
      {"chain: {count: 3, offset: [0, 0, 1], link: {mass: 1, inertia: 1, position: [0, 0, 0]}, joint: {kind: ball}}",
       "s.yaml:1:66: link: 'position' follows from the generator; leave it out"},
      {"chain: {count: 3, offset: [0, 0, 1], link: {mass: 1, inertia: 1}, joint: {kind: ball, between: [a, b]}}",
       "s.yaml:1:87: joint: 'between' follows from the generator; leave it out"},
      {"chain: {count: 3, offset: [0, 0, 1], link: {mass: 1, inertia: 1}, joint: {kind: hinge}}",
       "s.yaml:1:8: joint 'link0': a hinge joint needs an axis: axis: [x, y, z]"},
      {"chain: {count: x, offset: [0, 0, 1], link: {mass: 1, inertia: 1}, joint: {kind: ball}}",
       "s.yaml:1:16: count: a whole number from 1 up is expected, not 'x'"},
      {"chain: {count: 3, offset: [0, 0, 1], from: roof, link: {mass: 1, inertia: 1}, joint: {kind: ball}}",
       "s.yaml:1:44: from: there is no body 'roof'; name one of bodies:, or ground"},
      {"chain: {count: 3, ofset: [0, 0, 1]}", "s.yaml:1:19: chain: unknown key 'ofset'; the nearest is 'offset'"},
      {"tree: {depth: 3, link: {mass: 1, inertia: 1}, joint: {kind: ball}}",
       "s.yaml:1:7: tree needs 'length', such as length: 0.2"},
      {"tree: {depth: 60, length: 1, link: {mass: 1, inertia: 1}, joint: {kind: ball}}",
       "s.yaml:1:15: depth: at most 1000000 links"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.text), c.message);
}

}  // namespace linkage_test
}  // namespace catena
