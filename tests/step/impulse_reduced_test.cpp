// The method impulse in joint coordinates: trees fly, impulses close loops, and contacts, limits and motors are those of maximal coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step/reduced_cases.h"

namespace catena {
namespace impulse_reduced_test {

using namespace testing_step;

Options impulse(Coordinates coordinates, double step) {
  return {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12, .coordinates = coordinates},
          .step = step};
}
Options reduced(double step = 1e-3) { return impulse(Coordinates::reduced, step); }
Options maximal(double step = 1e-3) { return impulse(Coordinates::maximal, step); }

State exact_state(const ReducedCase& c) {
  Simulation exact(c.scene, {.method = Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-12}, .step = 1e-2});
  advance(exact, c.until);
  return exact.state();
}

// Without loops and under weight alone the flight is the motion, of the fourth order of its integrator; impulses of loops, and forces that vary, which
// enter with the mean of both ends of the step, are of second order. Errors h^p (1 + O(h)): halving the step divides them by 2^p to a few per cent.
TEST(ImpulseReduced, trees_are_of_fourth_order_and_loops_and_varying_forces_of_second) {
  const std::vector<ReducedCase> cases = smooth_cases();
  for (const std::size_t k : {0, 1, 2, 3, 5}) {
    const ReducedCase& c = cases[k];
    const bool fourth = c.name == "double pendulum" || c.name == "tree of balls" || c.name == "tumbling body";
    const State exact = exact_state(c);
    double before = 0;
    for (int i = 0, n = fourth ? 80 : 400; i < 3; ++i, n *= 2) {
      Simulation sim(c.scene, reduced(c.until / n));
      advance(sim, c.until);
      EXPECT_FALSE(sim.state().q.empty());
      const double error = distance(sim.state(), exact);
      if (i > 0) {
        EXPECT_GT(before / error, fourth ? 13 : 3.5) << c.name << ", " << n << " steps: " << before << " to " << error;
        EXPECT_LT(before / error, fourth ? 19 : 4.5) << c.name << ", " << n << " steps: " << before << " to " << error;
      }
      before = error;
    }
  }
}

// At steps of 1 ms the errors are a few times (h ω)²/12 of motions at up to 20 rad/s over half a second, and a quarter of that with half the step; below a nanometre
// it is the tolerance of the reference.
TEST(ImpulseReduced, comes_to_the_exact_motion) {
  for (const ReducedCase& c : smooth_cases()) {
    SCOPED_TRACE(c.name);
    const State exact = exact_state(c);
    const auto error = [&](double step) {
      Simulation sim(c.scene, reduced(step));
      const StepReport report = sim.advance_to(c.until);
      EXPECT_TRUE(report.ok()) << report.message;
      EXPECT_EQ(report.replaced, 0) << report.why_replaced;
      return distance(sim.state(), exact);
    };
    const double coarse = error(1e-3), fine = error(5e-4);
    EXPECT_LE(coarse, 5e-5);
    EXPECT_LE(fine, 0.3 * coarse + 1e-9);
  }
}

// Joints of the tree cannot open, and loops by no more than asked for; what changes the energy is in the ledger, but for the error of the flight, which
// is that of rk4: 1e-8 J at these steps, of some 10 J.
TEST(ImpulseReduced, keeps_energy_and_closes_loops_as_maximal_coordinates_do) {
  for (const ReducedCase& c : smooth_cases()) {
    SCOPED_TRACE(c.name);
    const auto unexplained = [&](const Options& options) {
      Simulation sim(c.scene, options);
      const double before = sim.energy().total();
      advance(sim, c.until);
      EXPECT_LE(sim.drift().scaled, 1e-11);
      const Energy& e = sim.energy();
      const Ledger& l = e.ledger;
      return std::abs(e.total() - before -
                      (l.motors + l.actuators + l.external + l.damping + l.contacts + l.projection + l.numerical));
    };
    EXPECT_LE(unexplained(reduced()), 2 * unexplained(maximal()) + 1e-8);
  }
}

// What both differ by falls with the step as their errors do: to a quarter, and where friction pulls on a box at many points to a half. In maximal
// coordinates joints that fly apart in a step do work too, of first order in the step, which is not booked with the laws: so what laws and motors did
// agrees to first order.
TEST(ImpulseReduced, contacts_limits_friction_and_impacts_are_those_of_maximal_coordinates) {
  for (const ReducedCase& c : lawful_cases()) {
    SCOPED_TRACE(c.name);
    // A box stands on four points, one more than its weight decides about; which of them carries how much, and so where friction pulls when it turns, differs
    // with the way the problem is solved. In joint coordinates lagrange divides the weight as impulse does.
    const bool indeterminate = c.name == "box that slips and turns";
    const int tenths = indeterminate ? 3 : 8;  // of a second; then it comes to rest
    struct Difference {
      double state, contacts, motors;
    };
    const auto difference = [&](double step) -> Difference {
      const Options other = {.method = Lagrange{.coordinates = Coordinates::reduced}, .step = step};
      Simulation here(c.scene, reduced(step)), there(c.scene, indeterminate ? other : maximal(step));
      int impacts_here = 0, impacts_there = 0;
      for (int i = 0; i < tenths; ++i) {
        const StepReport a = here.advance_to(0.1 * (i + 1)), b = there.advance_to(0.1 * (i + 1));
        EXPECT_TRUE(a.ok()) << a.message;
        EXPECT_TRUE(b.ok()) << b.message;
        EXPECT_EQ(a.replaced, 0) << a.why_replaced;
        EXPECT_EQ(b.replaced, 0) << b.why_replaced;
        impacts_here += a.impacts;
        impacts_there += b.impacts;
        EXPECT_EQ(here.contact_forces().size(), there.contact_forces().size());
      }
      EXPECT_EQ(impacts_here, impacts_there);
      const Ledger &a = here.energy().ledger, &b = there.energy().ledger;
      return {distance(here.state(), there.state()), std::abs(a.contacts - b.contacts), std::abs(a.motors - b.motors)};
    };
    const Difference coarse = difference(1e-3), fine = difference(5e-4);
    EXPECT_LE(coarse.state, indeterminate ? 1e-4 : 2e-5);
    EXPECT_LE(fine.state, 0.55 * coarse.state + 1e-9);
    EXPECT_LE(coarse.contacts, 0.1);
    EXPECT_LE(fine.contacts, 0.55 * coarse.contacts + 1e-6);
    EXPECT_LE(fine.motors, 0.55 * coarse.motors + 1e-6);
  }
}

// A chain of capsules that comes down on a floor: 2 cm above it, bent, so that its links meet it one after the other.
TEST(ImpulseReduced, a_chain_that_falls_on_a_floor_lies_there) {
  const Scene scene = scene_of(R"(
defaults: {friction: 0.5}
ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}
chain:
  count: 6
  start: [0, 0, 0.16]
  orientation: {axis: [0, 1, 0], angle: 0.1}
  offset: [0.2, 0, 0]
  link: {mass: 0.2, shapes: [{capsule: {radius: 0.02, length: 0.12}, orientation: {axis: [0, 1, 0], angle: 90 deg}}]}
  joint: {kind: ball}
  from: none
)");
  for (const Options& options : {reduced(), maximal()}) {
    Simulation sim(scene, options);
    const double before = sim.energy().total();
    for (int i = 0; i < 20; ++i) {
      const StepReport report = sim.advance_to(0.1 * (i + 1));
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_LE(report.penetration, 1e-6);
      EXPECT_LE(sim.energy().total(), before + 1e-6);  // contacts only take
    }
    for (const BodyState& body : sim.state().bodies) {
      EXPECT_NEAR(body.position.z, 0.02, 1e-4);
      EXPECT_LE(norm(body.velocity), 1e-2);
    }
    double weight = 0;
    for (const ContactForce& contact : sim.contact_forces()) weight += contact.force.z;
    EXPECT_NEAR(weight, 6 * 0.2 * 9.80665, 0.05);
  }
}

// Far too long for it: the swing of the double pendulum turns by radians a step. It is refused, not taken with energy out of nothing.
TEST(ImpulseReduced, no_step_makes_energy_however_long_it_is) {
  for (const double step : {0.05, 0.2, 0.5}) {
    Simulation sim(scene_of(double_pendulum().build()), reduced(step));
    const double before = sim.energy().total();
    const double scale = before + 2 * 9.80665 * 2;
    for (int i = 0; i < 100; ++i) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      const Ledger& l = sim.energy().ledger;
      EXPECT_LE(sim.energy().total() - before - l.motors - l.actuators - l.external, 0.25 * std::abs(scale));
    }
  }
}

}  // namespace impulse_reduced_test
}  // namespace catena
