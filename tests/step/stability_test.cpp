// Steps that a method cannot take are taken by the implicit scheme: nothing stops, nothing gains energy, and the report says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bench/soak.h"
#include "catena/mechanism/stiffness.h"
#include "catena/simulation/choose_method.h"
#include "step/step_testing.h"

namespace catena {
namespace stability_test {

using namespace testing_step;

constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

// What no step may raise: energy less the work done.
double without_work(const Simulation& simulation) {
  const Energy energy = simulation.energy();
  const Ledger& l = energy.ledger;
  return energy.total() - l.motors - l.actuators - l.external - l.damping - l.contacts;
}

// A hinge that holds a beam by a servo 30 times too stiff for explicit steps of 1 ms: at rest kp (q − target) = −m g l cos q.
const char* const kStiffServo = R"(
bodies: {arm: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.5, 0, 0]}}
joints: {hinge: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, -1, 0]}}
actuators: [{joint: hinge, kind: position, signal: 0.1, kp: 1e6, kv: 1e4}]
)";

TEST(Stability, a_servo_too_stiff_for_the_step_holds_by_every_method) {
  const Scene scene = load_text(kStiffServo);
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    const StepReport report = simulation.advance_to(0.3);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_NEAR(simulation.q()[0], 0.1 - 9.81 * 0.5 * std::cos(0.1) / 1e6, 1e-9);
    EXPECT_NEAR(simulation.v()[0], 0, 1e-6);
    const bool explicit_one = method == Method::lagrange || method == Method::impulse;
    EXPECT_EQ(report.replaced, explicit_one ? 300 : 0);
    EXPECT_EQ(simulation.warnings().empty(), !explicit_one);
  }
}

TEST(Stability, auto_takes_no_explicit_method_where_something_is_stiff_for_the_step) {
  const Scene scene = load_text(kStiffServo);
  Settings settings;
  settings.step = 1e-3;
  const MethodChoice coarse = choose_method(scene.model, scene.initial, settings);
  EXPECT_EQ(coarse.method, Method::operational);
  EXPECT_NE(coarse.why.find("joint 'hinge' is stiff"), std::string::npos) << coarse.why;
  settings.step = 1e-6;
  EXPECT_EQ(choose_method(scene.model, scene.initial, settings).method, Method::lagrange);
}

// w = 1/(I + m l²) of the hinge, not the 1/I of a body without it.
TEST(Stability, the_stiffness_ratio_counts_the_inertia_that_the_joints_leave) {
  const Scene scene = load_text(kStiffServo);
  const double h = 1e-3, inertia = 0.01 + 1 * 0.5 * 0.5;
  const Stiffness stiffness = stiffness_of_steps(scene.model, scene.initial, h);
  EXPECT_NEAR(stiffness.ratio, (h * 1e4 + h * h * 1e6) / inertia, 1e-6);
  EXPECT_EQ(stiffness.part, "joint 'hinge'");
}

// 10 rad in a step: no scheme follows that. The energy is kept, or falls.
TEST(Stability, a_body_that_turns_ten_radians_in_a_step_gains_no_energy) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {top: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1e4, 1, 1e4]}}
)");
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    const double first = without_work(simulation);
    for (int i = 0; i < 40; ++i) {
      const double before = without_work(simulation);
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_LE(without_work(simulation) - before, 1e-6 * first);
    }
  }
}

// 30 links of 0.1 kg with 1000 kg at the end, let go from the side: what an explicit step of 1 ms cannot bear.
TEST(Stability, a_heavy_load_on_a_light_chain_gains_nothing_in_any_step_by_any_method) {
  const Scene scene = load_text(R"(
chain: {count: 30, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.1, shapes: [{box: [0.1, 0.02, 0.02], collide: no}]}}
bodies: {load: {mass: 1000, position: [3.2, 0, 0], shapes: [{sphere: 0.2, collide: no}]}}
joints: {w: {kind: weld, between: [link29, load]}}
)");
  for (const Method method : kMethods) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 2e-3});
    const double scale = 1003 * 9.81 * simulation.size();
    for (int i = 0; i < 60; ++i) {
      const double before = without_work(simulation), kinetic = simulation.energy().kinetic;
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      // Twice the guard of a step: the parts of one are compared with what they began with.
      EXPECT_LE(without_work(simulation) - before, 2e-6 * (scale + kinetic)) << "at " << simulation.time();
    }
  }
}

// A ball or a box of centimetres, fast enough to be past a wall of centimetres within one step.
TEST(Stability, nothing_passes_through_a_wall_in_one_step) {
  for (const Method method : kMethods)
    for (const double speed : {30.0, 300.0, 3000.0})
      for (const char* shape : {"sphere: 0.01", "box: [0.02, 0.02, 0.02]"})
        for (const bool moving : {false, true}) {
          SCOPED_TRACE(fmt::format("method {}, {} m/s, {}, {}", static_cast<int>(method), speed, shape, moving));
          const std::string wall = "shapes: [{box: [0.02, 4, 4]}]";
          const Scene scene = load_text(fmt::format(
              "gravity: [0, 0, 0]\nbodies:\n"
              "  shot: {{mass: 1, position: [-0.5, 0, 0], velocity: [{}, {}, 0], shapes: [{{{}}}]}}\n{}",
              speed, 0.1 * speed, shape, moving ? "  wall: {mass: 1000, " + wall + "}\n" : "ground: {" + wall + "}\n"));
          Simulation simulation(scene, Options{.method = method, .step = 1e-3});
          const StepReport report = simulation.advance_to(1.0 / speed + 3e-3);
          ASSERT_TRUE(report.ok()) << report.message;
          const double at = moving ? simulation.body("wall").position.x : 0;
          EXPECT_LT(simulation.body("shot").position.x, at);
          EXPECT_LE(simulation.energy().kinetic, 0.505 * speed * speed * (1 + 1e-9));
        }
}

// The first steps of `catena bench soak`: no run stops, and no step gains more than its method's guard allows.
TEST(Stability, no_step_of_an_example_gains_energy_by_any_method) {
  for (const char* name : {"chain", "double_pendulum", "four_bar", "newtons_cradle", "rope_bridge", "tree127"})
    for (const Method method : kMethods) {
      SCOPED_TRACE(fmt::format("{}, method {}", name, static_cast<int>(method)));
      const bench::SoakRun run = bench::soak(load(example(name)), method, {.seconds = 0.05, .budget = 20});
      EXPECT_FALSE(run.stopped) << run.message;
      // The energy of impulse swings about that of the motion (StabilityTuning::most_gain).
      EXPECT_LE(run.step_gain, (method == Method::impulse ? 1e-3 : 2e-6) * run.scale);
    }
}

}  // namespace stability_test
}  // namespace catena
