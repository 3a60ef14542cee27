#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace failure_test {

using namespace testing_step;
using testing::AnyOf;
using testing::HasSubstr;

// A mass on a spring that explicit steps of 10 ms are far too long for.
BuiltModel stiff(double stiffness) {
  ModelBuilder builder;
  builder.body({.name = "anchor", .mass = 1.0, .inertia = Sym3::diagonal(1, 1, 1)});
  builder.body({.name = "bullet", .kind = BodyKind::particle, .mass = 0.001, .position = {1, 0.2, 0}});
  builder.spring(
      {.between = {"ground", "bullet"}, .anchors = {Vec3{}, Vec3{1, 0.2, 0}}, .stiffness = stiffness, .length = 0.5});
  return builder.build();
}

// A force after which no number is finite, whatever the method: its energy is not.
void push_beyond_all_measure(Simulation& simulation) {
  simulation.set_force(simulation.body_id("bullet"), {1e160, 0, 0});
}

bool is_finite(const State& state) {
  for (const BodyState& s : state.bodies)
    for (const double x :
         {s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z,
          s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z})
      if (!std::isfinite(x)) return false;
  return true;
}

TEST(Divergence, a_simulation_whose_numbers_overflow_stops_and_names_body_quantity_and_time) {
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
    Simulation simulation(stiff(1), {.method = method, .step = 1e-2});
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(simulation.step().ok());
    const State last = simulation.state();
    push_beyond_all_measure(simulation);
    const StepReport report = simulation.step();
    ASSERT_EQ(report.status, Status::diverged);
    EXPECT_THAT(report.message, HasSubstr("'bullet'"));
    EXPECT_THAT(report.message, AnyOf(HasSubstr("position"), HasSubstr("velocity")));
    EXPECT_THAT(report.message, HasSubstr("t = "));
    EXPECT_TRUE(is_finite(simulation.state()));
    EXPECT_EQ(simulation.state().time, last.time);
    EXPECT_EQ(simulation.body("bullet").position, last.bodies[1].position);
  }
}

TEST(Divergence, the_failed_step_can_be_asked_for_again_with_the_same_answer) {
  Simulation simulation(stiff(1), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-2});
  push_beyond_all_measure(simulation);
  const StepReport report = simulation.step();
  ASSERT_FALSE(report.ok());
  const StepReport again = simulation.step();
  EXPECT_EQ(again.status, report.status);
  EXPECT_EQ(again.message, report.message);
}

TEST(Divergence, advance_to_stops_at_the_first_failure) {
  Simulation simulation(stiff(1), {.method = MethodWords{.integrator = Integrator::euler}, .step = 1e-2});
  ASSERT_TRUE(simulation.advance_to(0.5).ok());
  push_beyond_all_measure(simulation);
  const StepReport report = simulation.advance_to(100);
  EXPECT_EQ(report.status, Status::diverged);
  EXPECT_EQ(simulation.time(), 0.5);
  EXPECT_EQ(report.time, simulation.time());
}

// k h²/m = 1e12: what explicit steps multiply an error by.
TEST(Divergence, a_spring_far_too_stiff_for_explicit_steps_neither_stops_a_run_nor_gains_energy) {
  ModelBuilder builder = pendulum(0.5);
  builder.spring(
      {.between = {"ground", "rod"}, .anchors = {Vec3{2, 0, -1}, Vec3{0, 0, -1}}, .stiffness = 1e13, .length = 0.1});
  for (const Integrator integrator : {Integrator::euler, Integrator::rk4}) {
    Simulation simulation(builder.build(),
                          {.method = MethodWords{.method = Method::lagrange, .integrator = integrator}, .step = 1e-2});
    const double before = simulation.energy().total();
    const StepReport report = simulation.advance_to(1);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.replaced, 100);
    EXPECT_LE(simulation.energy().total(), before * (1 + 1e-6));
    EXPECT_LE(simulation.drift().position, 1e-9);
  }
}

// An adaptive step resolves what a fixed one cannot.
TEST(Divergence, the_adaptive_integrator_gets_through_a_stiff_spring) {
  Simulation simulation(stiff(1e6), adaptive(1e-8));
  const StepReport report = simulation.advance_to(0.01);
  EXPECT_TRUE(report.ok()) << report.message;
  const double before = Simulation(stiff(1e6)).energy().total();
  EXPECT_NEAR(simulation.energy().total(), before, 1e-4 * before);  // fifty periods, each held to about 1e-7
}

TEST(Divergence, two_points_that_meet_under_a_distance_joint_of_no_length_are_not_followed_into_infinity) {
  // The row of a distance joint has no direction once its anchors meet: the state never becomes a NaN.
  ModelBuilder builder;
  builder.gravity({}).body(
      {.name = "a", .kind = BodyKind::particle, .mass = 1.0, .position = {1e-9, 0, 0}, .velocity = {0, 1, 0}});
  builder.joint({.name = "short",
                 .kind = JointKind::distance,
                 .between = {"ground", "a"},
                 .anchors = std::array{Vec3{}, Vec3{1e-9, 0, 0}}});
  Simulation simulation(builder.build(), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-2});
  for (int i = 0; i < 10; ++i)
    if (!simulation.step().ok()) break;
  EXPECT_TRUE(is_finite(simulation.state()));
}

TEST(Options, what_there_is_not_is_refused_at_the_door) {
  const BuiltModel built = pendulum(1).build();
  EXPECT_THROW(Simulation(built, {.method = MethodWords{.method = Method::operational, .integrator = Integrator::rk4}}),
               InputError);
  EXPECT_THROW(
      Simulation(built, {.method = MethodWords{.method = Method::lagrange, .formulation = Formulation::minimal}}),
      InputError);
  EXPECT_THROW(Simulation(built, {.method = Method::operational, .facets = 3}), InputError);
  EXPECT_THROW(Simulation(built, {.step = 0.0}), InputError);
  EXPECT_THROW(Simulation(built, {.step = -1.0}), InputError);
  EXPECT_THROW(Simulation(built, {.step = std::nan("")}), InputError);
  EXPECT_THROW(Simulation(built, {.method = MethodWords{.tolerance = 0.0}}), InputError);
  EXPECT_NO_THROW(Simulation(built, {.method = Method::lagrange}));
}

TEST(Options, an_unknown_joint_is_refused_with_the_nearest_known_one) {
  Simulation simulation(pendulum(1).build());
  try {
    simulation.joint("pivto");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("pivot"));
  }
}

}  // namespace failure_test
}  // namespace catena
