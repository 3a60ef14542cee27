// Sensors by name, beside what a pendulum reads by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"

namespace catena {
namespace sensors_test {

constexpr double kG = 9.81, kMass = 2, kLength = 0.5;

// A ball of 2 kg on a massless rod of 0.5 m, which hangs down at the coordinate 0 and turns about y. The site sits in the middle of the ball,
// its z axis along the rod, up.
Scene pendulum(const std::string& more = "") {
  return load_text(R"(<mujoco><compiler angle="radian"/><worldbody><body name="rod" pos="0 0 1">
    <joint name="pivot" axis="0 -1 0" )" +
                   more + R"(/>
    <inertial pos="0 0 -0.5" mass="2" diaginertia="0.01 0.01 0.01"/><site name="tip" pos="0 0 -0.5"/></body></worldbody>
    <sensor><accelerometer name="felt" site="tip"/><gyro name="gyro" site="tip"/><velocimeter name="speed" site="tip"/>
      <force name="force" site="tip"/><torque name="torque" site="tip"/><jointpos name="angle" joint="pivot"/>
      <jointvel name="rate" joint="pivot"/><framepos name="place" objtype="site" objname="tip"/>
      <framequat name="turn" objtype="site" objname="tip"/><framelinvel name="velocity" objtype="site" objname="tip"/>
      <framelinacc name="acceleration" objtype="site" objname="tip"/><subtreecom name="middle" body="rod"/>
      <clock name="clock"/></sensor></mujoco>)");
}

Vec3 vector_of(std::span<const double> x) { return {x[0], x[1], x[2]}; }

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Sensors, of_a_pendulum_that_hangs_still_read_its_weight_and_g_upwards) {
  Simulation sim(pendulum(), {.method = Method::lagrange, .step = 1e-3});
  expect_near(vector_of(sim.sensor("felt")), {0, 0, kG}, 1e-12);
  expect_near(vector_of(sim.sensor("gyro")), {}, 1e-12);
  expect_near(vector_of(sim.sensor("force")), {0, 0, kMass * kG}, 1e-11);
  expect_near(vector_of(sim.sensor("torque")), {}, 1e-11);
  expect_near(vector_of(sim.sensor("place")), {0, 0, 1 - kLength}, 1e-14);
  expect_near(vector_of(sim.sensor("acceleration")), {0, 0, kG}, 1e-12);
}

// θ̈ = −m g l sin θ / (m l² + I); along the rod the ball feels l θ̇² + g cos θ, across it l θ̈ + g sin θ.
TEST(Sensors, of_a_pendulum_that_swings_read_what_its_equation_of_motion_gives) {
  Simulation sim(pendulum(), {.method = Method::lagrange, .step = 1e-3});
  const std::vector<double> q{1.1}, v{-2.5};
  sim.set_coordinates(q, v);
  const double theta = q[0], w = v[0], arm = kMass * kLength * kLength + 0.01;
  const double alpha = -kMass * kG * kLength * std::sin(theta) / arm;
  EXPECT_NEAR(sim.sensor("angle")[0], theta, 1e-12);
  EXPECT_NEAR(sim.sensor("rate")[0], w, 1e-12);
  // The rod turns by −θ about y: its x axis at the tip points along growing θ.
  const Vec3 felt{kLength * alpha + kG * std::sin(theta), 0, kLength * w * w + kG * std::cos(theta)};
  expect_near(vector_of(sim.sensor("felt")), felt, 1e-10);
  expect_near(vector_of(sim.sensor("gyro")), {0, -w, 0}, 1e-12);
  expect_near(vector_of(sim.sensor("speed")), {kLength * w, 0, 0}, 1e-12);
  const Vec3 place{kLength * std::sin(theta), 0, 1 - kLength * std::cos(theta)};
  expect_near(vector_of(sim.sensor("place")), place, 1e-12);
  expect_near(vector_of(sim.sensor("middle")), place, 1e-12);
  const Vec3 ahead{std::cos(theta), 0, std::sin(theta)};
  expect_near(vector_of(sim.sensor("velocity")), (kLength * w) * ahead, 1e-12);
  // What carries the ball: its mass times what it feels; about its middle its inertia times α.
  expect_near(vector_of(sim.sensor("force")), kMass * felt, 1e-9);
  expect_near(vector_of(sim.sensor("torque")), {0, -0.01 * alpha, 0}, 1e-10);
  EXPECT_NEAR(sim.sensor("turn")[0], std::cos(theta / 2), 1e-12);
  EXPECT_NEAR(sim.sensor("turn")[2], -std::sin(theta / 2), 1e-12);
}

// A spring along the coordinate holds part of the weight: the torque sensor feels it, the bearing's reaction does not.
TEST(Sensors, read_the_torque_of_springs_and_dampers_at_the_joint) {
  Simulation sim(pendulum("stiffness='3' damping='0.4'"), {.method = Method::lagrange, .step = 1e-3});
  const std::vector<double> q{0.7}, v{1.5};
  sim.set_coordinates(q, v);
  const double arm = kMass * kLength * kLength + 0.01;
  const double alpha = (-kMass * kG * kLength * std::sin(q[0]) - 3 * q[0] - 0.4 * v[0]) / arm;
  expect_near(vector_of(sim.sensor("torque")), {0, -0.01 * alpha, 0}, 1e-10);
}

TEST(Sensors, of_a_scene_file_are_named_there_and_recorded_as_columns) {
  const Scene scene = load_text(R"(
bodies: {ball: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1], shapes: [{sphere: 0.1}]}}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
sites: {top: {body: ball, at: [0, 0, 0.1]}}
sensors:
  imu: {kind: accelerometer, site: top}
  place: {kind: framepos, body: ball}
  floor: {kind: touch, site: top}
)");
  Simulation sim(scene, {.method = Method::operational, .step = 1e-3});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(sim.step().ok());
  expect_near(vector_of(sim.sensor("imu")), {0, 0, kG}, 1e-6);
  EXPECT_NEAR(sim.sensor("floor")[0], 2 * kG, 1e-6);
  const std::vector<std::string> names = column_names(sim.model());
  std::vector<double> row(names.size());
  sample(sim, row);
  const auto at = std::find(names.begin(), names.end(), "sensor.imu[2]") - names.begin();
  ASSERT_LT(at, std::ssize(names));
  EXPECT_NEAR(row[static_cast<std::size_t>(at)], kG, 1e-6);
  EXPECT_NE(std::find(names.begin(), names.end(), "sensor.floor"), names.end());
}

TEST(Sensors, that_are_not_there_are_said_to_be_missing) {
  Simulation sim(pendulum());
  EXPECT_THROW(sim.sensor("fellt"), InputError);
  EXPECT_THROW(load_text("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nsensors: {s: {kind: gyroo, body: a}}"),
               InputError);
  EXPECT_THROW(load_text("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nsensors: {s: {kind: gyro, site: b}}"),
               InputError);
}

}  // namespace sensors_test
}  // namespace catena
