// Bodies that overlap at t = 0: separated or excluded by choice, and always said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/catena.h"
#include "catena/collide/starting_overlaps.h"

namespace catena {
namespace starting_pairs_test {

using ::testing::HasSubstr;

// Two balls of 10 cm radius whose middles are 15 cm apart: 5 cm deep.
const std::string kBalls = R"(
gravity: [0, 0, 0]
bodies:
  one: {mass: 1, inertia: [1, 1, 1], shapes: [{sphere: 0.1}]}
  two: {mass: 1, inertia: [1, 1, 1], position: [0.15, 0, 0], shapes: [{sphere: 0.1}]}
)";

TEST(StartingPairs, of_a_scene_are_named_with_their_depth_and_moved_apart) {
  const Scene scene = load_text(kBalls);
  const auto pairs = starting_overlaps(scene.model, scene.initial);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_NEAR(pairs[0].depth, 0.05, 1e-12);
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_THAT(scene.warnings[0], HasSubstr("'one' and 'two' overlap by 50 mm"));
  EXPECT_TRUE(scene.model.collide_exclude.empty());
  Simulation sim(scene, {.method = Method::operational});
  // 50 mm at 1 m/s.
  ASSERT_TRUE(sim.advance_to(0.06).ok());
  EXPECT_GE(sim.body("two").position.x - sim.body("one").position.x, 0.2 - 1e-6);
  EXPECT_LE(sim.body("two").position.x - sim.body("one").position.x, 0.2 + 1e-3);
}

TEST(StartingPairs, that_a_scene_excludes_never_touch) {
  const Scene scene = load_text(kBalls + "collide: {overlapping: exclude}\n");
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_THAT(scene.warnings[0], HasSubstr("never touch"));
  Simulation sim(scene, {.method = Method::operational});
  ASSERT_TRUE(sim.step().ok());
  EXPECT_EQ(sim.body("two").position.x, 0.15);
  EXPECT_THROW(load_text(kBalls + "collide: {overlapping: yes}\n"), InputError);
}

TEST(StartingPairs, that_just_touch_are_clean) {
  const Scene scene = load_text(R"(
bodies: {box: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5], shapes: [{box: [1, 1, 1]}]}}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
)");
  EXPECT_TRUE(scene.warnings.empty());
}

// A base sunk into the block it is held to, a hand that reaches into the base past the arm between them, and a box of its own in the hand.
const std::string kRobot =
    R"(<mujoco><worldbody><geom type="plane" size="0 0 .1"/><geom name="foot" type="box" size=".1 .1 .1" pos="0 0 .2"/>
  <body name="base" pos="0 0 .29"><joint axis="0 0 1"/><geom type="box" size=".05 .05 .1"/>
    <body name="arm" pos="0 0 .12"><joint axis="0 1 0"/><geom type="sphere" size=".04"/>
      <body name="hand" pos="0 0 .04"><joint axis="0 1 0"/><geom type="sphere" size=".07"/></body></body></body>
  <body name="box" pos="0 0 .56"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
  </worldbody></mujoco>)";

TEST(StartingPairs, of_a_robot_are_excluded_within_it_and_where_it_is_held) {
  const Scene scene = load_text(kRobot);
  const Model& model = scene.model;
  const auto excluded = [&](BodyId a, BodyId b) {
    return std::count(model.collide_exclude.begin(), model.collide_exclude.end(), std::pair(a, b)) == 1;
  };
  EXPECT_TRUE(excluded(model.body("base"), model.body("hand")));
  EXPECT_TRUE(excluded(model.body("base"), kGround));
  EXPECT_EQ(model.collide_exclude.size(), 2u);  // the box is no part of the robot
  EXPECT_EQ(std::count_if(scene.ledger.begin(), scene.ledger.end(),
                          [](const LedgerEntry& e) { return e.element == "overlap"; }),
            2);
  EXPECT_TRUE(load_text(kRobot, "robot", ".", {"collide.overlapping=separate"}).model.collide_exclude.empty());
  EXPECT_EQ(load_text(kRobot, "robot", ".", {"collide.overlapping=exclude"}).model.collide_exclude.size(), 3u);
}

}  // namespace starting_pairs_test
}  // namespace catena
