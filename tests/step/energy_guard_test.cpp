// No step gives energy away: stiff motion halves the step, rotors are kinetic energy, limits and overlaps at the start open slowly.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace {

using namespace testing_step;

// Links of 10 g under the weight of 100 kg: they vibrate sideways at √(m g / (μ l)) = 1000 rad/s, beyond what an explicit step of 1 ms bears.
TEST(EnergyGuard, a_heavy_ball_on_a_light_chain_keeps_its_energy_in_joint_coordinates) {
  const Scene scene = load_text(R"(
chain: {count: 20, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.01, shapes: [{box: [0.1, 0.01, 0.01], collide: no}]}}
bodies: {ball: {mass: 100, position: [2.1, 0, 0], shapes: [{sphere: 0.1}]}}
joints: {w: {kind: weld, between: [link19, ball]}}
ground: {shapes: [{plane: {offset: -5}}]}
)");
  Simulation simulation(scene, Options{.method = Method::operational, .step = 1e-3});
  const double before = simulation.energy().total();
  int halvings = 0;
  for (int i = 0; i < 700; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    halvings += report.halvings;
  }
  EXPECT_GT(halvings, 0);
  // Each of the 64 parts of a step may err by the tuned 1e-6 of the energy scale (2 kJ in the swing); errors of both signs occur.
  EXPECT_NEAR(simulation.energy().total(), before, 0.5);
}

// A rotor of inertia a on a hinge under a constant torque: (I + a) q̈ = τ, and all of the work is kinetic energy.
TEST(EnergyGuard, the_work_on_a_joint_with_armature_is_the_kinetic_energy_of_body_and_rotor) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {wheel: {mass: 2, inertia: [0.3, 0.3, 0.5]}}
joints: {axle: {kind: hinge, between: [ground, wheel], anchor: [0, 0, 0], axis: [0, 0, 1], armature: 1.5}}
)");
  for (const Method method : {Method::operational, Method::spook}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    simulation.joint("axle").set_torque(4.0);
    ASSERT_TRUE(simulation.advance_to(1).ok());
    const double rate = 4.0 / (0.5 + 1.5);
    EXPECT_NEAR(simulation.v()[0], rate, 1e-9);
    EXPECT_NEAR(simulation.energy().kinetic, 0.5 * (0.5 + 1.5) * rate * rate, 1e-9);
    EXPECT_NEAR(simulation.energy().ledger.numerical, 0, 1e-9);
  }
}

// A hinge that starts half a radian outside its limits, against a spring: it is brought back at 1 rad/s, and what that takes is booked.
TEST(EnergyGuard, a_joint_that_starts_outside_its_limits_comes_back_at_a_bounded_speed) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {elbow: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1], stiffness: 100, limits: {lower: 0.5, upper: 2}}}
)");
  Simulation simulation(scene, Options{.method = Method::operational, .step = 2e-3});
  const double before = simulation.energy().total();
  double last = simulation.q()[0];
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_LE(simulation.q()[0] - last, 2e-3 * (1 + 1e-6) + 2e-3 * std::abs(simulation.v()[0]));
    last = simulation.q()[0];
  }
  EXPECT_NEAR(last, 0.5, 1e-5);
  const Energy energy = simulation.energy();
  EXPECT_NEAR(energy.total() - before, energy.ledger.projection + energy.ledger.contacts + energy.ledger.numerical,
              1e-6);
  EXPECT_NEAR(energy.potential, 0.5 * 100 * 0.5 * 0.5, 1e-3);
}

}  // namespace
}  // namespace catena
