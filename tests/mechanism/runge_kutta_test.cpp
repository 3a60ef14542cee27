// The order of the integrators on a double pendulum's worth of nonlinear motion, and what they do with the ledger.
#include "catena/mechanism/runge_kutta.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/equations_testing.h"

namespace catena {
namespace runge_kutta_test {

using namespace testing_mechanism;

struct Integrated {
  Scene scene;
  Equations equations;
  RungeKutta method;
  State state;
  int evaluations = 0;

  Integrated(Integrator integrator, double step, double tolerance = 1e-10)
      : scene(pushed_linkage(6, 4, 0)),
        equations(scene, true),
        method(*equations.of, equations.state, settings(integrator, step, tolerance), 1),
        state(equations.state) {}
  static Settings settings(Integrator integrator, double step, double tolerance) {
    Settings out;
    out.method = MethodWords{.method = Method::lagrange, .integrator = integrator, .tolerance = tolerance};
    out.step = step;
    return out;
  }
  bool evaluate(const State& at, Ledger& powers) {
    ++evaluations;
    if (!equations.of->accelerations(at, {})) return false;
    powers.actuators = equations.dynamics.powers.actuators;
    powers.external = equations.dynamics.powers.external;
    powers.damping = equations.dynamics.powers.damping;
    return true;
  }
  // To a time.
  void to(double end, double h) {
    while (state.time < end - 1e-12) {
      equations.of->place(state);
      ASSERT_TRUE(method.step(
          std::min(h, end - state.time), [&](const State& at, Ledger& powers) { return evaluate(at, powers); }, state));
      ASSERT_EQ(method.too_short(), 0);
    }
  }
  double error(const State& exact) const {
    double most = 0;
    for (std::size_t i = 0; i < state.bodies.size(); ++i)
      most = std::max(most, norm(state.bodies[i].position - exact.bodies[i].position));
    return most;
  }
};

constexpr double kEnd = 0.08;

State exact() {
  Integrated run(Integrator::adaptive, 1e-3, 1e-14);
  run.to(kEnd, kEnd);
  return run.state;
}

// Half the step: a sixteenth of the error by rk4, half of it by Euler's method.
TEST(RungeKutta, errors_come_down_with_the_order_of_the_method) {
  const State wanted = exact();
  const auto error = [&](Integrator integrator, int steps) {
    Integrated run(integrator, kEnd / steps);
    run.to(kEnd, kEnd / steps);
    return run.error(wanted);
  };
  const double fine = error(Integrator::rk4, 32);
  EXPECT_LT(fine, 1e-6);
  EXPECT_NEAR(std::log2(error(Integrator::rk4, 16) / fine), 4, 0.5);
  EXPECT_NEAR(std::log2(error(Integrator::euler, 64) / error(Integrator::euler, 128)), 1, 0.2);
}

TEST(RungeKutta, the_adaptive_method_keeps_its_tolerance_with_the_steps_that_takes) {
  const State wanted = exact();
  int last = 0;
  for (const double tolerance : {1e-3, 1e-13}) {
    Integrated run(Integrator::adaptive, 1e-2, tolerance);
    run.to(kEnd, kEnd);
    EXPECT_LE(run.error(wanted), 100 * tolerance);
    EXPECT_GT(run.evaluations, last) << "a tighter tolerance takes more of them";
    last = run.evaluations;
    EXPECT_NEAR(run.state.time, kEnd, 1e-15);
  }
}

// T + V gained is what servos, loads and dampers have put in: integrated with the motion.
TEST(RungeKutta, the_ledger_is_integrated_as_exactly_as_the_motion) {
  Integrated run(Integrator::rk4, 1e-3);
  run.equations.of->place(run.state);
  const double before = run.equations.of->energy(run.state);
  run.to(kEnd, 1e-3);
  run.equations.of->place(run.state);
  const double gained = run.equations.of->energy(run.state) - before;
  const Ledger& books = run.state.ledger;
  EXPECT_GT(std::abs(gained), 1e-2);
  EXPECT_NEAR(gained, books.actuators + books.external + books.damping, 1e-7 * std::abs(gained));
}

TEST(RungeKutta, an_evaluation_that_fails_ends_the_step) {
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive}) {
    Integrated run(integrator, 1e-3);
    int left = integrator == Integrator::euler ? 0 : 2;
    EXPECT_FALSE(run.method.step(
        1e-3, [&](const State& at, Ledger& powers) { return left-- > 0 && run.evaluate(at, powers); }, run.state));
  }
}

}  // namespace runge_kutta_test
}  // namespace catena
