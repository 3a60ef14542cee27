// The books balance: what the energy changes by is the work done, source by source.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace ledger_test {

using namespace testing_step;

// The ledger is integrated with the motion at a tolerance of 1e-12 a step; a run of some hundred steps stays below 1e-9.
constexpr double kBooks = 1e-9;

struct Books {
  double change = 0;  // of kinetic and potential energy
  Ledger work;
  double imbalance() const {
    return change - work.motors - work.actuators - work.external - work.damping - work.projection;
  }
};

Books run(const BuiltModel& built, double until = 2) {
  Simulation simulation(built, adaptive());
  const double before = simulation.energy().total();
  EXPECT_TRUE(simulation.advance_to(until).ok());
  return {simulation.energy().total() - before, simulation.energy().ledger};
}

// Exactly one source has worked, and by its work the energy has changed.
void expect_only(const Books& books, double Ledger::*source, double least) {
  const double size = std::max(1.0, std::abs(books.work.*source));
  EXPECT_GE(std::abs(books.work.*source), least);
  EXPECT_NEAR(books.imbalance(), 0, kBooks * size);
  Ledger others = books.work;
  others.*source = 0;
  others.projection = 0;
  EXPECT_EQ(std::abs(others.motors) + std::abs(others.actuators) + std::abs(others.external) + std::abs(others.damping),
            0);
  EXPECT_LE(std::abs(books.work.projection), kBooks * size);
}

TEST(Ledger, without_forces_the_energy_stays_and_nothing_is_booked) {
  const Books books = run(double_pendulum().build());
  EXPECT_NEAR(books.change, 0, kBooks);
  EXPECT_EQ(books.work.motors, 0);
  EXPECT_EQ(books.work.actuators, 0);
  EXPECT_EQ(books.work.external, 0);
  EXPECT_EQ(books.work.damping, 0);
}

TEST(Ledger, a_motors_work_is_what_the_energy_gains) {
  JointExtras motor;
  motor.motor = Motor{Sine{2.0, 0.4, 0.3, 1.0}, {}};
  ModelBuilder builder = pendulum(0.3, 1.0 + 2 * std::sin(0.3), motor);
  const BodySpec upper = rod("rod", {}, 0.3);
  BodySpec lower = rod("lower", 2.0 * upper.position, 0.1);
  builder.body(lower).joint(hinge("elbow", "rod", "lower", 2.0 * upper.position));
  expect_only(run(builder.build()), &Ledger::motors, 1);
}

TEST(Ledger, a_prescribed_velocity_of_a_coupling_works_like_a_motor) {
  ModelBuilder builder = pendulum(0.3, 2);
  JointSpec drive;
  drive.name = "drive";
  drive.kind = JointKind::coupling;
  CouplingRow& row = drive.extras.rows.emplace_back();
  row.terms = {{BodyId(0), {}, {0, 1, 0}, false}};
  row.velocity = Constant{2};
  expect_only(run(builder.joint(drive).build(), 0.7), &Ledger::motors, 1);
}

TEST(Ledger, joint_damping_takes_what_the_energy_loses) {
  JointExtras extras;
  extras.damping = 0.3;
  const Books books = run(pendulum(2, 1, extras).build());
  expect_only(books, &Ledger::damping, 1);
  EXPECT_LT(books.work.damping, 0);
}

TEST(Ledger, a_dampers_work_is_what_the_energy_loses_and_its_springs_energy_is_potential) {
  ModelBuilder builder = double_pendulum();
  builder.spring({.between = {"ground", "lower"},
                  .anchors = {Vec3{0.7, 0.2, 0.1}, Vec3{0.5, 0, -1.5}},
                  .stiffness = 30,
                  .damping = 2,
                  .length = 0.4});
  const Books books = run(builder.build());
  expect_only(books, &Ledger::damping, 0.1);
  EXPECT_LT(books.work.damping, 0);
}

TEST(Ledger, springs_alone_keep_the_energy) {
  JointExtras extras;
  extras.stiffness = 20;
  extras.rest = 0.4;
  ModelBuilder builder = pendulum(2, 1, extras);
  builder.spring({.between = {"ground", "rod"}, .anchors = {Vec3{0.7, 0.2, 0.1}, Vec3{-0.5, 0, 0.4}}, .stiffness = 30});
  const Books books = run(builder.build());
  EXPECT_NEAR(books.change, 0, kBooks);
  EXPECT_NEAR(books.imbalance(), 0, kBooks);
}

TEST(Ledger, a_ball_joints_spring_keeps_the_energy_in_three_dimensions) {
  ModelBuilder builder;
  BodySpec body = rod("rod", {}, 1);
  body.angular_velocity = {0.7, -1.1, 2.3};
  body.velocity = cross(body.angular_velocity, body.position);
  body.inertia = Sym3{0.1, 0.05, 0.02, 0.01, 0.005, 0.003};
  JointSpec ball{.name = "ball", .kind = JointKind::ball, .between = {"ground", "rod"}, .anchor = Vec3{}};
  ball.extras.stiffness = 5;
  ball.extras.damping = 0;
  const Books free = run(builder.body(body).joint(ball).build(), 1);
  EXPECT_NEAR(free.change, 0, kBooks);
}

TEST(Ledger, external_forces_work_only_in_their_window) {
  ModelBuilder builder = double_pendulum();
  builder.force(
      {.body = "lower", .force = {3, 0, 1}, .torque = {0, 0.5, 0}, .point = {0, 0, -0.3}, .from = 0.31, .until = 0.77});
  builder.force({.body = "upper", .force = {0, 0, 5}, .from = 0.5, .until = 1.1, .body_frame = true});
  const BuiltModel built = builder.build();
  expect_only(run(built), &Ledger::external, 0.1);
  EXPECT_EQ(run(built, 0.3).work.external, 0);
  EXPECT_EQ(run(built, 1.2).work.external, run(built, 2).work.external);
}

TEST(Ledger, actuators_of_every_kind_book_their_work) {
  for (const Actuator::Kind kind : {Actuator::Kind::torque, Actuator::Kind::position, Actuator::Kind::velocity})
    for (const Signal& signal :
         {Signal{Constant{0.8}}, Signal{Sine{1, 0.7, 0.2, 0.1}}, Signal{Table{{0.2, 0.6, 1.3}, {0, 2, -1}}}}) {
      ModelBuilder builder = double_pendulum();
      builder.actuator({.joint = "elbow", .kind = kind, .kp = 12, .kv = 1.5, .signal = signal});
      expect_only(run(builder.build()), &Ledger::actuators, 0.01);
    }
}

TEST(Ledger, an_actuator_pushes_no_harder_than_its_limit) {
  ModelBuilder builder = pendulum(0.1);
  builder.gravity({0, 0, 0}).actuator(
      {.joint = "pivot", .kind = Actuator::Kind::position, .kp = 1000, .limit = 0.5, .signal = Constant{3}});
  Simulation simulation(builder.build(), adaptive());
  advance(simulation, 0.5);
  // Constant torque on m l²/3.
  EXPECT_NEAR(simulation.joint("pivot").velocity(), 0.5 * 0.5 * 3, 1e-9);
}

TEST(Ledger, forces_set_by_hand_are_booked_like_the_scenes) {
  Simulation simulation(double_pendulum().build(), adaptive());
  const double before = simulation.energy().total();
  simulation.joint("elbow").set_torque(1.5);
  simulation.set_force(simulation.model().body("upper"), {1, 0, 2}, {0, 0.3, 0});
  advance(simulation, 0.8);
  const Energy energy = simulation.energy();
  EXPECT_GT(std::abs(energy.ledger.actuators), 0.1);
  EXPECT_GT(std::abs(energy.ledger.external), 0.1);
  EXPECT_NEAR(energy.total() - before, energy.ledger.actuators + energy.ledger.external + energy.ledger.projection,
              kBooks);
}

TEST(FreeBody, momentum_and_energy_stay) {
  BodySpec body;
  body.name = "brick";
  body.mass = 2;
  body.inertia = Sym3{0.3, 0.5, 0.7, 0.02, -0.05, 0.03};
  body.orientation = normalized(Quat{0.8, 0.1, -0.4, 0.3});
  body.velocity = {1, -2, 0.5};
  body.angular_velocity = {2, 3, -1};
  Simulation simulation(ModelBuilder{}.gravity({}).body(body).build(), adaptive());
  const auto spin = [&] {
    const BodyState& s = simulation.body("brick");
    return congruence(to_matrix(s.orientation), *body.inertia) * s.angular_velocity;
  };
  const Vec3 L = spin();
  const double E = simulation.energy().total();
  advance(simulation, 10);
  EXPECT_LE(norm(spin() - L), kBooks * norm(L));
  EXPECT_NEAR(simulation.energy().total(), E, kBooks * E);
  EXPECT_LE(norm(simulation.body("brick").velocity - body.velocity), 1e-12);
  EXPECT_LE(norm(simulation.body("brick").position - 10.0 * body.velocity), 1e-11);
}

// A floating chain: the joints' forces are internal.
TEST(FreeBody, a_floating_chain_keeps_its_linear_and_angular_momentum) {
  ModelBuilder builder;
  builder.gravity({}).body(rod("a", {}, 0.3, 2)).body(rod("b", 2.0 * rod("a", {}, 0.3).position, -0.8, -1));
  builder.joint(
      {.name = "j", .kind = JointKind::ball, .between = {"a", "b"}, .anchor = 2.0 * rod("a", {}, 0.3).position});
  Simulation simulation(builder.build(), adaptive());
  const auto momentum = [&] {
    Spatial p{};
    for (const char* name : {"a", "b"}) {
      const BodyState& s = simulation.body(name);
      const Mat3 R = to_matrix(s.orientation);
      p.linear += s.velocity;
      p.angular += cross(s.position, s.velocity) + congruence(R, *rod("", {}, 0).inertia) * s.angular_velocity;
    }
    return p;
  };
  const Spatial before = momentum();
  advance(simulation, 3);
  EXPECT_LE(norm(momentum().linear - before.linear), 1e-11);
  EXPECT_LE(norm(momentum().angular - before.angular), 1e-10);
}

// A motor of limited force brings 1 kg to 0.5 m/s and lifts it: its work is all the energy there is, in the books of every method.
TEST(Books, the_work_of_motors_of_limited_force_is_the_motors) {
  const Scene scene = load_text(
      "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {j: {kind: slider, between: [ground, a], axis: [0, 0, 1], anchor: [0, 0, 0], motor: {velocity: 0.5, "
      "max_force: 50}}}");
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Simulation simulation(scene, {.method = method, .step = 1e-3});
    EXPECT_TRUE(simulation.advance_to(0.5).ok());
    const Energy energy = simulation.energy();
    EXPECT_NEAR(energy.kinetic, 0.125, 1e-9) << static_cast<int>(method);
    EXPECT_NEAR(energy.ledger.motors, energy.total(), 1e-6) << static_cast<int>(method);
    EXPECT_NEAR(energy.ledger.contacts, 0, 1e-9) << static_cast<int>(method);
  }
}

// What stands still does no work, however hard it is pressed on the floor: none is booked as contacts and given back as projection.
TEST(Books, an_arm_that_presses_on_the_floor_does_no_work) {
  const Scene scene = load_text(
      "bodies:\n"
      "  upper: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0, 0.6]}\n"
      "  lower: {mass: 1, inertia: [0.1, 0.1, 0.01], position: [1, 0, 0.35], shapes: [{sphere: 0.1, at: [0, 0, "
      "-0.25]}]}\n"
      "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
      "joints:\n"
      "  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0.6], axis: [0, 1, 0]}\n"
      "  elbow: {kind: hinge, between: [upper, lower], anchor: [1, 0, 0.6], axis: [0, 1, 0]}\n"
      "actuators: [{joint: shoulder, kind: torque, signal: {constant: 200}}, {joint: elbow, kind: torque, signal: "
      "{constant: "
      "-20}}]\n");
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    Simulation simulation(scene, {.method = method, .step = 1e-3});
    ASSERT_TRUE(simulation.advance_to(0.2).ok());
    const Energy before = simulation.energy();
    ASSERT_TRUE(simulation.advance_to(1).ok());
    const Energy after = simulation.energy();
    EXPECT_NEAR(after.total(), before.total(), 1e-7);
    EXPECT_NEAR(after.ledger.contacts, before.ledger.contacts,
                1e-6);  // 800 steps; a millionth of what the weights would do
    EXPECT_NEAR(after.ledger.projection, before.ledger.projection, 1e-6);
    EXPECT_NEAR(after.ledger.actuators, before.ledger.actuators, 1e-6);
  }
}

// What lands is stopped by contacts, which take the energy it fell by, at steps of first order too: 0.4, 0.7 and 1.0 m by 1, 2 and 3 kg.
TEST(Books, what_swept_contacts_take_is_what_fell) {
  const Scene scene = load_text(
      "bodies:\n"
      "  a: {mass: 1, inertia: 0.01, position: [0, 0, 0.5], shapes: [{sphere: 0.1}]}\n"
      "  b: {mass: 2, inertia: 0.01, position: [1, 0, 0.8], shapes: [{sphere: 0.1}]}\n"
      "  c: {mass: 3, inertia: 0.01, position: [2, 0, 1.1], shapes: [{sphere: 0.1}]}\n"
      "ground: {shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n");
  Simulation simulation(scene, {.method = Spook{.contacts = ContactMode::swept}, .step = 5e-3});
  const Energy before = simulation.energy();
  ASSERT_TRUE(simulation.advance_to(1).ok());
  const Energy after = simulation.energy();
  EXPECT_LE(after.kinetic, 1e-9);
  const double fell = after.total() - before.total();  // and what they lie in the ground by: less than 0.1 mm
  EXPECT_NEAR(fell, -9.81 * (0.4 * 1 + 0.7 * 2 + 1.0 * 3), 9.81 * 6 * 1e-4);
  EXPECT_NEAR(after.ledger.contacts + after.ledger.projection + after.ledger.numerical, fell, 1e-9 * -fell);
  EXPECT_NEAR(after.ledger.contacts, fell, 1e-6 * -fell);
}

}  // namespace ledger_test
}  // namespace catena
