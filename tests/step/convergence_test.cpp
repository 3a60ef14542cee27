#include <gtest/gtest.h>

#include <functional>

#include "step/reference_scene.h"
#include "step/step_testing.h"

namespace catena {
namespace convergence_test {

using namespace testing_step;

// The error of a body's position against the adaptive integrator at 1e-12, for a step of 1/n of the time.
double error_with(const BuiltModel& built, Integrator integrator, const std::string& body, double until, int n) {
  Simulation exact(built, adaptive(1e-13)),
      coarse(built, {.method = MethodWords{.integrator = integrator}, .step = until / n});
  EXPECT_TRUE(exact.advance_to(until).ok());
  EXPECT_TRUE(coarse.advance_to(until).ok());
  EXPECT_EQ(coarse.steps(), n);
  return norm(coarse.body(body).position - exact.body(body).position);
}

// Errors h^p (1 + O(h)): the ratio of halving h is 2^p to a few per cent once h is small and the error is not yet rounding.
void expect_order(const BuiltModel& built, Integrator integrator, const std::string& body, double until, int n,
                  double low, double high) {
  double before = error_with(built, integrator, body, until, n);
  for (int k = 0; k < 3; ++k) {
    n *= 2;
    const double error = error_with(built, integrator, body, until, n);
    EXPECT_GT(before / error, low) << n << " steps: " << before << " to " << error;
    EXPECT_LT(before / error, high) << n << " steps: " << before << " to " << error;
    before = error;
  }
}

BuiltModel crank_rocker() { return references::build(references::read("s06c_crank_rocker")); }

TEST(Convergence, rk4_errs_sixteen_times_less_with_half_the_step_on_a_pendulum) {
  expect_order(pendulum(2, 1).build(), Integrator::rk4, "rod", 1, 40, 13, 19);
}

TEST(Convergence, rk4_errs_sixteen_times_less_with_half_the_step_on_a_loop) {
  expect_order(crank_rocker(), Integrator::rk4, "coupler", 0.5, 80, 13, 19);
}

TEST(Convergence, euler_errs_half_as_much_with_half_the_step_on_a_pendulum) {
  expect_order(pendulum(2, 1).build(), Integrator::euler, "rod", 1, 200, 1.85, 2.15);
}

TEST(Convergence, euler_errs_half_as_much_with_half_the_step_on_a_loop) {
  expect_order(crank_rocker(), Integrator::euler, "coupler", 0.5, 400, 1.85, 2.15);
}

// The step error is held to a tenth of the tolerance; over some fifty steps of a motion that is not chaotic the whole stays near it.
TEST(Convergence, the_adaptive_integrators_error_follows_its_tolerance) {
  const BuiltModel built = double_pendulum().build();
  Simulation exact(built, adaptive(1e-14));
  advance(exact, 1);
  long steps = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
    Simulation simulation(built, adaptive(tolerance));
    advance(simulation, 1);
    EXPECT_LE(norm(simulation.body("lower").position - exact.body("lower").position), 10 * tolerance);
    EXPECT_GE(simulation.steps(), steps);
    steps = simulation.steps();
  }
}

// A rolling coin is nonholonomic: its velocity rows are no derivatives of anything.
TEST(Convergence, rk4_keeps_its_order_on_a_rolling_coin) {
  const Scene scene = load(example("rolling_coin"));
  const auto run = [&](Options options) {
    Simulation simulation(scene, options);
    EXPECT_TRUE(simulation.advance_to(0.4).ok());
    return simulation.body("coin").position;
  };
  const Vec3 exact = run(adaptive(1e-13));
  const double coarse = norm(run({.method = MethodWords{.integrator = Integrator::rk4}, .step = 0.4 / 40}) - exact);
  const double fine = norm(run({.method = MethodWords{.integrator = Integrator::rk4}, .step = 0.4 / 80}) - exact);
  EXPECT_GT(coarse / fine, 12);
  EXPECT_LT(coarse / fine, 20);
}

}  // namespace convergence_test
}  // namespace catena
