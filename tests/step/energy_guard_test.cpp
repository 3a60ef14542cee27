// No step gives energy away: stiff motion halves the step, rotors are kinetic energy, limits and overlaps at the start open slowly.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace energy_guard_test {

using namespace testing_step;

// Links of 10 g under the weight of 100 kg: they vibrate sideways at √(m g / (μ l)) = 1000 rad/s, beyond what an explicit step of 1 ms bears.
TEST(EnergyGuard, a_heavy_ball_on_a_light_chain_keeps_its_energy_in_joint_coordinates) {
  const Scene scene = load_text(R"(
chain: {count: 20, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.01, shapes: [{box: [0.1, 0.01, 0.01], collide: no}]}}
bodies: {ball: {mass: 100, position: [2.1, 0, 0], shapes: [{sphere: 0.1}]}}
joints: {w: {kind: weld, between: [link19, ball]}}
ground: {shapes: [{plane: {offset: -5}}]}
)");
  Simulation simulation(scene, Options{.method = Method::operational, .step = 1e-3});
  const double before = simulation.energy().total();
  int halvings = 0;
  for (int i = 0; i < 700; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    halvings += report.halvings;
  }
  EXPECT_GT(halvings, 0);
  // Each of the 64 parts of a step may err by the tuned 1e-6 of the energy scale (2 kJ in the swing); errors of both signs occur.
  EXPECT_NEAR(simulation.energy().total(), before, 0.5);
}

// A rotor of inertia a on a hinge under a constant torque: (I + a) q̈ = τ, and all of the work is kinetic energy.
TEST(EnergyGuard, the_work_on_a_joint_with_armature_is_the_kinetic_energy_of_body_and_rotor) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {wheel: {mass: 2, inertia: [0.3, 0.3, 0.5]}}
joints: {axle: {kind: hinge, between: [ground, wheel], anchor: [0, 0, 0], axis: [0, 0, 1], armature: 1.5}}
)");
  for (const Method method : {Method::operational, Method::spook}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    simulation.joint("axle").set_torque(4.0);
    ASSERT_TRUE(simulation.advance_to(1).ok());
    const double rate = 4.0 / (0.5 + 1.5);
    EXPECT_NEAR(simulation.v()[0], rate, 1e-9);
    EXPECT_NEAR(simulation.energy().kinetic, 0.5 * (0.5 + 1.5) * rate * rate, 1e-9);
    EXPECT_NEAR(simulation.energy().ledger.numerical, 0, 1e-9);
  }
}

// A hinge that starts half a radian outside its limits, against a spring: it is brought back at 1 rad/s, and what that takes is booked.
TEST(EnergyGuard, a_joint_that_starts_outside_its_limits_comes_back_at_a_bounded_speed) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
joints: {elbow: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1], stiffness: 100, limits: {lower: 0.5, upper: 2}}}
)");
  Simulation simulation(scene, Options{.method = Method::operational, .step = 2e-3});
  const double before = simulation.energy().total();
  double last = simulation.q()[0];
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    EXPECT_LE(simulation.q()[0] - last, 2e-3 * (1 + 1e-6) + 2e-3 * std::abs(simulation.v()[0]));
    last = simulation.q()[0];
  }
  EXPECT_NEAR(last, 0.5, 1e-5);
  const Energy energy = simulation.energy();
  EXPECT_NEAR(energy.total() - before, energy.ledger.projection + energy.ledger.contacts + energy.ledger.numerical,
              1e-6);
  EXPECT_NEAR(energy.potential, 0.5 * 100 * 0.5 * 0.5, 1e-3);
}

double normal_force(const Simulation& simulation) {
  double sum = 0;
  for (const ContactForce& force : simulation.contact_forces()) sum += force.normal;
  return sum;
}

// Without gravity and motion the forces are the only scale of energy there is: rounding must not halve a step.
TEST(EnergyGuard, an_arm_pressed_on_a_plane_without_gravity_rests_in_whole_steps) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
defaults: {friction: 0}
collide: {adjacent: yes}
ground: {shapes: [{plane: {offset: -0.05}}]}
bodies: {a: {mass: 1, inertia: [0.001, 0.0075, 0.0075], position: [0.15, 0, 0], shapes: [{sphere: 0.05, at: [0.15, 0, 0]}]}}
joints: {h: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0]}}
actuators: [{joint: h, kind: torque, signal: 5}]
)");
  for (const Method method : {Method::operational, Method::spook}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    for (int i = 0; i < 300; ++i) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      ASSERT_EQ(report.halvings, 0) << i;
    }
    EXPECT_NEAR(normal_force(simulation), 5 / 0.3, 1e-6);
  }
}

// The chain of the first test halves steps; the box beside it stands still, and what holds it is its weight in whole steps and in halved ones.
TEST(EnergyGuard, contact_forces_of_steps_taken_in_halves_are_counted_once) {
  const Scene scene = load_text(R"(
chain: {count: 20, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.01, shapes: [{box: [0.1, 0.01, 0.01], collide: no}]}}
bodies:
  ball: {mass: 100, position: [2.1, 0, 0], shapes: [{sphere: 0.1, collide: no}]}
  box: {mass: 2, position: [0, 5, -4.9], shapes: [{box: [0.2, 0.2, 0.2]}]}
joints: {w: {kind: weld, between: [link19, ball]}}
ground: {shapes: [{plane: {offset: -5}}]}
)");
  Simulation simulation(scene, Options{.method = Method::operational, .step = 1e-3});
  int halved = 0;
  for (int i = 0; i < 500; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    halved += report.halvings > 0 ? 1 : 0;
    if (i == 0) continue;  // it lands by rounding
    ASSERT_NEAR(normal_force(simulation), 2 * 9.81, 1e-6) << i;
  }
  EXPECT_GT(halved, 0);
}

// Rotors in closed loops: in joint coordinates inertia along rates, among the bodies inertia along the freedoms of fronts. Both steps are of
// second order, so halving the step quarters what they differ by.
void expect_alike_in_both_coordinates(const Scene& scene, const char* joint) {
  const auto run = [&](Method method, Coordinates coordinates, double h) {
    Simulation simulation(scene,
                          Options{.method = MethodWords{.method = method, .coordinates = coordinates}, .step = h});
    const double before = simulation.energy().total();
    EXPECT_TRUE(simulation.advance_to(0.4).ok());
    EXPECT_NEAR(simulation.energy().total(), before, 1e-5);
    return simulation.joint(joint).position();
  };
  const double reduced = run(Method::operational, Coordinates::reduced, 1e-3);
  EXPECT_GT(std::abs(reduced), 0.1);
  for (const Method method : {Method::operational, Method::spook}) {
    const double coarse = std::abs(run(method, Coordinates::maximal, 1e-3) - reduced);
    const double fine =
        std::abs(run(method, Coordinates::maximal, 5e-4) - run(Method::operational, Coordinates::reduced, 5e-4));
    EXPECT_LE(coarse, 1e-6);
    EXPECT_LE(fine, std::max(coarse / 3, 1e-10));
  }
}

TEST(EnergyGuard, a_rotor_in_a_four_bar_turns_alike_in_both_coordinates_and_keeps_its_energy) {
  expect_alike_in_both_coordinates(load_text(R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0.1], velocity: [0, 0, 0]}
  coupler: {mass: 2, inertia: [0.02, 0.1, 0.1], position: [0.4, 0, 0.3]}
  rocker: {mass: 1.5, inertia: [0.01, 0.03, 0.03], position: [0.55, 0, 0.2]}
joints:
  a: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0], armature: 0.5}
  b: {kind: hinge, between: [crank, coupler], anchor: [0.2, 0, 0.2], axis: [0, 1, 0]}
  c: {kind: hinge, between: [coupler, rocker], anchor: [0.6, 0, 0.4], axis: [0, 1, 0]}
  d: {kind: hinge, between: [rocker, ground], anchor: [0.5, 0, 0], axis: [0, 1, 0]}
)"),
                                   "a");
}

TEST(EnergyGuard, rotors_of_a_crank_and_of_its_slider_move_alike_in_both_coordinates_and_keep_their_energy) {
  expect_alike_in_both_coordinates(load_text(R"(
bodies:
  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0.1]}
  rod: {mass: 2, inertia: [0.02, 0.1, 0.1], position: [0.5, 0, 0.1]}
  piston: {mass: 1.5, inertia: [0.01, 0.03, 0.03], position: [0.8, 0, 0]}
joints:
  shaft: {kind: hinge, between: [ground, crank], anchor: [0, 0, 0], axis: [0, 1, 0], armature: 0.2}
  pin: {kind: hinge, between: [crank, rod], anchor: [0.2, 0, 0.2], axis: [0, 1, 0]}
  wrist: {kind: hinge, between: [rod, piston], anchor: [0.8, 0, 0], axis: [0, 1, 0]}
  guide: {kind: slider, between: [ground, piston], axis: [1, 0, 0], armature: 3}
)"),
                                   "shaft");
}

// The heavy ball on its light chain by rk4, whose steps are too long for the whips of the chain: it never gains, and goes on.
TEST(EnergyGuard, no_step_of_lagrange_gains_energy) {
  Simulation simulation(load_text(R"(
chain: {count: 20, offset: [0.1, 0, 0], joint: {kind: ball}, link: {mass: 0.01, shapes: [{box: [0.1, 0.01, 0.01], collide: no}]}}
bodies: {ball: {mass: 100, position: [2.1, 0, 0], shapes: [{sphere: 0.1, collide: no}]}}
joints: {w: {kind: weld, between: [link19, ball]}}
)"),
                        Options{.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
  int halved = 0;
  for (int i = 0; i < 1000; ++i) {
    const double before = simulation.energy().total(), kinetic = simulation.energy().kinetic;
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    halved += report.halvings > 0 ? 1 : 0;
    // Weight times the size of the mechanism (0.15 m from joint to centre at most) and kinetic energy, closing of joints included.
    const double scale = 100.2 * 9.81 * 0.15 + kinetic;
    ASSERT_LE(simulation.energy().total() - before, 2e-6 * scale) << i;
  }
  EXPECT_GT(halved, 0);
}

// Two boxes that the scene puts deep into each other are brought apart at no more than 1 m/s by every method.
TEST(EnergyGuard, boxes_that_start_deep_in_each_other_come_apart_slowly) {
  const Scene scene = load_text(R"(
gravity: [0, 0, 0]
bodies:
  a: {mass: 1, position: [0, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}
  b: {mass: 1, position: [0.02, 0.01, 0.03], orientation: {rpy: [0.1, 0.2, 0.3]}, shapes: [{box: [0.2, 0.2, 0.2]}]}
)");
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, Options{.method = method, .step = 1e-3});
    const StepReport report = simulation.advance_to(0.5);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_LE(simulation.step().penetration, 1e-6);
    // Where they touch they part at 1 m/s; the boxes turn as well, so that their centres may be a little faster.
    EXPECT_LE(norm(simulation.body("a").velocity - simulation.body("b").velocity), 1.2);
  }
}

// A chain of capsules comes to lie on the floor, each on two contacts: which carries how much is open, and no solver finds an exact answer in all steps.
// What is taken instead is reported, and takes energy.
TEST(EnergyGuard, a_chain_that_lies_down_on_many_contacts_gains_nothing_and_reports_what_was_given_up) {
  const Scene scene = load_text(R"(
defaults: {friction: 0.5}
ground: {shapes: [{plane: {}}]}
collide: {adjacent: no}
chain: {count: 12, from: none, start: [0, 0, 0.3], orientation: {axis: [0, 1, 0], angle: -0.1}, turn: {axis: [0, 0, 1], angle: 0.15},
  link: {density: 1000, shapes: [{capsule: {radius: 0.03, length: 0.1}, orientation: {axis: [0, 1, 0], angle: 1.5707963}}]},
  joint: {kind: ball}, offset: [0.16, 0, 0]}
)");
  for (const Method method : {Method::operational, Method::spook}) {
    Simulation simulation(scene, Options{.method = method, .step = 2e-3});
    const double start = simulation.energy().total();
    double energy = start;
    for (int i = 0; i < 250; ++i) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      EXPECT_LE(report.complementarity, 1e-3);
      EXPECT_LE(report.penetration, 1e-5);
      const double now = simulation.energy().total();
      EXPECT_LE(now - energy, 1e-5 * start) << i;
      energy = now;
    }
    EXPECT_LE(energy, 0.5 * start);
  }
}

// Jain's pendulum of twelve spheres hits floor, wall and itself, and jams between them: impulses there are large, and their errors too. Contacts only
// take energy, so that it may rise over a step by no more than the method's energy may swing about that of the motion (StabilityTuning::most_swing).
TEST(EnergyGuard, no_step_of_impulse_gains_energy_where_a_pendulum_jams) {
  const Scene scene = load(example("jain_pendulum"));
  Simulation simulation(scene, Options{.method = MethodWords{.method = Method::impulse,
                                                             .integrator = Integrator::automatic,
                                                             .law_solver = LawSolver::automatic}});
  double weight = 0;
  for (const Body& body : scene.model.bodies) weight += body.mass * norm(scene.model.gravity);
  double before = simulation.energy().total();
  while (simulation.time() < 9.2) {
    const double kinetic = simulation.energy().kinetic;
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    const double now = simulation.energy().total();
    ASSERT_LE(now - before, 0.2 * (weight * simulation.size() + kinetic) * (1 + 1e-9)) << simulation.time();
    before = now;
  }
}

}  // namespace energy_guard_test
}  // namespace catena
