#include "catena/simulation/equilibrium.h"

#include <gmock/gmock.h>

#include <cmath>

#include "catena/scene/scene.h"

namespace catena {
namespace equilibrium_test {

TEST(Equilibrium, IsWhereThePotentialIsLeastAndNotWhereItIsFlat) {
  Simulation simulation(load_text(R"(
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 1e-3], position: [0, 0, -0.5]}
  lower: {mass: 1, inertia: [0.1, 0.1, 1e-3], position: [0, 0, -1.5]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0]}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0, 0, -1], axis: [0, 1, 0]}
)"));
  simulation.set_coordinates(std::vector<double>{3.0, 0.3}, std::vector<double>{1.0, 2.0});
  const Equilibrium found = find_equilibrium(simulation);
  EXPECT_TRUE(found.found) << found.message;
  EXPECT_TRUE(found.stable);
  EXPECT_FALSE(found.settled);
  EXPECT_LE(found.residual, 1e-10 * found.scale);
  for (const double angle : simulation.q()) {  // whole turns aside
    EXPECT_NEAR(std::sin(angle), 0, 1e-8);
    EXPECT_NEAR(std::cos(angle), 1, 1e-8);
  }
  EXPECT_EQ(simulation.v()[0], 0);
  EXPECT_EQ(simulation.time(), 0);
  // Exactly upright nothing pushes: an equilibrium, and said to be unstable.
  simulation.set_coordinates(std::vector<double>{M_PI, 0.0}, std::vector<double>{0, 0});
  const Equilibrium upright = find_equilibrium(simulation, {.tolerance = 1e-12});
  EXPECT_TRUE(upright.found);
  EXPECT_FALSE(upright.stable);
}

TEST(Equilibrium, OfAClosedLoopWithASpringIsWhereTheForcesBalance) {
  Simulation simulation(load_text(R"(
bodies:
  left: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0, 0, 0.25]}
  coupler: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [0.5, 0, 0.5]}
  right: {mass: 1, inertia: [0.02, 0.02, 1e-3], position: [1, 0, 0.25]}
joints:
  base: {kind: hinge, between: [ground, left], anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 20, rest: 0.4}
  a: {kind: hinge, between: [left, coupler], anchor: [0, 0, 0.5], axis: [0, 1, 0]}
  b: {kind: hinge, between: [coupler, right], anchor: [1, 0, 0.5], axis: [0, 1, 0]}
  post: {kind: hinge, between: [ground, right], anchor: [1, 0, 0], axis: [0, 1, 0]}
)"));
  const Equilibrium found = find_equilibrium(simulation);
  ASSERT_TRUE(found.found) << found.message;
  EXPECT_TRUE(found.stable);
  // Upright cranks: gravity pulls with m g (L/2 + L/2 + L) sin θ, the spring with 20 (0.4 − θ).
  const double angle = simulation.joint("base").position();
  EXPECT_NEAR(9.81 * std::sin(angle) + 20 * (0.4 - angle), 0, 1e-7);
  EXPECT_LT(simulation.drift().position, 1e-12);
  EXPECT_LT(found.iterations, 12);  // Newton's
}

TEST(Equilibrium, InAContactIsFoundByLettingGo) {
  Simulation simulation(load_text(R"(
bodies: {box: {mass: 2, position: [0, 0, 0.13], shapes: [{box: [0.2, 0.2, 0.2]}]}}
ground: {shapes: [{plane: {}}]}
)"));
  const Equilibrium found = find_equilibrium(simulation);
  EXPECT_TRUE(found.found) << found.message;
  EXPECT_TRUE(found.settled);
  EXPECT_NEAR(simulation.body("box").position.z, 0.1, 1e-6);
  EXPECT_EQ(norm(simulation.body("box").velocity), 0);
  EXPECT_EQ(simulation.time(), 0);
}

TEST(Equilibrium, ThatThereIsNotIsSaidAndNothingMoves) {
  for (const char* text : {R"(
bodies: {stone: {mass: 1, inertia: 1}}
)",
                           R"(
bodies: {wheel: {mass: 1, inertia: 1}}
joints: {axle: {kind: hinge, between: [ground, wheel], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: 2}}}
)"}) {
    Simulation simulation(load_text(text));
    const Equilibrium found = find_equilibrium(simulation, {.iterations = 20});
    EXPECT_FALSE(found.found);
    EXPECT_NE(found.message, "");
    EXPECT_EQ(simulation.state().bodies[0].position.z, 0);
  }
}

// What drives a simulation is a part of what decides its next step.
TEST(Drive, ComesBackAndIsCheckedAtTheDoor) {
  const Scene scene = load_text(R"(
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [1, 0, 0]}}
joints: {j: {kind: hinge, between: [a, b], anchor: [0.5, 0, 0], axis: [0, 0, 1]}}
)");
  Simulation first(scene), second(scene);
  first.joint("j").set_torque(0.3);
  first.tau()[2] = 4;
  first.set_force(BodyId(0), {1, 2, 3}, {0.1, 0.2, 0.3});
  first.add_force_at(BodyId(1), {0, 5, 0}, {0.1, 0, 0});
  for (int i = 0; i < 10; ++i) first.step();
  second.set_state(first.state());
  second.set_drive(first.drive());
  for (int i = 0; i < 10; ++i) first.step(), second.step();
  EXPECT_EQ(first.body("b").position, second.body("b").position);
  EXPECT_EQ(first.body("a").angular_velocity, second.body("a").angular_velocity);
  Drive wrong = first.drive();
  wrong.tau.pop_back();
  EXPECT_THROW(second.set_drive(wrong), InputError);
  wrong = first.drive();
  wrong.body_forces[1].linear.y = NAN;
  EXPECT_THROW(second.set_drive(wrong), InputError);
  wrong = first.drive();
  wrong.point_forces[0].body = 2;
  EXPECT_THROW(second.set_drive(wrong), InputError);
}

}  // namespace equilibrium_test
}  // namespace catena
