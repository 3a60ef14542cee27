// What the methods that integrate forces or close joints by impulses have in common in joint coordinates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "step/reduced_cases.h"

namespace catena {
namespace reduced_steps_test {

using namespace testing_step;

struct Way {
  const char* name;
  Options reduced, maximal;
  std::vector<Options> with_rotors;  // that know them in joint coordinates
  double
      step_error;  // what both may differ by after a second of slow motion: the order of the method, at steps of 1 ms
};
void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class ReducedSteps : public testing::TestWithParam<Way> {};

Options impulse(Coordinates coordinates) {
  return {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12, .coordinates = coordinates},
          .step = 1e-3};
}
Options lagrange(Coordinates coordinates) { return {.method = Lagrange{.coordinates = coordinates}, .step = 1e-3}; }
Options adaptive_in_joint_coordinates() {
  return {
      .method = Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-12, .coordinates = Coordinates::reduced},
      .step = 1e-3};
}

INSTANTIATE_TEST_SUITE_P(Methods, ReducedSteps,
                         testing::Values(Way{"lagrange",
                                             lagrange(Coordinates::reduced),
                                             lagrange(Coordinates::maximal),
                                             {lagrange(Coordinates::reduced), adaptive_in_joint_coordinates()},
                                             1e-8},
                                         Way{"impulse",
                                             impulse(Coordinates::reduced),
                                             impulse(Coordinates::maximal),
                                             {impulse(Coordinates::reduced)},
                                             1e-5}),
                         [](const testing::TestParamInfo<Way>& way) { return std::string(way.param.name); });

// A rotor is inertia along the coordinate: a pendulum with armature a swings as one of inertia I + a does, explicitly and to fourth order.
TEST_P(ReducedSteps, rotors_are_part_of_the_equations) {
  const char* const text = R"(
bodies:
  rod: {{mass: 1, inertia: [0.1, {}, 0.1], position: [0.4, 0, -0.3]}}
  tip: {{mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0.8, 0, -0.6]}}
joints:
  pivot: {{kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0], armature: {}}}
  wrist: {{kind: ball, between: [rod, tip], anchor: [0.8, 0, -0.6]}}
)";
  for (const Options& options : GetParam().with_rotors) {
    Simulation rotor(scene_of(fmt::format(fmt::runtime(text), 0.1, 0.3)), options);
    Simulation heavy(scene_of(fmt::format(fmt::runtime(text), 0.4, 0)), options);
    EXPECT_TRUE(rotor.warnings().empty()) << rotor.warnings().front();
    advance(rotor, 1);
    advance(heavy, 1);
    EXPECT_NEAR(rotor.joint("pivot").position(), heavy.joint("pivot").position(), 1e-9);
    EXPECT_NEAR(rotor.energy().total(), heavy.energy().total(), 1e-9);
    // The rotor carries a torque of its own; the pin feels the same force.
    EXPECT_LE(norm(rotor.joint("pivot").reaction().linear - heavy.joint("pivot").reaction().linear), 1e-6);
  }
}

// Motors that prescribe a velocity are held rows: they are met, and what they do is booked.
TEST_P(ReducedSteps, motors_move_as_asked_and_their_work_is_booked) {
  const Scene scene = scene_of(R"(
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]}
  rod: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0]}
joints:
  drive: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: {sine: {amplitude: 2, frequency: 1}}}}
  pin: {kind: hinge, between: [crank, rod], anchor: [1, 0, 0], axis: [0, 1, 0]}
)");
  Simulation here(scene, GetParam().reduced), there(scene, GetParam().maximal);
  advance(here, 0.7);
  advance(there, 0.7);
  EXPECT_NEAR(here.joint("drive").velocity(), 2 * std::sin(2 * M_PI * 0.7), 1e-11);
  EXPECT_LE(distance(here.state(), there.state()), GetParam().step_error);
  EXPECT_GT(std::abs(there.energy().ledger.motors), 0.1);
  EXPECT_NEAR(here.energy().ledger.motors, there.energy().ledger.motors, 10 * GetParam().step_error);
}

TEST_P(ReducedSteps, a_restored_state_goes_on_with_the_same_bits) {
  std::vector<ReducedCase> cases = smooth_cases();
  for (const ReducedCase& c : lawful_cases()) cases.push_back(c);
  for (const ReducedCase& c : cases) {
    SCOPED_TRACE(c.name);
    Simulation whole(c.scene, GetParam().reduced), restored(c.scene, GetParam().reduced);
    advance(whole, 0.05);
    const State saved = whole.state();
    advance(whole, 0.15);
    restored.set_state(saved);
    restored.evaluate();  // reading changes nothing
    advance(restored, 0.15);
    EXPECT_EQ(distance(whole.state(), restored.state()), 0);
    EXPECT_EQ(whole.state().q, restored.state().q);
    EXPECT_EQ(whole.state().qd, restored.state().qd);
    EXPECT_EQ(whole.state().ledger.projection, restored.state().ledger.projection);
  }
}

TEST_P(ReducedSteps, reading_a_run_between_its_steps_does_not_change_it) {
  for (const ReducedCase& c : lawful_cases()) {
    SCOPED_TRACE(c.name);
    Simulation read(c.scene, GetParam().reduced), alone(c.scene, GetParam().reduced);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(read.step().ok());
      ASSERT_TRUE(alone.step().ok());
      read.evaluate();
      read.energy();
      read.drift();
    }
    EXPECT_EQ(distance(read.state(), alone.state()), 0);
    EXPECT_EQ(read.state().q, alone.state().q);
  }
}

TEST_P(ReducedSteps, what_it_does_not_take_is_refused_with_the_reason) {
  const auto refusal = [](const std::string& text, const Options& options) -> std::string {
    try {
      Simulation sim(scene_of(text), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal("bodies:\n  jelly: {kind: scalable, mass: 1, inertia: [1, 1, 1]}\n", GetParam().reduced)
                .find("joint coord"),
            std::string::npos);
}

}  // namespace reduced_steps_test
}  // namespace catena
