// The method lagrange in joint coordinates: the same motion as in maximal ones, of the same order, with nothing left out of what is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step/reduced_cases.h"

namespace catena {
namespace lagrange_reduced_test {

using namespace testing_step;

Options lagrange(Coordinates coordinates, Integrator integrator, double step) {
  MethodWords words{.method = Method::lagrange, .integrator = integrator, .coordinates = coordinates};
  if (integrator == Integrator::adaptive) words.tolerance = 1e-12;
  return {.method = words, .step = step};
}
Options reduced(Integrator integrator = Integrator::rk4, double step = 1e-3) {
  return lagrange(Coordinates::reduced, integrator, step);
}
Options maximal(Integrator integrator = Integrator::rk4, double step = 1e-3) {
  return lagrange(Coordinates::maximal, integrator, step);
}

// Step control holds both to 1e-13 a step: what is left is a few hundred steps of that.
TEST(LagrangeReduced, comes_to_the_same_motion_as_in_maximal_coordinates) {
  for (const ReducedCase& c : smooth_cases()) {
    SCOPED_TRACE(c.name);
    Simulation here(c.scene, reduced(Integrator::adaptive, 1e-2)), there(c.scene, maximal(Integrator::adaptive, 1e-2));
    advance(here, c.until);
    advance(there, c.until);
    EXPECT_LE(distance(here.state(), there.state()), 1e-9);
    EXPECT_EQ(here.settings().method.coordinates(), Coordinates::reduced);
    EXPECT_FALSE(here.state().q.empty());
    EXPECT_TRUE(there.state().q.empty());
  }
}

// Errors h^p (1 + O(h)): halving the step divides them by 2^p to a few per cent.
TEST(LagrangeReduced, rk4_is_of_fourth_order_and_euler_of_first) {
  struct Order {
    Integrator integrator;
    int steps;
    double low, high;
  };
  for (const ReducedCase& c : {smooth_cases()[0], smooth_cases()[1], smooth_cases()[2], smooth_cases()[3]}) {
    Simulation exact(c.scene, maximal(Integrator::adaptive, 1e-2));
    advance(exact, c.until);
    for (const Order& order : {Order{Integrator::rk4, 80, 13, 19}, Order{Integrator::euler, 800, 1.8, 2.2}}) {
      double before = 0;
      for (int k = 0, n = order.steps; k < 3; ++k, n *= 2) {
        Simulation sim(c.scene, reduced(order.integrator, c.until / n));
        advance(sim, c.until);
        const double error = distance(sim.state(), exact.state());
        if (k > 0) {
          EXPECT_GT(before / error, order.low) << c.name << ", " << n << " steps: " << before << " to " << error;
          EXPECT_LT(before / error, order.high) << c.name << ", " << n << " steps: " << before << " to " << error;
        }
        before = error;
      }
    }
  }
}

// As good as in maximal coordinates: what is left unexplained is the error of rk4, and the joints of the tree cannot open.
TEST(LagrangeReduced, keeps_energy_and_closes_loops_as_maximal_coordinates_do) {
  for (const ReducedCase& c : smooth_cases()) {
    SCOPED_TRACE(c.name);
    const auto unexplained = [&](const Options& options) {
      Simulation sim(c.scene, options);
      const double before = sim.energy().total();
      const StepReport report = sim.advance_to(c.until);
      EXPECT_TRUE(report.ok()) << report.message;
      EXPECT_EQ(report.replaced, 0) << report.why_replaced;
      EXPECT_LE(sim.drift().scaled, 1e-12);
      const Energy& e = sim.energy();
      const Ledger& l = e.ledger;
      return std::abs(e.total() - before -
                      (l.motors + l.actuators + l.external + l.damping + l.contacts + l.projection + l.numerical));
    };
    EXPECT_LE(unexplained(reduced()), 10 * unexplained(maximal()) + 1e-9);
  }
}

// Reactions, forces along joints and the residual are found, not left at zero, and are those of maximal coordinates.
TEST(LagrangeReduced, reports_reactions_and_residuals) {
  for (const ReducedCase& c : smooth_cases()) {
    SCOPED_TRACE(c.name);
    Simulation here(c.scene, reduced()), there(c.scene, maximal());
    const StepReport report = here.advance_to(0.05);
    ASSERT_TRUE(report.ok());
    advance(there, 0.05);
    if (c.name != "tumbling body") {
      EXPECT_GT(report.residual, 0);
    }
    EXPECT_LE(report.residual, 1e-11);
    const Dynamics &a = here.evaluate(), &b = there.evaluate();
    double scale = 1;
    for (const double lambda : b.lambda) scale = std::max(scale, std::abs(lambda));
    for (std::size_t i = 0; i < b.lambda.size(); ++i) EXPECT_NEAR(a.lambda[i], b.lambda[i], 1e-5 * scale);
    for (std::size_t i = 0; i < b.vdot.size(); ++i) EXPECT_LE(norm(a.vdot[i].linear - b.vdot[i].linear), 1e-5 * scale);
  }
}

// Events are located to 1e-12 of a step, so what both differ by is the error of rk4 between them.
TEST(LagrangeReduced, contacts_limits_friction_and_impacts_are_those_of_maximal_coordinates) {
  for (const ReducedCase& c : lawful_cases()) {
    SCOPED_TRACE(c.name);
    Simulation here(c.scene, reduced()), there(c.scene, maximal());
    int impacts_here = 0, impacts_there = 0;
    for (int i = 0; i < 8; ++i) {
      const StepReport a = here.advance_to(0.1 * (i + 1)), b = there.advance_to(0.1 * (i + 1));
      ASSERT_TRUE(a.ok()) << a.message;
      ASSERT_TRUE(b.ok()) << b.message;
      EXPECT_EQ(a.replaced, b.replaced) << a.why_replaced << "; " << b.why_replaced;
      impacts_here += a.impacts;
      impacts_there += b.impacts;
      ASSERT_EQ(here.contact_forces().size(), there.contact_forces().size());
      for (std::size_t k = 0; k < here.contact_forces().size(); ++k)
        EXPECT_LE(norm(here.contact_forces()[k].force - there.contact_forces()[k].force), 1e-4) << here.time();
    }
    EXPECT_EQ(impacts_here, impacts_there);
    EXPECT_LE(distance(here.state(), there.state()), 1e-6);
    const Ledger &a = here.energy().ledger, &b = there.energy().ledger;
    EXPECT_NEAR(a.contacts, b.contacts, 1e-6);
    EXPECT_NEAR(a.motors, b.motors, 1e-6);
  }
}

}  // namespace lagrange_reduced_test
}  // namespace catena
