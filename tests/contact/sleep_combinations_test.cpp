// Bodies that sleep where loops are closed, controllers push, and the method steps in joint coordinates.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace sleep_combinations_test {

using namespace testing_step;

struct Way {
  const char* name;
  Options options;
};
const Way kWays[] = {
    {"lagrange", {.method = Method::lagrange, .step = 1e-3}},
    {"lagrange reduced", {.method = Lagrange{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"impulse", {.method = Method::impulse, .step = 1e-3}},
    {"impulse reduced", {.method = Impulse{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"spook", {.method = Method::spook, .step = 1e-3}},
    {"spook reduced", {.method = Spook{.coordinates = Coordinates::reduced}, .step = 1e-3}},
    {"operational", {.method = Method::operational, .step = 1e-3}},
    {"operational maximal", {.method = Operational{.coordinates = Coordinates::maximal}, .step = 1e-3}}};

Options sleeping(Options options) {
  options.sleep = true;
  return options;
}

// A parallelogram that the friction of one of its joints holds, and a box on the floor that hits nothing.
const char* const kLoop = R"(
ground: {shapes: [{plane: {offset: -2}}]}
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0.25]}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.5, 0, 0.5]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [1, 0, 0.25]}
  box: {mass: 1, position: [5, 0, -1.95], shapes: [{box: [0.1, 0.1, 0.1]}]}
joints:
  base: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0], friction: 8}
  left: {kind: hinge, between: [crank, coupler], anchor: [0, 0, 0.5], axis: [0, 1, 0]}
  right: {kind: hinge, between: [coupler, rocker], anchor: [1, 0, 0.5], axis: [0, 1, 0]}
  post: {kind: hinge, between: [rocker, ground], anchor: [1, 0, 0], axis: [0, 1, 0]}
)";

TEST(SleepCombinations, a_loop_sleeps_whole_and_a_push_on_any_of_its_bodies_wakes_it) {
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(load_text(kLoop), sleeping(way.options));
    advance(sim, 1.2);
    ASSERT_EQ(sim.step().asleep, 4);
    const double energy = sim.energy().total(), drift = sim.drift().scaled;
    advance(sim, 2);
    EXPECT_EQ(sim.energy().total(), energy);
    EXPECT_EQ(sim.drift().scaled, drift);
    // 40 N on the rocker, half way up, are 10 N m: the friction holds 8. The loop moves as one, the box sleeps on.
    const BodyId rocker = sim.body_id("rocker");
    sim.set_force(rocker, {40, 0, 0});
    EXPECT_EQ(sim.step().asleep, 1);  // the box
    advance(sim, 2.2);
    const double turn = sim.joint("base").position();
    EXPECT_GT(std::abs(turn), 1e-3);
    EXPECT_NEAR(std::abs(sim.joint("post").position()), std::abs(turn), 1e-5);
    EXPECT_LE(sim.drift().scaled, 1e-5);
  }
}

// Who computes torques from what he reads sees a body asleep as it is, computes the same torque, and does not wake it. Another set-point does.
TEST(SleepCombinations, a_controller_holds_an_arm_that_sleeps_and_wakes_it_with_another_set_point) {
  const char* const text = R"(
bodies:
  arm: {mass: 1, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.25]}
joints:
  hip: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 1, 0], friction: 0.2}
)";
  for (const Way& way : kWays) {
    SCOPED_TRACE(way.name);
    Simulation sim(load_text(text), sleeping(way.options));
    double wanted = 0.3;
    const auto control = [&] {
      const double q = sim.joint("hip").position(), rate = sim.joint("hip").velocity();
      sim.joint("hip").set_torque(60 * (wanted - q) - 4 * rate);
    };
    const auto run = [&](double until) {
      int asleep = 0;
      while (sim.time() < until - 1e-9) {
        control();
        const StepReport report = sim.step();
        ASSERT_TRUE(report.ok()) << report.message;
        asleep = report.asleep;
      }
      EXPECT_EQ(asleep, 1) << "t = " << sim.time();
    };
    run(3);
    const double first = sim.joint("hip").position();
    EXPECT_NEAR(60 * (wanted - first), 0.25 * 9.81 * std::sin(first), 0.2 + 1e-6);
    wanted = 0.6;
    control();
    EXPECT_EQ(sim.step().asleep, 0);
    run(6);
    const double second = sim.joint("hip").position();
    EXPECT_NEAR(60 * (wanted - second), 0.25 * 9.81 * std::sin(second), 0.2 + 1e-6);
  }
}

}  // namespace sleep_combinations_test
}  // namespace catena
