// Bodies that are led by hand (MJCF: mocap): they go where they are told, with a velocity on the way, and take with them what is tied to them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/import/import.h"

namespace catena {
namespace mocap_test {

using ::testing::HasSubstr;

Scene robot(const std::string& inside, const ImportOptions& options = {}) {
  return import_robot_text("<mujoco><option timestep='1e-3'/>" + inside + "</mujoco>", "robot.xml", ".", options);
}

const std::string kHand =
    "<worldbody><body name='hand' mocap='true' pos='0.1 0.2 0.3' euler='0 0 30'>"
    "<geom type='box' size='.05 .05 .05' pos='.1 0 0'/></body>";

class Mocap : public ::testing::TestWithParam<Method> {};

// The frame of the file, not the centre of mass, is where it is told to be; on the way it moves at constant velocity.
TEST_P(Mocap, goes_to_its_pose_at_constant_velocity) {
  Simulation sim(robot(kHand + "</worldbody>"), {.method = GetParam(), .step = 1e-3});
  const BodyId hand = sim.body_id("hand");
  const auto place = [&] {
    const BodyState& s = sim.body(hand);
    return s.position + rotate(s.orientation, sim.model().bodies[hand].origin);
  };
  EXPECT_LT(norm(place() - Vec3{0.1, 0.2, 0.3}), 1e-12);
  const Quat turned = exp_rotation(Vec3{0, 0, 0.5}) * sim.body(hand).orientation;
  sim.set_mocap("hand", {0.3, 0.2, 0.3}, turned, 0.1);
  ASSERT_TRUE(sim.advance_to(0.05).ok());
  EXPECT_LT(norm(place() - Vec3{0.2, 0.2, 0.3}), 1e-9);
  EXPECT_LT(norm(sim.body(hand).angular_velocity - Vec3{0, 0, 5}), 1e-8);
  ASSERT_TRUE(sim.advance_to(0.2).ok());
  EXPECT_LT(norm(place() - Vec3{0.3, 0.2, 0.3}), 1e-9);
  EXPECT_LT(norm(log_rotation(turned * sim.body(hand).orientation.conjugate())), 1e-9);
  EXPECT_LT(norm(sim.body(hand).velocity), 1e-9) << "it has arrived, and stands";
  EXPECT_LT(norm(sim.mocap(hand).first - Vec3{0.3, 0.2, 0.3}), 1e-12);
}

// A pendulum hangs from the hand by a ball: led with a steady velocity it feels none of it, in a frame that moves along.
TEST_P(Mocap, what_hangs_from_a_steady_hand_hangs_still) {
  Simulation sim(
      robot("<worldbody><body name='hand' mocap='true'><geom size='.02' contype='0'/></body>"
            "<body name='bob' pos='0 0 -1'><freejoint/><geom size='.1' mass='2' contype='0'/></body></worldbody>"
            "<equality><connect body1='hand' body2='bob' anchor='0 0 0'/></equality>"),
      {.method = GetParam(), .step = 1e-3});
  sim.set_mocap("hand", {1, 0, 0}, {}, 1);
  State moving = sim.state();
  moving.bodies[sim.body_id("bob")].velocity = {1, 0, 0};
  sim.set_state(moving);
  ASSERT_TRUE(sim.advance_to(0.5).ok());
  EXPECT_LT(norm(sim.body("bob").position - Vec3{0.5, 0, -1}), 1e-6);
  EXPECT_LT(norm(sim.body("hand").position - Vec3{0.5, 0, 0}), 1e-9);
}

// A weld to the hand leads an arm: its tip is where the hand is, exactly, at every step of a circle.
TEST_P(Mocap, a_weld_leads_an_arm) {
  const std::string arm =
      "<worldbody><body name='hand' mocap='true' pos='0.5 0 0.5'><geom size='.02' contype='0'/></body>"
      "<body name='upper' pos='0 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 .5'/>"
      "<body name='fore' pos='0 0 .5'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .5 0 0'/>"
      "<body name='tip' pos='.5 0 0'><joint axis='0 1 0'/><geom size='.03'/></body></body></body></worldbody>"
      "<equality><weld body1='hand' body2='tip'/></equality>";
  Simulation sim(robot(arm), {.method = GetParam(), .step = 1e-3});
  for (int k = 1; k <= 200; ++k) {
    const double angle = 0.005 * k;
    const Vec3 to{0.4 + 0.1 * std::cos(angle), 0, 0.5 + 0.1 * std::sin(angle)};
    sim.set_mocap("hand", to);
    ASSERT_TRUE(sim.step().ok()) << k;
    EXPECT_LT(norm(sim.body("tip").position - to), 1e-8) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Mocap,
                         ::testing::Values(Method::operational, Method::spook, Method::lagrange, Method::impulse),
                         [](const auto& each) {
                           return each.param == Method::operational ? "operational"
                                : each.param == Method::spook       ? "spook"
                                : each.param == Method::lagrange    ? "lagrange"
                                                                    : "impulse";
                         });

// A box lies on a plate that is led sideways at v = 0.1 m/s, from one moment to the next: it slides until it is as fast, by v²/(2 μ g) = 0.51 mm
// with μ = 1, is carried along, and when the plate stops slides as far forward. A step of sliding, v h, is 0.1 mm.
TEST(MocapContact, a_led_plate_carries_a_box) {
  Simulation sim(robot("<worldbody><body name='plate' mocap='true'><geom type='box' size='.5 .5 .05'/></body>"
                       "<body name='box' pos='0 0 .15'><freejoint/><geom type='box' size='.1 .1 .1' mass='3'/></body>"
                       "</worldbody>"),
                 {.step = 1e-3});
  sim.set_mocap("plate", {0.2, 0, 0}, {}, 2);
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_LT(norm(sim.body("plate").position - Vec3{0.1, 0, 0}), 1e-9);
  EXPECT_NEAR(sim.body("box").position.x, 0.1 - 0.01 / (2 * 9.81), 1e-4);
  EXPECT_LT(norm(sim.body("box").velocity - Vec3{0.1, 0, 0}), 1e-6);
  ASSERT_TRUE(sim.advance_to(3).ok());
  EXPECT_LT(norm(sim.body("box").position - Vec3{0.2, 0, 0.15}), 2e-4);
  EXPECT_LT(norm(sim.body("box").velocity), 1e-6);
}

// Restore = replay, to the bit: on its way and after.
TEST(MocapState, goes_on_alike_from_a_saved_state) {
  const Scene scene = robot(kHand + "</worldbody>");
  Simulation one(scene, {.step = 1e-3}), other(scene, {.step = 1e-3});
  one.set_mocap("hand", {0.3, 0.1, 0.2}, {}, 0.01);
  for (int k = 0; k < 5; ++k) one.step();
  other.set_state(one.state());
  for (int k = 0; k < 20; ++k) {
    one.step();
    other.step();
  }
  EXPECT_EQ(one.body("hand").position, other.body("hand").position);
  EXPECT_EQ(one.body("hand").velocity, other.body("hand").velocity);
}

TEST(MocapFile, keyframes_place_it_and_scene_files_say_it) {
  const std::string text = kHand + "</worldbody><keyframe><key name='there' mpos='1 2 3' mquat='0 1 0 0'/></keyframe>";
  const Scene scene = robot(text, {.keyframe = "there"});
  Simulation sim(scene, {.step = 1e-3});
  ASSERT_TRUE(sim.advance_to(0.01).ok());
  EXPECT_LT(norm(sim.mocap(sim.body_id("hand")).first - Vec3{1, 2, 3}), 1e-12);
  Simulation again(load_text("catena: 1\nbodies:\n  hand: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5]}\n"
                             "joints:\n  led: {kind: weld, between: [ground, hand], moves: guided}\n",
                             "hand.yaml"),
                   {.step = 1e-3});
  again.set_mocap("hand", {0, 0, 1});
  ASSERT_TRUE(again.advance_to(0.01).ok());
  EXPECT_LT(norm(again.mocap(again.body_id("hand")).first - Vec3{0, 0, 1}), 1e-12);
}

TEST(MocapFile, what_is_not_led_is_refused_by_name) {
  Simulation sim(robot("<worldbody><body name='free'><freejoint/><geom size='.1'/></body></worldbody>"));
  try {
    sim.set_mocap("free", {});
    FAIL() << "nothing was said";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'free' is not led by hand"));
  }
}

}  // namespace mocap_test
}  // namespace catena
