// The method lagrange in joint coordinates: the same motion as in maximal ones, of the same order, with nothing left out of what is reported.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step/reference_scene.h"
#include "step/step_testing.h"

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

Scene scene_of(const std::string& text) { return load_text("catena: 1\n" + text); }
Scene scene_of(const BuiltModel& built) {
  Scene scene;
  scene.model = built.model;
  scene.initial = built.initial;
  return scene;
}

double distance(const State& a, const State& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    most = std::max(most, norm(a.bodies[i].position - b.bodies[i].position));
    const Quat& p = a.bodies[i].orientation;
    const Quat& q = b.bodies[i].orientation;
    const double sign = p.w * q.w + dot(p.vec(), q.vec()) < 0 ? -1 : 1;
    most = std::max({most, std::abs(p.w - sign * q.w), norm(p.vec() - sign * q.vec())});
  }
  return most;
}

// A tree of ball joints that branches, with a spin about nothing in particular.
const char* const kBallTree = R"(
bodies:
  trunk: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.1, 0, -0.5], angular_velocity: [0.3, 1, 2]}
  left: {mass: 1, inertia: [0.05, 0.04, 0.02], position: [-0.3, 0.1, -1.2], angular_velocity: [1, -2, 0.5]}
  right: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.5, -0.1, -1.1], angular_velocity: [-1, 0.5, 3]}
joints:
  root: {kind: ball, between: [ground, trunk], anchor: [0, 0, 0]}
  l: {kind: ball, between: [trunk, left], anchor: [0, 0.05, -0.9]}
  r: {kind: ball, between: [right, trunk], anchor: [0.3, 0, -0.8]}
)";

// A body that tumbles about its middle axis and flies.
const char* const kTumbling = R"(
bodies:
  brick: {mass: 1, inertia: [0.1, 0.2, 0.4], velocity: [1, 2, 3], angular_velocity: [0.02, 4, 0.01]}
)";

// Every kind of joint that has coordinates but hinge and ball.
const char* const kOtherJoints = R"(
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.15], position: [0.2, 0, -0.3]}
  b: {mass: 1, inertia: [0.05, 0.04, 0.02], position: [0.6, 0.1, -0.6]}
  c: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.9, -0.1, -1.1]}
  d: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [0.3, -0.4, -0.2]}
  e: {mass: 0.5, inertia: [0.03, 0.02, 0.01], position: [1.2, -0.4, -1.2]}
joints:
  u: {kind: universal, between: [ground, a], anchor: [0, 0, 0], axis: [1, 0, 0]}
  s: {kind: slider, between: [a, b], anchor: [0.4, 0, -0.4], axis: [0, 0.6, 0.8]}
  y: {kind: cylindrical, between: [b, c], anchor: [0.7, 0, -0.8], axis: [0, 1, 0]}
  w: {kind: screw, between: [ground, d], anchor: [0.3, -0.4, 0], axis: [0, 0, 1], pitch: 0.1}
  p: {kind: planar, between: [c, e], anchor: [1, 0, -1.1], axis: [0.6, 0, 0.8]}
springs:
  - {between: [ground, c], anchors: [[1, 0, 0], [0.9, -0.1, -1.1]], stiffness: 30, damping: 0.5}
  - {between: [ground, e], anchors: [[1.5, 0, 0], [1.2, -0.4, -1.2]], stiffness: 30}
)";

// An arm with springs, dampers, a servo, a torque and a load that begins inside a step.
const char* const kPushed = R"(
bodies:
  upper: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0, 0, -0.5]}
  lower: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0, 0, -1.5]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 5, damping: 0.3}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0, 0, -1], axis: [0.6, 0.8, 0]}
actuators:
  - {joint: elbow, kind: position, kp: 20, kv: 1, signal: {sine: {amplitude: 1, frequency: 1}}}
  - {joint: shoulder, kind: torque, signal: 2}
forces:
  - {body: lower, force: [1, 2, 0], from: 0.1005, until: 0.7003}
)";

struct Case {
  std::string name;
  Scene scene;
  double until = 0.5;
};

std::vector<Case> smooth_cases() {
  std::vector<Case> list{{"double pendulum", scene_of(double_pendulum().build())},
                         {"crank and rocker", scene_of(references::build(references::read("s06c_crank_rocker")))},
                         {"tree of balls", scene_of(kBallTree)},
                         {"tumbling body", scene_of(kTumbling)},
                         {"other joints", scene_of(kOtherJoints)},
                         {"springs, dampers and servos", scene_of(kPushed)}};
  for (const char* name : {"stewart", "jansen_legs", "gear_train", "rolling_coin", "bennett"})
    list.push_back({name, load(example(name)), 0.2});
  return list;
}

// Step control holds both to 1e-13 a step: what is left is a few hundred steps of that.
TEST(LagrangeReduced, comes_to_the_same_motion_as_in_maximal_coordinates) {
  for (const Case& c : smooth_cases()) {
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
  for (const Case& c : {smooth_cases()[0], smooth_cases()[1], smooth_cases()[2], smooth_cases()[3]}) {
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
  for (const Case& c : smooth_cases()) {
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

// A rotor is inertia along the coordinate: a pendulum with armature a swings as one of inertia I + a does, explicitly and to fourth order.
TEST(LagrangeReduced, rotors_are_part_of_the_equations) {
  const char* const text = R"(
bodies:
  rod: {{mass: 1, inertia: [0.1, {}, 0.1], position: [0.4, 0, -0.3]}}
  tip: {{mass: 0.2, inertia: [0.01, 0.01, 0.01], position: [0.8, 0, -0.6]}}
joints:
  pivot: {{kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0], armature: {}}}
  wrist: {{kind: ball, between: [rod, tip], anchor: [0.8, 0, -0.6]}}
)";
  for (const Integrator integrator : {Integrator::rk4, Integrator::adaptive}) {
    Simulation rotor(scene_of(fmt::format(fmt::runtime(text), 0.1, 0.3)), reduced(integrator));
    Simulation heavy(scene_of(fmt::format(fmt::runtime(text), 0.4, 0)), reduced(integrator));
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
TEST(LagrangeReduced, motors_move_as_asked_and_their_work_is_booked) {
  const Scene scene = scene_of(R"(
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]}
  rod: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0]}
joints:
  drive: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0], motor: {velocity: {sine: {amplitude: 2, frequency: 1}}}}
  pin: {kind: hinge, between: [crank, rod], anchor: [1, 0, 0], axis: [0, 1, 0]}
)");
  Simulation here(scene, reduced()), there(scene, maximal());
  advance(here, 0.7);
  advance(there, 0.7);
  EXPECT_NEAR(here.joint("drive").velocity(), 2 * std::sin(2 * M_PI * 0.7), 1e-11);
  EXPECT_LE(distance(here.state(), there.state()), 1e-8);
  EXPECT_GT(std::abs(there.energy().ledger.motors), 0.1);
  EXPECT_NEAR(here.energy().ledger.motors, there.energy().ledger.motors, 1e-7);
}

// Reactions, forces along joints and the residual are found, not left at zero, and are those of maximal coordinates.
TEST(LagrangeReduced, reports_reactions_and_residuals) {
  for (const Case& c : smooth_cases()) {
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

std::vector<Case> lawful_cases() {
  const std::string floor = "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n";
  return {
      {"box that sticks on a slope", scene_of("gravity: [2, 0, -9.7]\ndefaults: {friction: 0.4}\n" + floor +
                                              "bodies:\n  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, "
                                              "0.1], shapes: [{box: [0.4, 0.4, 0.2]}]}\n")},
      {"box that slips and turns", scene_of("defaults: {friction: 0.2}\n" + floor +
                                            "bodies:\n  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, "
                                            "0.1], velocity: [0.6, 0.2, 0], angular_velocity: [0, 0, 2], shapes: "
                                            "[{box: [0.4, 0.4, 0.2]}]}\n")},
      {"ball that bounces", scene_of("defaults: {friction: 0.3, restitution: 0.7}\n" + floor +
                                     "bodies:\n  ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, "
                                     "0.4], velocity: [1, 0.5, 0], angular_velocity: [0, 5, 2], shapes: [{sphere: "
                                     "0.1}]}\n")},
      {"chain that meets its limits", scene_of(R"(
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [0.5, 0, 0]}
  b: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1.5, 0, 0]}
  c: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [2.5, 0, 0]}
joints:
  one: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], limits: {lower: -1, upper: 0.5}, friction: 0.3}
  two: {kind: hinge, between: [a, b], anchor: [1, 0, 0], axis: [0, 1, 0], limits: {lower: -0.3, upper: 0.3}}
  three: {kind: hinge, between: [b, c], anchor: [2, 0, 0], axis: [0, 1, 0], motor: {velocity: 2, max_force: 3}}
)")},
      {"loop that drops on the floor", scene_of("defaults: {friction: 0.5}\n" + floor + R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [0, 0, 0.35], shapes: [{sphere: 0.02}]}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.001], position: [0.5, 0, 0.6], shapes: [{point: [0.9, 0, 0]}]}
  rocker: {mass: 1, inertia: [0.01, 0.01, 0.001], position: [1, 0, 0.35]}
joints:
  base: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0.1], axis: [0, 1, 0]}
  left: {kind: hinge, between: [crank, coupler], anchor: [0, 0, 0.6], axis: [0, 1, 0]}
  right: {kind: hinge, between: [coupler, rocker], anchor: [1, 0, 0.6], axis: [0, 1, 0]}
  post: {kind: hinge, between: [rocker, ground], anchor: [1, 0, 0.1], axis: [0, 1, 0]}
forces: [{body: coupler, force: [5, 0, 0]}]
)")}};
}

// Events are located to 1e-12 of a step, so what both differ by is the error of rk4 between them.
TEST(LagrangeReduced, contacts_limits_friction_and_impacts_are_those_of_maximal_coordinates) {
  for (const Case& c : lawful_cases()) {
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

TEST(LagrangeReduced, a_restored_state_goes_on_with_the_same_bits) {
  std::vector<Case> cases = smooth_cases();
  for (const Case& c : lawful_cases()) cases.push_back(c);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Simulation whole(c.scene, reduced()), restored(c.scene, reduced());
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

TEST(LagrangeReduced, reading_a_run_between_its_steps_does_not_change_it) {
  for (const Case& c : lawful_cases()) {
    SCOPED_TRACE(c.name);
    Simulation read(c.scene, reduced()), alone(c.scene, reduced());
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

TEST(LagrangeReduced, what_it_does_not_take_is_refused_with_the_reason) {
  const auto refusal = [](const std::string& text, const Options& options) -> std::string {
    try {
      Simulation sim(scene_of(text), options);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal("bodies:\n  jelly: {kind: scalable, mass: 1, inertia: [1, 1, 1]}\n", reduced()).find("joint coord"),
            std::string::npos);
}

}  // namespace lagrange_reduced_test
}  // namespace catena
