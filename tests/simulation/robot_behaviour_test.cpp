// Robots as people run them: they fall and lie still, hold poses, stand, grasp.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/catena.h"
#include "catena/model/placement.h"
#include "source_dir.h"

namespace catena {
namespace robot_behaviour_test {

const std::string kRobots = source_dir() + "/tests/data/robots/";

Scene robot(const std::string& file, const std::string& keyframe = "") {
  return load(kRobots + file, {}, {.missing_meshes = true, .keyframe = keyframe});
}

// The farthest that a body's centre of mass went in one of the steps until `end`; NaN where a step failed.
double farthest_step(Simulation& sim, double end) {
  double farthest = 0;
  std::vector<BodyState> before;
  while (sim.time() < end - sim.slack()) {
    before = sim.state().bodies;
    if (!sim.step().ok()) return std::nan("");
    for (std::size_t i = 0; i < before.size(); ++i)
      farthest = std::max(farthest, norm(sim.state().bodies[i].position - before[i].position));
  }
  return farthest;
}

class Humanoid : public ::testing::TestWithParam<Method> {};

// From a squat, without a controller: after 5 s it lies, and no step moves it by a micrometre.
TEST_P(Humanoid, falls_and_comes_to_rest) {
  Simulation sim(robot("humanoid.xml", "squat"), {.method = GetParam(), .step = 2e-3});
  const double top = sim.body("torso").position.z, falling = farthest_step(sim, 5);
  EXPECT_GT(falling, 1e-3) << "it falls";
  EXPECT_LT(sim.body("torso").position.z, top - 0.2);
  EXPECT_LE(farthest_step(sim, 5.5), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, Humanoid, ::testing::Values(Method::operational, Method::spook, Method::impulse),
                         [](const auto& each) {
                           return each.param == Method::operational ? "operational"
                                : each.param == Method::spook       ? "spook"
                                                                    : "impulse";
                         });

class Panda : public ::testing::TestWithParam<double> {};

// Its servos (kp up to 4500) hold the pose of the keyframe: every joint sags by its load over kp and stays there.
TEST_P(Panda, holds_a_pose_by_its_servos) {
  Simulation sim(robot("panda.xml", "home"), {.step = GetParam()});
  const std::vector<double> start(sim.q().begin(), sim.q().end());
  ASSERT_TRUE(sim.advance_to(5).ok());
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(sim.q()[i], start[i], 0.01) << i;
  EXPECT_LE(farthest_step(sim, 6), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Steps, Panda, ::testing::Values(2e-3, 1e-2),
                         [](const auto& each) { return each.param < 5e-3 ? "2ms" : "10ms"; });

TEST(Go1, stands_on_its_servos_for_a_minute) {
  Scene scene = robot("go1.xml", "home");
  scene.model.ground_shapes.push_back(Shape{Plane{{0, 0, 1}, 0}});
  Simulation sim(scene, {.method = Method::operational, .step = 2e-3});
  ASSERT_TRUE(sim.advance_to(5).ok());
  const Vec3 settled = sim.body("trunk").position;
  EXPECT_GT(settled.z, 0.2);
  EXPECT_LE(farthest_step(sim, 60), 1e-9);
  EXPECT_LE(norm(sim.body("trunk").position - settled), 1e-6);
}

// DR Legs with the drives of its file at 4 ms: hung by the pelvis it holds its pose, and follows sines; on the ground it stands. The feet are
// the boxes of the meshes that the file leaves out.
Scene legs() { return load(source_dir() + "/tests/data/usd/dr_legs_no_meshes.usda"); }

void hang(Scene& scene) {
  append_joint(scene.model, scene.initial, {.name = "hook", .kind = JointKind::weld}, kGround,
               scene.model.body("pelvis"));
  scene.joint_places.clear();
}

TEST(DrLegs, hangs_still) {
  Scene scene = legs();
  hang(scene);
  Simulation sim(scene, {.step = 4e-3});
  ASSERT_TRUE(sim.advance_to(3).ok());
  EXPECT_LE(farthest_step(sim, 5), 1e-9);
}

TEST(DrLegs, follows_sines) {
  Scene scene = legs();
  hang(scene);
  Simulation sim(scene, {.step = 4e-3});
  const auto joint = sim.joint(sim.model().actuators[0].joint);
  const double start = joint.position();
  double reached = 0;
  sim.on_step([](Simulation& s) {
    for (std::size_t k = 0; k < s.ctrl().size(); ++k)
      s.ctrl()[k] = 0.1 * std::sin(2 * std::numbers::pi * s.time() + (k % 2 == 0 ? 0 : std::numbers::pi / 2));
  });
  while (sim.time() < 5) {
    ASSERT_TRUE(sim.step().ok());
    if (sim.time() > 1) reached = std::max(reached, std::abs(joint.position() - start));
    ASSERT_LE(sim.drift().position, 1e-6 * sim.size()) << "axes of the file are parallel to single precision";
  }
  EXPECT_NEAR(reached, 0.1, 0.05);
}

TEST(DrLegs, stands) {
  Scene scene = legs();
  for (const double side : {1.0, -1.0}) {
    Shape sole{Box{{0.117, 0.07, 0.003}}};
    sole.position = {-0.00370345, -side * 0.00031339, -0.01644036};
    sole.orientation = {std::cos(std::numbers::pi / 36), 0, 0, side * std::sin(std::numbers::pi / 36)};
    scene.model.bodies[scene.model.body(side > 0 ? "foot_l" : "foot_r")].shapes.push_back(sole);
  }
  scene.model.ground_shapes.push_back(Shape{Plane{{0, 0, 1}, -0.2637}});
  Simulation sim(scene, {.step = 4e-3});
  ASSERT_TRUE(sim.advance_to(3).ok());
  const double height = sim.body("pelvis").position.z;
  EXPECT_LE(farthest_step(sim, 5), 1e-9);
  EXPECT_NEAR(sim.body("pelvis").position.z, height, 1e-7);
  EXPECT_GT(height, -0.05) << "it has not sunk to its knees";
}

class Gripper : public ::testing::TestWithParam<Method> {};

// Robotiq's 2F-85 closes on a box, lifts it by 20 cm, and holds it by friction: in the minute after, the box creeps by less than a micrometre
// against the hand.
TEST_P(Gripper, lifts_a_box_and_holds_it) {
  Simulation sim(robot("gripper.xml"), {.method = GetParam(), .step = 2e-3});
  const auto control = [&](const std::string& name) {
    for (std::size_t k = 0; k < sim.model().controls.size(); ++k)
      if (sim.model().controls[k].name == name) return k;
    ADD_FAILURE() << name;
    return std::size_t{0};
  };
  const std::size_t lift = control("lift"), fingers = control("hand_fingers_actuator");
  sim.on_step([=](Simulation& s) {
    s.ctrl()[fingers] = s.time() < 0.2 ? 0 : 255;
    s.ctrl()[lift] = 0.2 * std::clamp(s.time() - 1, 0.0, 1.0);
  });
  ASSERT_TRUE(sim.advance_to(4).ok());
  const auto held = [&] { return sim.body("box").position - sim.body("carriage").position; };
  EXPECT_GT(sim.body("box").position.z, 0.2);
  const Vec3 grasp = held();
  ASSERT_TRUE(sim.advance_to(64).ok());
  EXPECT_LE(norm(held() - grasp), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, Gripper, ::testing::Values(Method::operational, Method::spook),
                         [](const auto& each) { return each.param == Method::operational ? "operational" : "spook"; });

}  // namespace robot_behaviour_test
}  // namespace catena
