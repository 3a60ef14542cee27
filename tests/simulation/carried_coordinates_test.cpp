// Coordinates of a method that steps in them: read from the state itself, which is where its bodies are or carries none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "catena/catena.h"

namespace catena {
namespace carried_coordinates_test {

// A floating trunk on a floor with two compound hips, a slider, hinges and a ball: everything coordinates are read of.
constexpr const char* kRobot = R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body name="trunk" pos="0 0 0.52"><freejoint/><inertial pos="0 0 0" mass="5" diaginertia="0.1 0.1 0.1"/>
    <body name="left" pos="0 0.1 0"><joint name="lx" axis="1 0 0"/><joint name="ly" axis="0 1 0"/>
      <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.01"/>
      <body name="shin" pos="0 0 -0.25"><joint name="knee" axis="0 1 0" damping="0.1"/>
        <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.01"/><geom type="sphere" size="0.05" pos="0 0 -0.2"/></body></body>
    <body name="right" pos="0 -0.1 0"><joint name="rx" axis="1 0 0"/><joint name="ry" axis="0 1 0"/>
      <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.01"/>
      <body name="piston" pos="0 0 -0.25"><joint name="rail" type="slide" axis="0 0 1" stiffness="500" damping="5"/>
        <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.01"/><geom type="sphere" size="0.05" pos="0 0 -0.2"/></body></body>
    <body name="head" pos="0 0 0.2"><joint name="neck" type="ball" damping="0.05"/>
      <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.01 0.01"/></body></body></worldbody></mujoco>)";

Simulation robot() { return Simulation(load_text(kRobot), {.method = Method::operational, .step = 1e-3}); }

// By coordinates and rates, so that one bit of them that differs is seen in the motion.
void control(Simulation& sim) {
  const std::span<const double> q = sim.q(), v = sim.v();
  const std::span<double> tau = sim.tau();
  for (const char* name : {"knee", "rail"}) {
    const auto& slot = sim.layout().of(sim.joint_id(name));
    tau[static_cast<std::size_t>(slot.v)] =
        -20 * q[static_cast<std::size_t>(slot.q)] - v[static_cast<std::size_t>(slot.v)];
  }
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST(CarriedCoordinates, AreThoseOfTheBodies) {
  Simulation sim = robot();
  for (int k = 0; k < 300; ++k) {
    control(sim);
    ASSERT_TRUE(sim.step().ok());
  }
  ASSERT_FALSE(sim.state().q.empty());
  // A state without coordinates is read from its bodies.
  State bare = sim.state();
  bare.q.clear();
  bare.qd.clear();
  Simulation other = robot();
  other.set_state(bare);
  for (std::size_t i = 0; i < sim.q().size(); ++i) EXPECT_NEAR(sim.q()[i], other.q()[i], 1e-12);
  for (std::size_t i = 0; i < sim.v().size(); ++i) EXPECT_NEAR(sim.v()[i], other.v()[i], 1e-11);
}

TEST(CarriedCoordinates, AreTheSameBitsInARestoredState) {
  Simulation sim = robot();
  for (int k = 0; k < 200; ++k) {
    control(sim);
    sim.step();
  }
  Simulation other = robot();
  other.set_state(sim.state());
  EXPECT_TRUE(same_bits(sim.q(), other.q()));
  EXPECT_TRUE(same_bits(sim.v(), other.v()));
  for (int k = 0; k < 200; ++k) {
    control(sim);
    control(other);
    sim.step();
    other.step();
  }
  EXPECT_TRUE(same_bits(sim.q(), other.q()));
  EXPECT_TRUE(same_bits(sim.v(), other.v()));
}

TEST(CarriedCoordinates, FollowBodiesThatWereMovedByHand) {
  Simulation sim = robot();
  for (int k = 0; k < 20; ++k) sim.step();
  const std::vector<double> before(sim.q().begin(), sim.q().end());
  std::vector<double> moved = before;
  const auto knee = static_cast<std::size_t>(sim.layout().of(sim.joint_id("knee")).q);
  moved[knee] += 0.3;
  sim.set_coordinates(moved, sim.v());
  EXPECT_NEAR(sim.q()[knee], moved[knee], 1e-12);
  // And bodies of a state that still carries the coordinates of another moment.
  for (int k = 0; k < 20; ++k) sim.step();
  State state = sim.state();
  const auto of_knee = static_cast<std::size_t>(sim.layout().of(sim.joint_id("knee")).v);
  const double was = sim.q()[knee], rate = sim.v()[of_knee];
  const BodyId shin = sim.body_id("shin");
  state.bodies[shin].angular_velocity = state.bodies[shin].angular_velocity + Vec3{0, 0.5, 0};
  sim.set_state(state);
  EXPECT_NEAR(sim.q()[knee], was, 1e-12);
  EXPECT_NEAR(sim.v()[of_knee], rate + 0.5, 0.1);
}

}  // namespace carried_coordinates_test
}  // namespace catena
