// Joints from outside: driving them, reading them, and what they carry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "step/step_testing.h"

namespace catena {
namespace joints_test {

using namespace testing_step;

constexpr double kPi = std::numbers::pi;

TEST(JointHandle, a_torque_set_by_hand_turns_the_hinge_until_it_is_set_again) {
  Simulation simulation(pendulum(0).gravity({}).build(), adaptive());
  Simulation::JointHandle pivot = simulation.joint("pivot");
  pivot.set_torque(2);
  advance(simulation, 0.5);
  EXPECT_NEAR(pivot.velocity(), 0.5 * 2 * 3, 1e-10);  // m l²/3 = 1/3
  EXPECT_NEAR(pivot.position(), 0.5 * 6 * 0.25, 1e-10);
  pivot.set_torque(0);
  advance(simulation, 1);
  EXPECT_NEAR(pivot.velocity(), 3, 1e-9);
}

TEST(JointHandle, a_hinge_counts_whole_turns_both_ways) {
  for (const double rate : {12.0, -12.0}) {
    Simulation simulation(pendulum(0.4, rate).gravity({}).build(), adaptive());
    // 3.1 turns.
    const double until = 3.1 * 2 * kPi / 12;
    advance(simulation, until);
    EXPECT_NEAR(simulation.joint("pivot").position(), rate * until, 1e-9);
  }
}

TEST(JointHandle, turns_are_part_of_the_state) {
  Simulation simulation(pendulum(0.4, 12).gravity({}).build(),
                        {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-2});
  advance(simulation, 2);
  const State saved = simulation.state();
  Simulation other(pendulum(0.4, 12).gravity({}).build(),
                   {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-2});
  other.set_state(saved);
  EXPECT_EQ(other.joint("pivot").position(), simulation.joint("pivot").position());
  EXPECT_GT(other.joint("pivot").position(), 3 * 2 * kPi);
}

TEST(JointHandle, positions_and_velocities_of_every_coordinate_can_be_read) {
  ModelBuilder builder;
  builder.gravity({}).body({.name = "puck",
                            .mass = 1.0,
                            .inertia = Sym3::diagonal(1, 1, 1),
                            .velocity = {0.5, -0.3, 0},
                            .angular_velocity = {0, 0, 2}});
  builder.joint({.name = "table",
                 .kind = JointKind::planar,
                 .between = {"ground", "puck"},
                 .anchor = Vec3{},
                 .axis = Vec3{0, 0, 1}});
  Simulation simulation(builder.build(), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-2});
  Simulation::JointHandle table = simulation.joint("table");
  ASSERT_EQ(table.coordinates(), 3);
  advance(simulation, 2);
  EXPECT_NEAR(std::hypot(table.position(0), table.position(1)), std::hypot(1.0, 0.6), 1e-12);
  EXPECT_NEAR(std::hypot(table.velocity(0), table.velocity(1)), std::hypot(0.5, 0.3), 1e-12);
  EXPECT_NEAR(table.position(2), 4, 1e-9);
  EXPECT_NEAR(table.velocity(2), 2, 1e-12);
}

TEST(Reaction, a_hanging_body_pulls_with_its_weight) {
  Simulation simulation(pendulum(0).build());
  const Spatial r = simulation.joint("pivot").reaction();
  EXPECT_LE(norm(r.linear - Vec3{0, 0, 9.81}), 1e-12);
  EXPECT_LE(norm(r.angular), 1e-12);
}

TEST(Reaction, it_acts_on_the_second_body_whichever_comes_first) {
  ModelBuilder builder;
  builder.body(rod("rod", {}, 0)).joint(hinge("pivot", "rod", "ground", {}));
  Simulation simulation(builder.build());
  EXPECT_LE(norm(simulation.joint("pivot").reaction().linear - Vec3{0, 0, -9.81}), 1e-12);
}

TEST(Reaction, a_weld_holds_a_cantilever_by_its_moment) {
  ModelBuilder builder;
  builder.body(rod("beam", {}, -kPi / 2));  // along +x from the origin, its centre half a metre out
  builder.joint({.name = "wall", .kind = JointKind::weld, .between = {"ground", "beam"}, .anchor = Vec3{}});
  Simulation simulation(builder.build());
  const Spatial r = simulation.joint("wall").reaction();
  EXPECT_LE(norm(r.linear - Vec3{0, 0, 9.81}), 1e-12);
  EXPECT_LE(norm(r.angular - Vec3{0, -0.5 * 9.81, 0}), 1e-12);
}

TEST(Reaction, forces_on_every_body_sum_to_its_change_of_momentum) {
  Simulation simulation(double_pendulum().build());
  Dynamics& dynamics = simulation.evaluate();
  const Spatial shoulder = dynamics.reaction(JointId(0)), elbow = dynamics.reaction(JointId(1));
  const Vec3 weight{0, 0, -9.81};
  EXPECT_LE(norm(dynamics.vdot[0].linear - (shoulder.linear - elbow.linear + weight)), 1e-12);
  EXPECT_LE(norm(dynamics.vdot[1].linear - (elbow.linear + weight)), 1e-12);
}

TEST(Motor, a_hinge_follows_a_sine_of_velocity) {
  JointExtras extras;
  extras.motor = Motor{Sine{2, 0.5, 0.4, 0.3}, {}};
  Simulation simulation(pendulum(0.2, 0.3 + 2 * std::sin(0.4), extras).build(),
                        {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
  const auto angle = [](double t) { return 0.3 * t + 2 / kPi * (std::cos(0.4) - std::cos(kPi * t + 0.4)); };
  for (const double t : {0.3, 1.0, 2.7}) {
    advance(simulation, t);
    EXPECT_NEAR(simulation.joint("pivot").velocity(), 0.3 + 2 * std::sin(kPi * t + 0.4), 1e-11);
    EXPECT_NEAR(simulation.joint("pivot").position(), angle(t), 1e-9);
  }
}

TEST(Motor, a_table_of_velocity_is_followed_through_its_kinks) {
  JointExtras extras;
  extras.motor = Motor{Table{{0.105, 0.3333, 0.5}, {1, 3, -2}}, {}};
  // A step that hits none of the kinks.
  Simulation simulation(pendulum(0.2, 1, extras).build(),
                        {.method = MethodWords{.integrator = Integrator::rk4}, .step = 0.01});
  advance(simulation, 1);
  const double travelled = 0.105 + 0.5 * (1 + 3) * (0.3333 - 0.105) + 0.5 * (3 - 2) * (0.5 - 0.3333) - 2 * 0.5;
  EXPECT_NEAR(simulation.joint("pivot").position(), travelled, 1e-7);
  EXPECT_NEAR(simulation.joint("pivot").velocity(), -2, 1e-11);
}

// The impulse of a constant force is F Δt exactly, because steps end where a window begins and ends.
TEST(Force, its_impulse_is_force_times_window_even_where_steps_do_not_divide_it) {
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4, Integrator::adaptive}) {
    ModelBuilder builder;
    builder.gravity({}).body({.name = "p", .kind = BodyKind::particle, .mass = 2.0});
    builder.force({.body = "p", .force = {3, -1, 0.5}, .from = 0.0123, .until = 0.7771});
    Simulation simulation(builder.build(), {.method = MethodWords{.integrator = integrator}, .step = 0.01});
    advance(simulation, 1);
    EXPECT_LE(norm(2.0 * simulation.body("p").velocity - (0.7771 - 0.0123) * Vec3{3, -1, 0.5}), 1e-12);
  }
}

TEST(Force, a_window_shorter_than_a_step_is_not_missed) {
  ModelBuilder builder;
  builder.gravity({}).body({.name = "p", .kind = BodyKind::particle, .mass = 1.0});
  builder.force({.body = "p", .force = {100, 0, 0}, .from = 0.0501, .until = 0.0502});
  Simulation simulation(builder.build(), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 0.1});
  advance(simulation, 0.2);
  EXPECT_NEAR(simulation.body("p").velocity.x, 0.01, 1e-14);
}

TEST(Force, one_in_the_bodys_frame_turns_with_it) {
  ModelBuilder builder;
  builder.gravity({}).body(
      {.name = "b", .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1), .angular_velocity = {0, 0, kPi}});
  builder.force({.body = "b", .force = {1, 0, 0}, .body_frame = true});
  Simulation simulation(builder.build(), adaptive());
  advance(simulation, 0.5);  // a quarter turn: ∫ (cos, sin)(πt) dt = (1, 1)/π
  EXPECT_LE(norm(simulation.body("b").velocity - Vec3{1 / kPi, 1 / kPi, 0}), 1e-10);
}

TEST(Force, off_the_centre_it_turns_the_body) {
  ModelBuilder builder;
  builder.gravity({}).body({.name = "b", .mass = 1.0, .inertia = Sym3::diagonal(2, 2, 2)});
  builder.force({.body = "b", .force = {0, 1, 0}, .torque = {0, 0, 0.5}, .point = {0.3, 0, 0}});
  Simulation simulation(builder.build());
  EXPECT_LE(norm(simulation.evaluate().vdot[0].angular - Vec3{0, 0, (0.3 + 0.5) / 2}), 1e-14);
}

TEST(Spring, a_mass_on_one_swings_with_the_period_of_its_stiffness) {
  ModelBuilder builder;
  builder.gravity({}).body({.name = "p", .kind = BodyKind::particle, .mass = 2.0, .position = {1.1, 0, 0}});
  builder.spring({.between = {"ground", "p"}, .anchors = {Vec3{}, Vec3{1.1, 0, 0}}, .stiffness = 50, .length = 1});
  Simulation simulation(builder.build(), adaptive());
  const double period = 2 * kPi / 5;  // ω² = k/m = 25
  advance(simulation, period / 4);
  EXPECT_NEAR(simulation.body("p").position.x, 1, 1e-10);
  advance(simulation, period);
  EXPECT_NEAR(simulation.body("p").position.x, 1.1, 1e-10);
}

TEST(Actuator, a_position_servo_settles_at_its_target_against_no_load) {
  ModelBuilder builder = pendulum(0);
  builder.gravity({}).actuator(
      {.joint = "pivot", .kind = Actuator::Kind::position, .kp = 20, .kv = 5, .signal = Constant{0.8}});
  Simulation simulation(builder.build(), adaptive(1e-10));
  advance(simulation, 10);
  EXPECT_NEAR(simulation.joint("pivot").position(), 0.8, 1e-8);
}

// The radius is that of t = 0 and grows with the body: the ball stays on the plane and does not slip.
TEST(Rolling, a_ball_that_grows_rolls_on_its_growing_radius) {
  ModelBuilder builder;
  builder.body({.name = "ball",
                .kind = BodyKind::scalable,
                .mass = 1.0,
                .inertia = Sym3::diagonal(0.01, 0.01, 0.01),
                .position = {0, 0, 0.1},
                .velocity = {0.3, 0, 0.01},
                .angular_velocity = {0, 3, 0},
                .scale = 1.25,
                .scale_velocity = 0.125});
  builder.joint({.name = "floor", .kind = JointKind::rolling, .between = {"ground", "ball"}, .radius = 0.1});
  Simulation simulation(builder.build(), adaptive());
  EXPECT_TRUE(simulation.warnings().empty());
  advance(simulation, 0.5);
  const BodyState& s = simulation.body("ball");
  EXPECT_GT(std::abs(s.scale - 1.25), 0.01);
  EXPECT_NEAR(s.position.z, 0.1 * s.scale / 1.25, 1e-12);
  EXPECT_NEAR(s.velocity.x, s.angular_velocity.y * s.position.z, 1e-12);
}

// A ball of inertia 2/5 m r² on a plank with acceleration a rolls with 2/7 a.
TEST(Rolling, a_ball_on_a_plank_that_is_pulled_away_follows_with_two_sevenths) {
  constexpr double kMass = 0.7, kRadius = 0.1, kPull = 1.4;
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    SCOPED_TRACE(static_cast<int>(method));
    JointExtras pulled;
    pulled.motor = Motor{Table{{0, 10}, {0, 10 * kPull}}, std::nullopt};
    const double inertia = 0.4 * kMass * kRadius * kRadius;
    ModelBuilder builder;
    builder.body({.name = "plank", .mass = 3.0, .inertia = Sym3::diagonal(0.1, 0.1, 0.1), .position = {0, 0, -0.05}})
        .body({.name = "ball",
               .mass = kMass,
               .inertia = Sym3::diagonal(inertia, inertia, inertia),
               .position = {0, 0, kRadius}})
        .joint({.name = "rail",
                .kind = JointKind::slider,
                .between = {"ground", "plank"},
                .axis = Vec3{1, 0, 0},
                .extras = pulled})
        .joint({.name = "deck", .kind = JointKind::rolling, .between = {"plank", "ball"}, .radius = kRadius});
    Simulation simulation(builder.build(), {.method = method, .step = 1e-3});
    advance(simulation, 0.5);
    EXPECT_NEAR(simulation.body("plank").velocity.x, 0.5 * kPull, 1e-9);
    EXPECT_NEAR(simulation.body("ball").velocity.x, 2.0 / 7 * 0.5 * kPull, 1e-6);
    EXPECT_NEAR(simulation.body("ball").angular_velocity.y, -5.0 / 7 * 0.5 * kPull / kRadius, 1e-5);
    EXPECT_NEAR(simulation.body("ball").position.z, kRadius, 1e-9);
  }
}

TEST(Sample, a_row_has_a_number_for_every_column) {
  const Scene scene = load(example("stewart"));
  Simulation simulation(scene);
  const std::vector<std::string> names = column_names(scene.model);
  std::vector<double> row(names.size() + 1, 777);
  sample(simulation, std::span(row).first(names.size()));
  EXPECT_EQ(row.back(), 777);
  const auto column = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return row[static_cast<std::size_t>(at - names.begin())];
  };
  EXPECT_EQ(column("time"), 0);
  EXPECT_EQ(column("platform.z"), simulation.body("platform").position.z);
  EXPECT_EQ(column("platform.qw"), simulation.body("platform").orientation.w);
  const std::string joint = scene.model.joints[1].name;
  EXPECT_EQ(column("joint." + joint + ".fz"), simulation.joint(joint).reaction().linear.z);
  EXPECT_EQ(column("energy.potential"), simulation.energy().potential);
  EXPECT_LE(column("residual"), 1e-12);
}

}  // namespace joints_test
}  // namespace catena
