#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "step/step_testing.h"

namespace catena {
namespace assembly_test {

using namespace testing_step;
using testing::HasSubstr;
using testing::IsEmpty;

// Two rods whose elbow is written with its anchors 5 cm apart.
ModelBuilder open_elbow(double gap) {
  ModelBuilder builder;
  builder.body(rod("upper", {}, 0)).body(rod("lower", {gap, 0, -1}, 0.2));
  builder.joint(hinge("shoulder", "ground", "upper", {}));
  JointSpec elbow = hinge("elbow", "upper", "lower", {});
  elbow.anchor.reset();
  elbow.anchors = {Vec3{0, 0, -1}, Vec3{gap, 0, -1}};
  return builder.joint(elbow);
}

TEST(Assembly, anchors_that_are_apart_are_brought_together_with_a_warning) {
  Simulation simulation(open_elbow(0.05).build());
  EXPECT_LE(simulation.drift().position, 1e-12);
  EXPECT_LE(simulation.drift().angle, 1e-12);
  ASSERT_EQ(simulation.warnings().size(), 1u);
  EXPECT_THAT(simulation.warnings()[0], HasSubstr("'elbow'"));
  EXPECT_THAT(simulation.warnings()[0], HasSubstr("0.05 m"));
}

TEST(Assembly, a_closed_mechanism_is_left_alone_without_a_word) {
  const BuiltModel built = double_pendulum().build();
  Simulation simulation(built);
  EXPECT_THAT(simulation.warnings(), IsEmpty());
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_LE(norm(simulation.body(BodyId(i)).position - built.initial.bodies[i].position), 1e-14);
}

TEST(Assembly, a_loop_written_a_little_open_is_closed) {
  // Four-bar whose rocker is written 1 cm from its pivot.
  ModelBuilder builder;
  builder.body(rod("left", {}, std::numbers::pi)).body(rod("right", {1.01, 0, 0}, std::numbers::pi));
  BodySpec top = rod("top", {0, 0, 1}, -std::numbers::pi / 2);
  builder.body(top);
  builder.joint(hinge("a", "ground", "left", {})).joint(hinge("b", "left", "top", {0, 0, 1}));
  builder.joint({.name = "c",
                 .kind = JointKind::hinge,
                 .between = {"top", "right"},
                 .anchors = std::array{Vec3{1, 0, 1}, Vec3{1.01, 0, 1}},
                 .axis = Vec3{0, 1, 0}});
  builder.joint(hinge("d", "ground", "right", {1.01, 0, 0}));
  Simulation simulation(builder.build());
  EXPECT_LE(simulation.drift().position, 1e-12);
  // Every rod kept its length and the ground its anchors.
  const auto end = [&](const char* body, double z) {
    return simulation.body(body).position + rotate(simulation.body(body).orientation, Vec3{0, 0, z});
  };
  EXPECT_LE(norm(end("left", 0.5)), 1e-12);
  EXPECT_LE(norm(end("right", 0.5) - Vec3{1.01, 0, 0}), 1e-12);
  EXPECT_LE(norm(end("top", -0.5) - end("right", -0.5)), 1e-12);
}

TEST(Assembly, a_loop_that_cannot_close_is_an_error_that_names_the_joint_and_the_gap) {
  // Rods of 1 m and 1 m between points 3 m apart.
  ModelBuilder builder;
  builder.body(rod("one", {}, -std::numbers::pi / 2)).body(rod("two", {1, 0, 0}, -std::numbers::pi / 2));
  builder.joint(hinge("left", "ground", "one", {})).joint(hinge("middle", "one", "two", {1, 0, 0}));
  JointSpec right = hinge("right", "two", "ground", {});
  right.anchor.reset();
  right.anchors = {Vec3{2, 0, 0}, Vec3{3, 0, 0}};
  const BuiltModel built = builder.joint(right).build();
  try {
    const Simulation simulation(built);
    FAIL() << "it was assembled";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be closed"));
    EXPECT_THAT(error.what(), testing::ContainsRegex("'(left|middle|right)'"));
    EXPECT_THAT(error.what(), HasSubstr(" m "));
  }
}

TEST(Assembly, initial_velocities_that_the_joints_forbid_are_changed_with_a_warning) {
  ModelBuilder builder;
  BodySpec body = rod("rod", {}, 0);
  body.velocity = {1, 2, 3};  // only x is possible, and only while turning
  Simulation simulation(builder.body(body).joint(hinge("pivot", "ground", "rod", {})).build());
  ASSERT_EQ(simulation.warnings().size(), 1u);
  EXPECT_THAT(simulation.warnings()[0], HasSubstr("'rod'"));
  const BodyState& s = simulation.body("rod");
  EXPECT_LE(norm(s.velocity + cross(s.angular_velocity, Vec3{0, 0, 0.5})), 1e-13);
  // The least change in the metric of the mass matrix keeps what the free direction carried: m l² / (m l² + I) of x.
  EXPECT_NEAR(s.velocity.x, 0.25 / (0.25 + 1.0 / 12), 1e-13);
}

TEST(Assembly, a_motors_speed_is_there_from_the_start) {
  JointExtras extras;
  extras.motor = Motor{Constant{3}, {}};
  Simulation simulation(pendulum(0.4, 0, extras).build());
  EXPECT_NEAR(simulation.joint("pivot").velocity(), 3, 1e-13);
}

TEST(Assembly, coordinates_are_zero_at_the_start_or_what_start_says) {
  Simulation zero(pendulum(0.7).build());
  EXPECT_NEAR(zero.joint("pivot").position(), 0, 1e-15);
  JointExtras extras;
  extras.start = {0.7, 0, 0};
  Simulation said(pendulum(0.7, 0, extras).build());
  EXPECT_NEAR(said.joint("pivot").position(), 0.7, 1e-15);
}

TEST(Stabilisation, without_any_a_loop_drifts_and_with_projection_it_does_not) {
  const Scene scene = load(example("four_bar"));
  double drift[3];
  for (const Stabilisation kind : {Stabilisation::none, Stabilisation::baumgarte, Stabilisation::projection}) {
    // A step this long makes errors that can be seen.
    Simulation simulation(scene,
                          {.method = MethodWords{.integrator = Integrator::rk4, .stabilise = kind}, .step = 2e-2});
    ASSERT_TRUE(simulation.advance_to(10).ok());
    drift[static_cast<int>(kind)] = simulation.drift().position;
  }
  const double none = drift[static_cast<int>(Stabilisation::none)],
               baumgarte = drift[static_cast<int>(Stabilisation::baumgarte)];
  const double projection = drift[static_cast<int>(Stabilisation::projection)];
  EXPECT_GT(none, 1e-6);
  EXPECT_LT(baumgarte, 0.1 * none);
  EXPECT_GT(baumgarte, 1e-12);
  EXPECT_LE(projection, 1e-13 * 1.1);
}

// phi'' + 2 β phi' + β² phi = 0 is what the terms ask for: a gap closes as (1 + β t) exp(−β t).
TEST(Stabilisation, baumgartes_terms_close_a_gap_as_their_equation_says) {
  Simulation simulation(
      double_pendulum().build(),
      {.method = MethodWords{.integrator = Integrator::rk4, .stabilise = Stabilisation::baumgarte}, .step = 1e-4});
  State open = simulation.state();
  for (BodyState& s : open.bodies) s.position.y += 1e-3;  // both rods off their plane: only the shoulder opens
  simulation.set_state(open);
  const double beta = simulation.settings().method.baumgarte();
  for (const double t : {0.05, 0.1, 0.2}) {
    advance(simulation, t);
    EXPECT_NEAR(simulation.body("upper").position.y, 1e-3 * (1 + beta * t) * std::exp(-beta * t), 1e-9);
  }
}

TEST(Stabilisation, all_three_agree_where_the_step_is_small) {
  const BuiltModel built = double_pendulum().build();
  Simulation exact(built, adaptive());
  advance(exact, 1);
  for (const Stabilisation kind : {Stabilisation::none, Stabilisation::baumgarte, Stabilisation::projection}) {
    Simulation simulation(built,
                          {.method = MethodWords{.integrator = Integrator::rk4, .stabilise = kind}, .step = 1e-3});
    advance(simulation, 1);
    EXPECT_LE(norm(simulation.body("lower").position - exact.body("lower").position), 1e-8);
  }
}

}  // namespace assembly_test
}  // namespace catena
