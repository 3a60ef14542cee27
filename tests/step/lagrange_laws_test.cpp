// Contacts, limits, friction and bounded motors under the method lagrange, in maximal and in joint coordinates, against closed forms: events are located,
// so what is left is the error of rk4.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/catena.h"
#include "catena/mechanism/dynamics.h"
#include "catena/step/stepper.h"
#include "source_dir.h"

namespace catena {
namespace lagrange_laws_test {

constexpr double kG = 9.81;

class LagrangeLaws : public testing::TestWithParam<Coordinates> {
 protected:
  static MethodSettings lagrange(Integrator integrator = Integrator::automatic) {
    return MethodWords{.method = Method::lagrange, .integrator = integrator, .coordinates = GetParam()};
  }
  static Simulation scene(const std::string& text, double step = 1e-3) {
    return Simulation(load_text("catena: 1\n" + text), {.method = lagrange(), .step = step});
  }
};
INSTANTIATE_TEST_SUITE_P(Coordinates, LagrangeLaws, testing::Values(Coordinates::maximal, Coordinates::reduced),
                         [](const testing::TestParamInfo<Coordinates>& in) {
                           return in.param == Coordinates::maximal ? "maximal" : "reduced";
                         });

// A uniform rod of 1 m leans at 60° on the floor by its low end and is pushed along with its low end behind, where with friction 2 every
// force on the end presses it further in: 1 + 3 cos² < 3 friction cos sin (Painlevé). The slip ends at once: the end stops and the rod
// turns about it, keeping its angular momentum about the end: ω = 3 v sin θ/(4 l), l half the rod.
TEST_P(LagrangeLaws, PainlevesRodIsStoppedByAnImpulse) {
  const double angle = std::numbers::pi / 3, l = 0.5, v = 1;
  const auto rod = [&](double friction) {
    return scene(
        fmt::format("defaults: {{friction: {}}}\nground: {{shapes: [{{plane: {{normal: [0, 0, 1], offset: 0}}}}]}}\n"
                    "bodies:\n  rod: {{mass: 1, inertia: [{:.17g}, {:.17g}, 1e-3], position: [{:.17g}, 0, {:.17g}], "
                    "orientation: {{axis: [0, 1, 0], angle: {:.17g}}}, velocity: [{}, 0, 0], shapes: [{{point: [0, 0, "
                    "-0.5]}}]}}\n",
                    friction, l * l / 3, l * l / 3, l * std::cos(angle), l * std::sin(angle),
                    std::numbers::pi / 2 - angle, -v),
        1e-9);
  };
  Simulation jams = rod(2);
  StepReport report = jams.step();
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_EQ(report.shocks, 1);
  EXPECT_NEAR(std::abs(jams.body("rod").angular_velocity.y), 3 * v * std::sin(angle) / (4 * l), 1e-7);
  const Vec3 arm = rotate(jams.body("rod").orientation, Vec3{0, 0, -0.5});
  EXPECT_LE(norm(jams.body("rod").velocity + cross(jams.body("rod").angular_velocity, arm)), 1e-7);

  Simulation slides = rod(1);
  report = slides.step();
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.shocks, 0);
  EXPECT_NEAR(slides.body("rod").velocity.x, -v, 1e-7);
}

// A ball slides without friction down a fixed ball and leaves it where cos θ = 2/3 cos θ₀; from then on its horizontal velocity is
// √(2/3 g ρ cos θ₀) · 2/3 cos θ₀. The normal turns with the ball: without its centripetal part the ball would leave elsewhere.
TEST_P(LagrangeLaws, BallLeavesASphereWhereItsForceEnds) {
  const double R = 1, r = 0.1, rho = R + r, start = 0.3;
  Simulation sim = scene(fmt::format(
      "defaults: {{friction: 0}}\nground: {{shapes: [{{sphere: {}}}]}}\nbodies:\n  ball: {{mass: 1, inertia: "
      "[0.004, 0.004, 0.004], position: [{:.17g}, 0, {:.17g}], shapes: [{{sphere: {}}}]}}\n",
      R, rho * std::sin(start), rho * std::cos(start), r));
  double leaves = 0;
  for (; sim.time() < 1.2;) {
    ASSERT_TRUE(sim.step().ok());
    const Vec3 p = sim.body("ball").position;
    if (norm(p) <= rho + 1e-9) leaves = p.z / norm(p);
  }
  EXPECT_NEAR(leaves, 2.0 / 3 * std::cos(start), 5e-3);  // the last sample on the ball: up to a step earlier
  const double cosine = 2.0 / 3 * std::cos(start);
  EXPECT_NEAR(sim.body("ball").velocity.x, std::sqrt(kG * rho * cosine) * cosine, 1e-7);
}

// A block pulled by a spring k whose other end moves at V sticks until the spring pulls with μ m g, and then moves by
// x = V (s − sin ωs/ω), s the time since, ω² = k/m: kinetic friction is as large as static.
TEST_P(LagrangeLaws, SlipBeginsWhereTheForceLeavesTheCone) {
  const double m = 2, k = 50, V = 0.1, friction = 0.25, omega = std::sqrt(k / m);
  const std::string world = fmt::format(
      "bodies:\n  block: {{mass: {}, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1], shapes: [{{box: [0.4, 0.4, "
      "0.2]}}]}}\n"
      "  car: {{mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0.1]}}\n"
      "springs: [{{between: [block, car], anchors: [[0, 0, 0.1], [1, 0, 0.1]], stiffness: {}, length: 1}}]\n",
      m, k);
  const std::string floor = fmt::format(
      "defaults: {{friction: {}}}\nground: {{shapes: [{{plane: {{normal: [0, 0, 1], offset: 0}}}}]}}\n"
      "joints:\n  road: {{kind: slider, between: [ground, car], anchor: [1, 0, 0.1], axis: [1, 0, 0], motor: "
      "{{velocity: "
      "{}}}}}\n",
      friction, V);
  const std::string rail = fmt::format(
      "joints:\n  road: {{kind: slider, between: [ground, car], anchor: [1, 0, 0.1], axis: [1, 0, 0], motor: "
      "{{velocity: "
      "{}}}}}\n  rail: {{kind: slider, between: [ground, block], anchor: [0, 0, 0.1], axis: [1, 0, 0], friction: "
      "{:.17g}}}\n",
      V, friction * m * kG);
  for (const std::string& held : {floor, rail}) {
    Simulation sim = scene(world + held);
    const double begins = friction * m * kG / (k * V), s = 1.5 * std::numbers::pi / omega;
    ASSERT_TRUE(sim.advance_to(0.999 * begins).ok());
    EXPECT_LE(std::abs(sim.body("block").position.x), 1e-11);
    ASSERT_TRUE(sim.advance_to(begins + s).ok());
    EXPECT_NEAR(sim.body("block").position.x, V * (s - std::sin(omega * s) / omega), 1e-8);
  }
}

const char* kSlider =
    "gravity: [0, 0, 0]\nbodies:\n  cart: {{mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [{}, 0, "
    "0]}}\n"
    "joints:\n  rail: {{kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0], {}}}\n";

// Dry friction F on a cart of mass m stops it after v²m/(2F), and holds it there.
TEST_P(LagrangeLaws, DryFrictionInAJoint) {
  Simulation sim = scene(fmt::format(fmt::runtime(kSlider), 1.0, "friction: 3"));
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("cart").position.x, 1.0 * 2 / (2 * 3), 1e-11);
  EXPECT_LE(std::abs(sim.body("cart").velocity.x), 1e-11);
  EXPECT_NEAR(sim.energy().ledger.contacts, -1, 1e-9);
}

// A motor of at most 4 N reaches 1 m/s on 2 kg after 0.5 s, at 0.25 m, and pushes no further.
TEST_P(LagrangeLaws, MotorsWithALimit) {
  Simulation sim = scene(fmt::format(fmt::runtime(kSlider), 0.0, "motor: {velocity: 1, max_force: 4}"));
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(sim.body("cart").velocity.x, 1, 1e-11);
  EXPECT_NEAR(sim.body("cart").position.x, 0.25 + 1.5, 1e-11);
}

// A joint with compliance ε and relaxation τ is the spring λ = −(x + τ v)/ε, SPOOK's in the limit of short steps.
TEST_P(LagrangeLaws, ComplianceIsASpring) {
  const double m = 2, eps = 1e-3, tau = 0.01, t = 0.3;
  Simulation sim = scene(
      "gravity: [0, 0, 0]\nbodies:\n  bead: {kind: particle, mass: 2, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
      "joints:\n  wall: {kind: point-on-plane, between: [ground, bead], anchor: [0, 0, 0], axis: [1, 0, 0], "
      "compliance: 1e-3, relaxation: 0.01}\n");
  ASSERT_TRUE(sim.advance_to(t).ok());
  const double decay = tau / (2 * eps * m), omega = std::sqrt(1 / (eps * m) - decay * decay);
  EXPECT_NEAR(sim.body("bead").position.x, std::exp(-decay * t) * std::sin(omega * t) / omega, 1e-9);
}

// A bouncing ball keeps e² of its height, and with e = 1 all of its energy over a thousand bounces.
TEST_P(LagrangeLaws, Bounces) {
  const auto ball = [](double e, double height, double step) {
    return scene(
        fmt::format("defaults: {{friction: 0, restitution: {}}}\nground: {{shapes: [{{plane: {{normal: [0, 0, 1], "
                    "offset: 0}}}}]}}\nbodies:\n  ball: {{mass: 1, inertia: [0.004, 0.004, 0.004], position: "
                    "[0, 0, {}], shapes: [{{sphere: 0.1}}]}}\n",
                    e, 0.1 + height),
        step);
  };
  const double fall = std::sqrt(2 / kG);
  Simulation once = ball(0.8, 1, 1e-3);
  ASSERT_TRUE(once.advance_to(1.8 * fall).ok());
  EXPECT_NEAR(once.body("ball").position.z - 0.1, 0.64, 1e-9);
  Simulation many = ball(1, 0.1, 5e-3);
  const double before = many.energy().total();
  const StepReport report = many.advance_to(1000 * 2 * std::sqrt(0.2 / kG));
  ASSERT_TRUE(report.ok());
  EXPECT_GE(report.impacts, 999);
  EXPECT_NEAR(many.energy().total(), before, 1e-6 * before);
}

// A chain of three links falls onto the floor and slides: spook, which is of second order, comes to the same motion as its step gets short.
TEST_P(LagrangeLaws, AgreesWithSpookOnAChainThatLands) {
  std::string text =
      "defaults: {friction: 0.4}\nground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\nbodies:\n";
  for (int k = 0; k < 3; ++k)
    text += fmt::format(
        "  link{}: {{mass: 1, inertia: [0.02, 0.02, 0.002], position: [{}, 0, 0.3], orientation: {{axis: [0, 1, 0], "
        "angle: 90 deg}}, velocity: [0.5, 0, 0], shapes: [{{capsule: {{radius: 0.05, length: 0.3}}}}]}}\n",
        k, 0.45 * k);
  text += "joints:\n";
  for (int k = 0; k < 2; ++k)
    text +=
        fmt::format("  hinge{}: {{kind: hinge, between: [link{}, link{}], anchor: [{}, 0, 0.3], axis: [0, 1, 0]}}\n", k,
                    k, k + 1, 0.45 * k + 0.225);
  text += "  pivot: {kind: ball, between: [ground, link0], anchor: [-0.225, 0, 0.3]}\n";
  const auto run = [&](const MethodSettings& method, double step) {
    Simulation sim(load_text("catena: 1\n" + text), {.method = method, .step = step});
    const StepReport report = sim.advance_to(0.5);
    EXPECT_TRUE(report.ok()) << report.message;
    EXPECT_LE(report.penetration, 1e-5);
    return sim.body("link2").position;
  };
  const Vec3 exact = run(lagrange(), 1e-3);
  EXPECT_LE(norm(run(lagrange(), 5e-4) - exact), 1e-6);
  EXPECT_LE(norm(run(Method::spook, 1e-4) - exact), 1e-4);
}

// What contacts take out of a motion is in the books: nothing is left unexplained but the error of rk4.
TEST_P(LagrangeLaws, BooksBalance) {
  Simulation sim = scene(
      "defaults: {friction: 0.2, restitution: 0.5}\nground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
      "bodies:\n  ball: {mass: 0.5, inertia: [0.002, 0.002, 0.002], position: [0, 0, 0.3], velocity: [3, 1, 0], "
      "angular_velocity: [0, 5, 2], shapes: [{sphere: 0.1}]}\n");
  const double before = sim.energy().total();
  ASSERT_TRUE(sim.advance_to(2).ok());
  const Energy after = sim.energy();
  EXPECT_LT(after.ledger.contacts, -0.1);
  EXPECT_NEAR(after.total() - before, after.ledger.contacts + after.ledger.projection, 1e-9);
}

// Forces on a body sum to its mass times its acceleration, at every step.
TEST_P(LagrangeLaws, ForcesSumToTheAcceleration) {
  Simulation sim = scene(
      "defaults: {friction: 0.3}\nground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\nbodies:\n"
      "  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, 0.1], velocity: [0.6, 0.2, 0], angular_velocity: "
      "[0, 0, 2], shapes: [{box: [0.4, 0.4, 0.2]}]}\n");
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(sim.step().ok());
    const Vec3 a = sim.evaluate().vdot[0].linear;
    Vec3 force = 2 * sim.model().gravity;
    for (const ContactForce& c : sim.contact_forces()) force += c.force;
    EXPECT_LE(norm(force - 2 * a), 1e-10 * 2 * kG) << k;
  }
}

TEST_P(LagrangeLaws, RestoredStateGoesOnWithTheSameBits) {
  const std::string text =
      "defaults: {friction: 0.2}\nground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\nbodies:\n"
      "  box: {mass: 2, inertia: [0.03, 0.03, 0.05], position: [0, 0, 0.1], velocity: [0.6, 0.2, 0], angular_velocity: "
      "[0, 0, 2], shapes: [{box: [0.4, 0.4, 0.2]}]}\n";
  Simulation a = scene(text), b = scene(text);
  ASSERT_TRUE(a.advance_to(0.05).ok());
  const State saved = a.state();
  ASSERT_TRUE(a.advance_to(0.3).ok());
  b.set_state(saved);
  ASSERT_TRUE(b.advance_to(0.3).ok());
  EXPECT_EQ(a.body("box").position.x, b.body("box").position.x);
  EXPECT_EQ(a.body("box").angular_velocity.z, b.body("box").angular_velocity.z);
}

// Toes of a walking mechanism creep: their slips turn on the way to rest, which takes a nanosecond, and so does the next. Each used to be an event
// of its own, located by some thirty integrations, until the step was left to the implicit scheme.
TEST_P(LagrangeLaws, SlipsThatTurnOnTheirWayToRestDoNotCutAStepOverAndOver) {
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4}) {
    Simulation sim(load(source_dir() + "/examples/strandbeest.yaml"), {.method = lagrange(integrator), .step = 1e-3});
    for (int i = 0; i < 40; ++i) {
      const StepReport report = sim.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_EQ(report.replaced, 0) << report.why_replaced;
      EXPECT_LE(report.complementarity, 1e-9);
    }
  }
}

// Contacts are searched for once a set of positions. A step by rk4 in steady contact has six: its beginning, three more stages, its end, and where what
// touches is projected back onto touching.
TEST_P(LagrangeLaws, AStepInSteadyContactSearchesAtMostSixTimes) {
  for (const char* velocity : {"0", "1"}) {  // at rest, and sliding
    const Simulation start = scene(fmt::format(
        "defaults: {{friction: 0.3}}\nground: {{shapes: [{{plane: {{}}}}]}}\nbodies:\n  box: {{mass: 1, position: "
        "[0, 0, 0.1], velocity: [{}, 0, 0], shapes: [{{box: [0.4, 0.3, 0.2]}}]}}\n",
        velocity));
    Stepper stepper(start.model(), start.state(), start.settings());
    State state = start.state();
    ASSERT_TRUE(stepper.step(1e-3, state).ok());
    for (int i = 0; i < 50; ++i) {
      const int before = stepper.searches();
      const StepReport report = stepper.step(1e-3, state);
      ASSERT_TRUE(report.ok()) << report.message;
      ASSERT_EQ(report.contacts, 4);
      EXPECT_GE(stepper.searches() - before, 1);
      EXPECT_LE(stepper.searches() - before, 6) << "sliding at " << velocity;
    }
  }
}

}  // namespace lagrange_laws_test
}  // namespace catena
