// Constraints that move by themselves (Baraff §4.2): lengths and couplings that follow time, against the motion that kinematics or an
// ordinary differential equation integrated by itself says, under every method; and the work they do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/mechanism/dynamics.h"
#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace moving_constraints_test {

constexpr double kGravity = 9.81, kTurn = 2 * M_PI;

struct Angle {
  double theta, rate;
};

// A pendulum on a string of length L = 1 + 0.2 sin(2π 0.8 t):  θ̈ = −(2 L̇ θ̇ + g sin θ)/L. Runge and Kutta's method with steps of 1e-4: its
// error, of their fourth power, is below 1e-13.
Angle parametric_pendulum(double theta0, double end) {
  const auto derivative = [](double t, const Angle& y) -> Angle {
    const double w = kTurn * 0.8, L = 1 + 0.2 * std::sin(w * t), Ld = 0.2 * w * std::cos(w * t);
    return {y.rate, -(2 * Ld * y.rate + kGravity * std::sin(y.theta)) / L};
  };
  const auto moved = [](const Angle& y, double h, const Angle& d) -> Angle {
    return {y.theta + h * d.theta, y.rate + h * d.rate};
  };
  const int steps = 10000;
  const double h = end / steps;
  Angle y{theta0, 0};
  for (int i = 0; i < steps; ++i) {
    const double t = i * h;
    const Angle a = derivative(t, y), b = derivative(t + h / 2, moved(y, h / 2, a)),
                c = derivative(t + h / 2, moved(y, h / 2, b)), d = derivative(t + h, moved(y, h, c));
    y.theta += h / 6 * (a.theta + 2 * b.theta + 2 * c.theta + d.theta);
    y.rate += h / 6 * (a.rate + 2 * b.rate + 2 * c.rate + d.rate);
  }
  return y;
}

// The bob starts at rest across the string; along it the string already moves.
Scene pendulum(double theta0, const std::string& settings) {
  return load_text(fmt::format(R"(
simulate: {{{}}}
bodies:
  bob: {{kind: particle, mass: 2, position: [{}, 0, {}]}}
joints:
  string: {{kind: distance, between: [ground, bob], anchors: [[0, 0, 0], [{}, 0, {}]],
            length: {{sine: {{amplitude: 0.2, frequency: 0.8, offset: 1}}}}}}
)",
                               settings, std::sin(theta0), -std::cos(theta0), std::sin(theta0), -std::cos(theta0)));
}

struct Missed {
  double angle, length, unbooked;  // the last: energy that no entry of the ledger explains, J
};

Missed run(const std::string& settings, double end) {
  const double theta0 = 0.7;
  Simulation sim(pendulum(theta0, settings));
  const double energy = sim.energy().total();
  const StepReport report = sim.advance_to(end);
  EXPECT_TRUE(report.ok());
  const Vec3 p = sim.body("bob").position;
  const Angle wanted = parametric_pendulum(theta0, end);
  const double length = 1 + 0.2 * std::sin(kTurn * 0.8 * end);
  const Ledger& l = sim.energy().ledger;
  return {std::abs(std::atan2(p.x, -p.z) - wanted.theta), std::abs(norm(p) - length),
          std::abs(sim.energy().total() - energy - l.motors - l.projection)};
}

TEST(MovingLength, lagrange_swings_a_string_of_changing_length_as_its_equation_says) {
  const Missed m = run("method: lagrange, integrator: adaptive, tolerance: 1e-12, step: 0.01", 2);
  EXPECT_LE(m.angle, 1e-8);
  EXPECT_LE(m.length, 1e-12);
  EXPECT_LE(m.unbooked, 1e-8);
}

TEST(MovingLength, lagrange_with_rk4_is_of_fourth_order_and_books_the_work_of_the_string) {
  const Missed coarse = run("method: lagrange, integrator: rk4, step: 0.01", 2);
  const Missed fine = run("method: lagrange, integrator: rk4, step: 0.005", 2);
  EXPECT_LE(fine.angle, 1e-8);
  EXPECT_GE(coarse.angle / fine.angle, 12);
  EXPECT_LE(fine.length, 1e-12);
  EXPECT_LE(fine.unbooked, 1e-7);
}

// Methods of second order: a quarter of the error for half the step, and 1e-8 at the step that comes out of it.
void expect_second_order(const std::string& method) {
  SCOPED_TRACE(method);
  const Missed coarse = run(fmt::format("method: {}, step: 4e-3", method), 2);
  const Missed fine = run(fmt::format("method: {}, step: 1e-3", method), 2);
  EXPECT_GE(coarse.angle / fine.angle, 12) << coarse.angle << " " << fine.angle;
  EXPECT_LE(fine.angle, 2e-5);
  EXPECT_LE(fine.length, 1e-6);
  EXPECT_LE(fine.unbooked, 1e-3);
}

TEST(MovingLength, spook_follows_the_same_motion) { expect_second_order("spook"); }
TEST(MovingLength, operational_follows_the_same_motion) { expect_second_order("operational"); }
TEST(MovingLength, impulse_follows_the_same_motion) { expect_second_order("impulse"); }

// A beam whose angle is prescribed: q = 0.5 sin(2π 1.1 t), and the multiplier is the torque I q̈ + m g l cos q, l = 0.5.
constexpr const char* kBeam = R"(
simulate: {%s}
bodies:
  beam: {mass: 3, inertia: [0.25, 0.25, 0.01], position: [0.5, 0, 0]}
joints:
  pivot: {kind: hinge, between: [ground, beam], anchor: [0, 0, 0], axis: [0, -1, 0]}
  drive: {kind: coupling, coordinates: [{joint: pivot, polynomial: [0, 1]}], equals: {sine: {amplitude: 0.5, frequency: 1.1}}}
)";

Simulation beam(const std::string& settings) {
  std::string text = kBeam;
  text.replace(text.find("%s"), 2, settings);
  return Simulation(load_text(text));
}

TEST(MovingCoupling, a_coordinate_follows_its_signal_and_costs_the_torque_of_Newton) {
  Simulation sim = beam("method: lagrange, step: 0.002");
  ASSERT_TRUE(sim.advance_to(0.7).ok());
  const double w = kTurn * 1.1, q = 0.5 * std::sin(w * 0.7), qdd = -0.5 * w * w * std::sin(w * 0.7);
  EXPECT_NEAR(sim.joint("pivot").position(), q, 1e-12);
  EXPECT_NEAR(sim.joint("pivot").velocity(), 0.5 * w * std::cos(w * 0.7), 1e-11);
  const Dynamics& dynamics = sim.evaluate();
  const double torque = (0.25 + 3 * 0.25) * qdd + 3 * kGravity * 0.5 * std::cos(q);
  EXPECT_NEAR(dynamics.lambda.back(), torque, 1e-9 * std::abs(torque));
}

TEST(MovingCoupling, every_method_follows_the_signal) {
  const double w = kTurn * 1.1, end = 0.7;
  for (const char* method : {"lagrange", "spook", "operational", "impulse"}) {
    SCOPED_TRACE(method);
    Simulation sim = beam(fmt::format("method: {}, step: 1e-3", method));
    const double energy = sim.energy().total();
    ASSERT_TRUE(sim.advance_to(end).ok());
    EXPECT_NEAR(sim.joint("pivot").position(), 0.5 * std::sin(w * end), 1e-5);
    // The work of the drive is all that changes the energy.
    const Ledger& l = sim.energy().ledger;
    EXPECT_NEAR(sim.energy().total() - energy, l.motors + l.projection, 1e-2);
    EXPECT_GT(std::abs(l.motors), 0.1);
  }
}

// The sum of two speeds follows a sine: with equal masses each takes half.
TEST(MovingCoupling, the_velocity_of_a_row_over_bodies_may_be_a_signal) {
  Simulation sim(load_text(R"(
gravity: [0, 0, 0]
simulate: {method: lagrange, step: 0.001}
bodies:
  a: {kind: particle, mass: 1, position: [0, 0, 0]}
  b: {kind: particle, mass: 1, position: [0, 1, 0]}
joints:
  both: {kind: coupling, terms: [{body: a, linear: [1, 0, 0]}, {body: b, linear: [1, 0, 0]}],
         velocity: {sine: {amplitude: 1, frequency: 0.5}}}
)"));
  ASSERT_TRUE(sim.advance_to(0.8).ok());
  EXPECT_NEAR(sim.body("a").velocity.x, 0.5 * std::sin(M_PI * 0.8), 1e-10);
  EXPECT_NEAR(sim.body("b").velocity.x, 0.5 * std::sin(M_PI * 0.8), 1e-10);
  EXPECT_NEAR(sim.body("a").position.x, 0.5 * (1 - std::cos(M_PI * 0.8)) / M_PI, 1e-9);
}

// Paid out along a table from 1 to 1.5 m: at rest at both ends, hanging straight down, tension m (g − L̈).
TEST(MovingLength, a_table_lowers_a_load_from_rest_to_rest) {
  Simulation sim(load_text(R"(
simulate: {method: lagrange, step: 0.001}
bodies:
  load: {kind: particle, mass: 2, position: [0, 0, -1]}
joints:
  rope: {kind: distance, between: [ground, load], anchors: [[0, 0, 0], [0, 0, -1]], length: {table: [[0.2, 1], [1.2, 1.5]]}}
)"));
  ASSERT_TRUE(sim.advance_to(0.45).ok());
  EXPECT_NEAR(sim.body("load").position.z, -(1 + 0.5 * (3 * 0.0625 - 2 * 0.015625)), 1e-12);
  const double acceleration = 0.5 * (6 - 12 * 0.25);
  EXPECT_NEAR(sim.joint("rope").reaction().linear.z, 2 * (kGravity - acceleration), 1e-8);
  ASSERT_TRUE(sim.advance_to(1.5).ok());
  EXPECT_NEAR(sim.body("load").position.z, -1.5, 1e-12);
  EXPECT_NEAR(sim.body("load").velocity.z, 0, 1e-10);
  // Lowered by half a metre: that much less energy, taken out by the rope.
  EXPECT_NEAR(sim.energy().ledger.motors, -2 * kGravity * 0.5, 1e-8);
}

TEST(MovingLength, a_length_that_would_vanish_is_refused) {
  EXPECT_THROW(load_text("bodies: {p: {kind: particle, mass: 1, position: [0, 0, -1]}}\n"
                         "joints: {s: {kind: distance, between: [ground, p], anchors: [[0, 0, 0], [0, 0, -1]],\n"
                         "  length: {sine: {amplitude: 2, frequency: 1, offset: 1}}}}\n"),
               InputError);
}

}  // namespace moving_constraints_test
}  // namespace catena
