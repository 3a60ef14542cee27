// Stages of rk4 find no multipliers that nobody reads: the motion and what is read after a step do not notice, also under servos as stiff as explicit
// steps take.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace stages_test {

using namespace testing_step;

// A parallelogram whose servo has h kv/I = 0.3 at 1 ms.
const char* const kServo = R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0.25]}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.5, 0, 0.5]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [1, 0, 0.25]}
joints:
  base: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0]}
  left: {kind: hinge, between: [crank, coupler], anchor: [0, 0, 0.5], axis: [0, 1, 0]}
  right: {kind: hinge, between: [coupler, rocker], anchor: [1, 0, 0.5], axis: [0, 1, 0]}
  post: {kind: hinge, between: [rocker, ground], anchor: [1, 0, 0], axis: [0, 1, 0]}
actuators:
  - {joint: base, kind: position, kp: 4000, kv: 100, signal: {sine: {amplitude: 0.4, frequency: 2}}}
)";

TEST(Stages, a_stiff_servo_on_a_loop_keeps_the_order_of_rk4) {
  const Scene scene = load_text(kServo);
  Simulation reference(scene, adaptive());
  ASSERT_TRUE(reference.advance_to(0.2).ok());
  double error[2] = {};
  for (int k = 0; k < 2; ++k) {
    Simulation sim(scene, {.method = Lagrange{.integrator = Integrator::rk4}, .step = k == 0 ? 1e-3 : 5e-4});
    int replaced = 0;
    while (sim.time() < 0.2 - 1e-9) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      replaced += report.replaced;
      EXPECT_LE(report.drift_position, 1e-9);
    }
    EXPECT_EQ(replaced, 0);
    error[k] = std::abs(sim.joint("base").position() - reference.joint("base").position());
  }
  EXPECT_LE(error[0], 1e-6);
  EXPECT_GE(error[0], 10 * error[1]);
}

TEST(Stages, reactions_after_a_step_are_those_of_its_end) {
  const Scene scene = load_text(kServo);
  Simulation sim(scene, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
  Simulation fresh(scene, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(sim.step().ok());
    fresh.set_state(sim.state());
    for (const char* joint : {"base", "left", "right", "post"}) {
      const Spatial a = sim.joint(joint).reaction(), b = fresh.joint(joint).reaction();
      EXPECT_LE(norm(a.linear - b.linear) + norm(a.angular - b.angular), 1e-9 * (1 + norm(b.linear) + norm(b.angular)))
          << joint << ", step " << i;
    }
  }
}

}  // namespace stages_test
}  // namespace catena
