// Mechanisms led by hand: the point arrives where the joints let it, every loop stays closed, motors let go.
#include "catena/simulation/manipulator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"
#include "source_dir.h"

namespace catena {
namespace manipulator_test {

Scene example(const char* name) { return load(source_dir() + "/examples/" + name); }

TEST(Manipulator, LeadsABodyAroundALoopThatStaysClosed) {
  Simulation simulation(example("jansen_legs.yaml"));
  Manipulator manipulator(simulation.model(), simulation.state(), simulation.settings().method.solver());
  const BodyId crank = simulation.model().body("crank");
  State state = simulation.state();
  // The tip of the crank once around its circle of 15 cm, in sixty moves of the cursor.
  for (int i = 1; i <= 60; ++i) {
    const double angle = 2 * M_PI * i / 60;
    const Vec3 target{0.15 * std::cos(angle), 0, 1 - 0.15 * std::sin(angle)};
    const Drift drift = manipulator.pull(crank, {0.075, 0, 0}, target, state);
    EXPECT_LE(drift.position, 1e-9) << i;
    EXPECT_LE(drift.angle, 1e-9) << i;
    const BodyState& s = state.bodies[crank];
    EXPECT_LT(norm(s.position + rotate(s.orientation, Vec3{0.075, 0, 0}) - target), 1e-6) << i;
  }
  // What was led is what the simulation goes on from.
  simulation.set_state(state);
  EXPECT_LE(simulation.drift().position, 1e-9);
  EXPECT_TRUE(simulation.advance_to(simulation.time() + 0.01).ok());
  EXPECT_NEAR(state.joint_angles[simulation.model().joint("drive")][0], 2 * M_PI, 1e-6);  // whole turns are counted
}

TEST(Manipulator, GoesAsFarAsTheJointsLetIt) {
  Simulation simulation(example("four_bar.yaml"));
  Manipulator manipulator(simulation.model(), simulation.state(), simulation.settings().method.solver());
  State state = simulation.state();
  const Drift drift = manipulator.pull(BodyId(0), {}, {100, 100, 100}, state);
  EXPECT_LE(drift.position, 1e-9);
  for (const BodyState& s : state.bodies) {
    EXPECT_LT(norm(s.position), 50);
    EXPECT_EQ(norm(s.velocity), 0);
  }
}

TEST(Manipulator, AFreeBodyFollows) {
  Scene scene = load_text("bodies: {box: {mass: 2, inertia: [1, 2, 2.5], position: [0.1, 0.2, 0.3]}}\n");
  Simulation simulation(scene);
  Manipulator manipulator(simulation.model(), simulation.state(), simulation.settings().method.solver());
  State state = simulation.state();
  for (int call = 0; call < 10; ++call) manipulator.pull(BodyId(0), {0.5, 0, 0}, {1, -1, 0.5}, state);
  const BodyState& s = state.bodies[0];
  EXPECT_LT(norm(s.position + rotate(s.orientation, Vec3{0.5, 0, 0}) - Vec3{1, -1, 0.5}), 1e-6);
}

TEST(Manipulator, AForceAtTheTipFeelsTheMassItMoves) {
  Scene scene = load_text(
      "bodies: {rod: {mass: 3, inertia: [1, 1, 0.1], position: [1, 0, 0]}}\n"
      "joints: {pivot: {kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0]}}\n");
  Simulation simulation(scene);
  Manipulator manipulator(simulation.model(), simulation.state(), simulation.settings().method.solver());
  // About the pivot: I = 1 + 3·1², felt at 2 m as I / 2².
  EXPECT_NEAR(manipulator.effective_mass(BodyId(0), {1, 0, 0}, simulation.state()), 1.0, 1e-9);
}

}  // namespace manipulator_test
}  // namespace catena
