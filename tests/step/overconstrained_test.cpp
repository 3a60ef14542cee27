// Loops in space that move only because of their proportions.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/joints/constraint_system.h"
#include "catena/mechanism/dynamics.h"
#include "source_dir.h"

namespace catena {
namespace overconstrained_test {

Scene bennett() { return load(source_dir() + "/examples/bennett.yaml"); }

Vec3 place_of_link1(double step, Integrator integrator) {
  Simulation simulation(bennett(), {.method = MethodWords{.integrator = integrator, .tolerance = 1e-12}, .step = step});
  const StepReport report = simulation.advance_to(2);
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_LE(report.drift_position, 1e-12);
  EXPECT_LE(report.drift_angle, 1e-12);
  return simulation.body("link1").position;
}

TEST(Bennett, has_one_freedom_and_three_redundant_rows) {
  Simulation simulation(bennett());
  simulation.evaluate();
  // 18 freedoms, 20 rows, one freedom left: three rows too many.
  EXPECT_EQ(simulation.system().redundant().size(), 3u);
}

// Its rows depend on each other only while the loop is closed, and the stages of a step are a little off. Taking them for
// independent there gives errors of order one; the order of the integrator shows that they are not.
TEST(Bennett, keeps_the_order_of_rk4_at_long_steps) {
  const Vec3 exact = place_of_link1(1e-3, Integrator::adaptive);
  const double coarse = norm(place_of_link1(2e-2, Integrator::rk4) - exact);
  const double fine = norm(place_of_link1(1e-2, Integrator::rk4) - exact);
  EXPECT_LE(coarse, 1e-3);
  // 16 for fourth order; projection adds terms of the same order, so the ratio is held to at least third.
  EXPECT_GE(coarse / fine, 8);
}

TEST(Bennett, keeps_its_energy) {
  Simulation simulation(bennett(), {.method = MethodWords{.integrator = Integrator::adaptive, .tolerance = 1e-11}});
  const double before = simulation.energy().total();
  ASSERT_TRUE(simulation.advance_to(5).ok());
  // The tolerance a step, over a few hundred steps.
  EXPECT_NEAR(simulation.energy().total(), before, 1e-8);
}

// In joint coordinates the middle of a step is where the velocities lead, with the loop open by what they bend: order h². Five rows of rank two there ask for
// more than two, and velocities missed them by 3e-4 of the speed until the loop was closed at the middle too.
TEST(Bennett, meets_all_rows_of_its_loop_at_the_middle_of_steps_in_joint_coordinates) {
  Simulation simulation(bennett(), {.method = Operational{.coordinates = Coordinates::reduced}, .step = 1e-2});
  double residual = 0;
  for (int step = 0; step < 200; ++step) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.replaced, 0);
    residual = std::max(residual, report.residual);
  }
  EXPECT_GT(residual, 0);
  EXPECT_LE(residual, 1e-10);  // of what the middle is closed to, 1e-12, and its rows
}

// A part of a step in which nothing touches says how well its equations are solved, too.
TEST(Bennett, flights_report_their_residual) {
  Simulation simulation(bennett(), {.method = Spook{.coordinates = Coordinates::maximal}, .step = 1e-2});
  for (int step = 0; step < 100; ++step) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_GT(report.residual, 0);
    // Middles are closed to 1e-12; rows that depend on others ask for what differs by some hundred times that.
    EXPECT_LE(report.residual, 1e-9);
  }
}

}  // namespace overconstrained_test
}  // namespace catena
