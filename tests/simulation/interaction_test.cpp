// Interaction by constraints while the simulation runs: a hand that goes where the program says takes hold of a body by a joint, carries it and
// lets it go. By every method, with nothing but the library's doors.                                        Bender §5, Baraff §4.2
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"

namespace catena {
namespace interaction_test {

// The load hangs on a chain of two links in one scene and lies on the floor in the other.
const char* const kChain = R"(
bodies:
  hand: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -1]}
  upper: {mass: 0.5, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.25]}
  lower: {mass: 0.5, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.75]}
joints:
  hook: {kind: ball, between: [ground, upper], anchor: [0, 0, 0]}
  knee: {kind: ball, between: [upper, lower], anchor: [0, 0, -0.5]}
  lead: {kind: weld, between: [ground, hand], moves: guided}
  grip: {kind: ball, between: [hand, lower], anchor: [0, 0, -1], attached: no}
)";
const char* const kFloor = R"(
defaults: {friction: 0.4}
bodies:
  hand: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0.2]}
  box: {mass: 2, position: [0, 0, 0.1], shapes: [{box: [0.2, 0.2, 0.2]}]}
joints:
  lead: {kind: weld, between: [ground, hand], moves: guided}
  grip: {kind: ball, between: [hand, box], anchor: [0.1, 0, 0.2], attached: no}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
)";

class Interaction : public ::testing::TestWithParam<Method> {};

double gap(const Simulation& sim, const char* body, const Vec3& point) {
  const BodyState& s = sim.body(body);
  return norm(s.position + rotate(s.orientation, point) - sim.body("hand").position);
}

TEST_P(Interaction, a_hand_swings_a_chain_and_lets_it_go) {
  Simulation sim(load_text(kChain), {.method = GetParam(), .step = 1e-3});
  ASSERT_TRUE(sim.advance_to(0.05).ok());
  EXPECT_LT(norm(sim.body("lower").position - Vec3{0, 0, -0.75}), 1e-6) << "not held yet, it hangs";
  sim.joint("grip").attach();
  double worst = 0;
  for (int i = 1; i <= 300; ++i) {  // along a circle about the hook, a little inside of the reach
    const double angle = 0.8 * (1 - std::cos(M_PI * i / 300)) / 2, reach = 1 - 0.05 * angle;
    sim.set_mocap("hand", {reach * std::sin(angle), 0, -reach * std::cos(angle)}, {}, 1e-3);
    const StepReport report = sim.step();
    ASSERT_TRUE(report.ok()) << report.message;
    worst = std::max(worst, gap(sim, "lower", {0, 0, -0.25}));
  }
  EXPECT_LT(worst, 2e-6);  // the tolerance of impulse
  EXPECT_NEAR(sim.body("hand").position.x, 0.96 * std::sin(0.8), 1e-6);
  sim.joint("grip").detach();
  const Energy before = sim.energy();
  ASSERT_TRUE(sim.advance_to(sim.time() + 0.2).ok());
  EXPECT_GT(gap(sim, "lower", {0, 0, -0.25}), 0.05) << "let go, it falls back";
  EXPECT_NEAR(sim.energy().total(), before.total(), 2e-3 * std::abs(before.total()));
}

TEST_P(Interaction, a_hand_drags_a_box_over_the_floor_and_lifts_it) {
  Simulation sim(load_text(kFloor), {.method = GetParam(), .step = 1e-3});
  ASSERT_TRUE(sim.advance_to(0.02).ok());
  sim.joint("grip").attach();
  double worst = 0;
  const auto lead = [&](const Vec3& to, double over) {
    sim.set_mocap("hand", to, {}, over);
    for (const double end = sim.time() + over; sim.time() < end - 1e-9;) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      worst = std::max(worst, gap(sim, "box", {0.1, 0, 0.1}));
    }
  };
  lead({0.2, 0, 0.2}, 0.2);   // along the floor
  lead({0.25, 0, 0.6}, 0.2);  // up, into the air
  EXPECT_LT(worst, 2e-6);
  EXPECT_GT(sim.body("box").position.z, 0.25);
  EXPECT_GT(norm(sim.joint("grip").reaction().linear), 1);
  sim.joint("grip").detach();
  ASSERT_TRUE(sim.advance_to(sim.time() + 1).ok());
  EXPECT_NEAR(sim.body("box").position.z, 0.1, 0.05) << "it has fallen back";
}

std::string name_of_way(const ::testing::TestParamInfo<Method>& info) {
  constexpr const char* kNames[] = {"lagrange", "impulse", "spook", "operational"};
  return kNames[info.index];
}
INSTANTIATE_TEST_SUITE_P(Methods, Interaction,
                         ::testing::Values(Method::lagrange, Method::impulse, Method::spook, Method::operational),
                         name_of_way);

}  // namespace interaction_test
}  // namespace catena
