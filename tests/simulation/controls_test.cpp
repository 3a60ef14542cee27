// Actuators with control inputs: what they push with, and robots that stand on them.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catena/catena.h"
#include "catena/mechanism/dynamics.h"
#include "source_dir.h"

namespace catena {
namespace controls_test {

const std::string kRobots = source_dir() + "/tests/data/robots/";

// Two sliders along x, of 2 and 3 kg, without weight.
Scene sliders(const std::string& actuators, const std::string& joint = "") {
  return load_text(R"(<mujoco><option gravity="0 0 0"/><worldbody>
    <body name="a"><joint name="a" type="slide" axis="1 0 0" )" +
                   joint + R"(/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>
    <body name="b" pos="0 1 0"><joint name="b" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body>
    </worldbody><tendon><fixed name="both"><joint joint="a" coef="0.5"/><joint joint="b" coef="-1.5"/></fixed></tendon>
    <actuator>)" + actuators +
                   "</actuator></mujoco>");
}

// Accelerations of the two sliders.
Vec3 pushed(Simulation& sim) {
  const Dynamics& d = sim.evaluate();
  return {d.vdot[BodyId{0}].linear.x, d.vdot[BodyId{1}].linear.x, 0};
}

TEST(Controls, of_a_motor_push_with_the_gear_times_the_input_within_both_ranges) {
  Simulation sim(sliders("<motor joint='a' gear='5' ctrlrange='-1 1' forcerange='-0.4 0.8'/>"), {.step = 1e-3});
  ASSERT_EQ(sim.ctrl().size(), 1u);
  EXPECT_EQ(pushed(sim).x, 0);
  for (const auto& [u, force] : {std::pair(0.5, 2.5), {7.0, 4.0}, {-0.1, -0.5}, {-1.0, -2.0}}) {
    sim.ctrl()[0] = u;
    EXPECT_NEAR(pushed(sim).x, force / 2, 1e-12) << u;
  }
}

TEST(Controls, are_bounded_at_the_joint_too) {
  Simulation sim(sliders("<motor joint='a' gear='-5'/>", "actuatorfrcrange='-1 3'"), {.step = 1e-3});
  sim.ctrl()[0] = 100;
  EXPECT_NEAR(pushed(sim).x, -1.0 / 2, 1e-12);
  sim.ctrl()[0] = -100;
  EXPECT_NEAR(pushed(sim).x, 3.0 / 2, 1e-12);
}

// ℓ = 0.5 a − 1.5 b; p = 4 u + 1 − 10 ℓ − 2 ℓ̇ pulls with 0.5 p and −1.5 p.
TEST(Controls, along_a_tendon_pull_at_all_its_joints) {
  const Scene scene = sliders("<general tendon='both' biastype='affine' gainprm='4' biasprm='1 -10 -2'/>");
  EXPECT_FALSE(ignores_physics(scene.ledger));
  Simulation sim(scene, {.step = 1e-3});
  const std::vector<double> q{0.3, 0.2}, v{-1, 0.5};
  sim.set_coordinates(q, v);
  sim.ctrl()[0] = 0.7;
  const double length = 0.5 * 0.3 - 1.5 * 0.2, rate = 0.5 * -1 - 1.5 * 0.5, p = 4 * 0.7 + 1 - 10 * length - 2 * rate;
  EXPECT_NEAR(pushed(sim).x, 0.5 * p / 2, 1e-10);
  EXPECT_NEAR(pushed(sim).y, -1.5 * p / 3, 1e-10);
}

// (2 d²/dt² + …): both sliders under a stiff servo, whose set-point is met: 0.5 a − 1.5 b = (4 u + 1)/10 ; implicit, so at any step.
TEST(Controls, along_a_tendon_are_stable_however_stiff) {
  for (const Method method : {Method::operational, Method::spook}) {
    Simulation sim(sliders("<general tendon='both' biastype='affine' gainprm='1e6' biasprm='0 -1e6 -1e5'/>"),
                   {.method = method, .step = 1e-2});
    sim.ctrl()[0] = 0.1;
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(sim.step().ok());
    EXPECT_NEAR(0.5 * sim.q()[0] - 1.5 * sim.q()[1], 0.1, 1e-6) << int(method);
  }
}

TEST(Controls, with_a_gain_that_depends_on_the_speed_damp) {
  Simulation sim(sliders("<damper joint='b' kv='6' ctrlrange='0 2'/>"), {.step = 1e-3});
  const std::vector<double> q{0, 0}, v{0, 2};
  sim.set_coordinates(q, v);
  sim.ctrl()[0] = 1.5;
  EXPECT_NEAR(pushed(sim).y, -6 * 1.5 * 2 / 3.0, 1e-10);
}

TEST(Controls, are_columns_of_a_recording) {
  Simulation sim(sliders("<position name='servo' joint='a' kp='10'/>"), {.step = 1e-3});
  sim.ctrl()[0] = 0.25;
  const std::vector<std::string> names = column_names(sim.model());
  std::vector<double> row(names.size());
  sample(sim, row);
  const auto value = [&](const char* name) {
    return row.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  };
  EXPECT_EQ(value("ctrl.servo"), 0.25);
  EXPECT_NEAR(value("actuator.servo.force"), 2.5, 1e-12);
}

double farthest(std::span<const double> a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Its weight pulls the arm off by no more than τ/kp, which for these gains (≥ 2000 N·m/rad, weights ≤ 35 N·m) is below 0.02 rad.
TEST(Controls, hold_the_panda_at_its_home_pose) {
  const Scene scene = load(kRobots + "panda.xml", {}, {.missing_meshes = true, .keyframe = "home"});
  for (const double step : {2e-3, 1e-2}) {
    Simulation sim(scene, {.method = Method::operational, .step = step});
    ASSERT_EQ(sim.ctrl().size(), 8u);
    const std::vector<double> start(sim.q().begin(), sim.q().end());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sim.step().ok());
    EXPECT_LT(farthest(sim.q(), start), 0.02) << step;
    for (const double rate : sim.v()) EXPECT_NEAR(rate, 0, 1e-3) << step;
  }
}

// The robot of the file on a floor.
Scene on_floor(const std::string& file, const std::string& keyframe) {
  const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / ("floor_" + file);
  std::ofstream(path) << "<mujoco><include file='" << kRobots << file
                      << "'/><worldbody><geom type='plane' size='0 0 .1'/></worldbody></mujoco>";
  return load(path, {}, {.missing_meshes = true, .keyframe = keyframe});
}

TEST(Controls, let_go1_stand_on_its_servos) {
  const Scene scene = on_floor("go1.xml", "home");
  Simulation sim(scene, {.method = Method::operational, .step = 2e-3});
  const double height = sim.body("trunk").position.z;
  ASSERT_TRUE(sim.advance_to(2).ok());
  const BodyState settled = sim.body("trunk");
  ASSERT_TRUE(sim.advance_to(10).ok());
  EXPECT_GT(sim.body("trunk").position.z, 0.8 * height);
  EXPECT_LT(norm(sim.body("trunk").position - settled.position), 1e-3);
  EXPECT_LT(norm(sim.body("trunk").velocity), 1e-4);
}

}  // namespace controls_test
}  // namespace catena
