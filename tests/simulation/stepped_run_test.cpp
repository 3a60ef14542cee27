// Time is a count of steps, and looking at a run between them does not change it.
#include "catena/simulation/interpolate.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "bench/workloads.h"
#include "step/step_testing.h"

namespace catena {
namespace stepped_run_test {

using namespace testing_step;

std::vector<std::uint64_t> bits(const State& state) {
  std::vector<std::uint64_t> out;
  const auto add = [&](std::initializer_list<double> numbers) {
    for (const double x : numbers) out.push_back(std::bit_cast<std::uint64_t>(x));
  };
  add({state.time, state.next_step});
  for (const BodyState& s : state.bodies)
    add({s.position.x, s.position.y, s.position.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z,
         s.velocity.x, s.velocity.y, s.velocity.z, s.angular_velocity.x, s.angular_velocity.y, s.angular_velocity.z,
         s.scale, s.scale_velocity});
  for (const auto& q : state.joint_angles) add({q[0], q[1], q[2]});
  for (const double q : state.q) add({q});
  const Ledger& l = state.ledger;
  add({l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection});
  return out;
}

const char* const kTumbling = R"(
catena: 1
simulate: {step: 2e-3}
materials: {wood: {friction: 0.4, restitution: 0.3}}
ground: {shapes: [{plane: {normal: [0, 0, 1]}, material: wood}]}
bodies:
  a: {mass: 1, position: [0, 0, 0.4], orientation: {axis: [1, 2, 0], angle: 0.6}, velocity: [1, 0, 0],
      shapes: [{box: [0.2, 0.3, 0.1], material: wood}], inertia: [0.0083, 0.0042, 0.0108]}
  b: {mass: 1, position: [0.4, 0, 0.5], angular_velocity: [0, 3, 1], shapes: [{sphere: 0.1, material: wood}], inertia: [0.004, 0.004, 0.004]}
forces: [{body: b, force: [2, 0, 0], from: 0.0103, until: 0.0531}]
)";

std::vector<std::pair<std::string, Scene>> scenes() {
  return {{"four_bar", load(example("four_bar"))},
          {"stewart", load(example("stewart"))},
          {"random mechanism", workloads::random_mechanism(5, 12, 2)},
          {"tumbling", load_text(kTumbling)}};
}

std::vector<Options> ways() {
  return {{.method = Method::lagrange, .step = 2e-3},
          {.method = Lagrange{.integrator = Integrator::adaptive, .tolerance = 1e-9}, .step = 2e-3},
          {.method = Method::impulse, .step = 2e-3},
          {.method = Method::spook, .step = 2e-3},
          {.method = Method::operational, .step = 2e-3}};
}

// Runs to `end` looking every `every` seconds, or never.
State run(const Scene& scene, const Options& options, double end, double every, long* steps = nullptr) {
  Simulation simulation(scene, options);
  SteppedRun stepped(simulation, end);
  std::vector<double> row(column_names(simulation.model()).size());
  double next = 0;
  while (!stepped.done()) {
    const StepReport report = stepped.step();
    EXPECT_TRUE(report.ok()) << report.message;
    if (!report.ok()) break;
    for (; every > 0 && stepped.covers(next); next += every)
      stepped.look_at(next, [&] {
        EXPECT_NEAR(simulation.time(), next, simulation.slack());
        sample(simulation, row);
      });
  }
  if (steps) *steps = simulation.steps();
  return simulation.state();
}

TEST(SteppedRun, what_is_looked_at_does_not_change_the_motion_whatever_the_method) {
  for (const auto& [name, scene] : scenes())
    for (const Options& options : ways()) {
      if (options.method == Method::operational && name == "random mechanism")
        continue;  // its bodies change their size
      SCOPED_TRACE(name + ", method " + std::to_string(static_cast<int>(Method(*options.method))) +
                   (options.method->integrator() == Integrator::adaptive ? ", adaptive" : ""));
      const std::vector<std::uint64_t> alone = bits(run(scene, options, 0.1, 0));
      for (const double every : {2e-3, 1.0 / 60, 7.3e-4}) EXPECT_EQ(bits(run(scene, options, 0.1, every)), alone);
    }
}

TEST(SteppedRun, takes_duration_over_h_steps_and_ends_exactly_at_the_duration) {
  const Scene scene = load_text(kTumbling);
  for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational})
    for (const auto& [h, end] : {std::pair{1e-3, 0.1}, {5e-4, 0.05}, {1.0 / 240, 0.1}, {1e-3, 0.0304}}) {
      long steps = 0;
      const State last = run(scene, {.method = method, .step = h}, end, 0.0007, &steps);
      EXPECT_EQ(last.time, end);
      EXPECT_EQ(steps, std::lround(std::ceil(end / h - 1e-6)));
    }
}

TEST(SteppedRun, time_is_the_number_of_steps_times_h_to_the_last_bit) {
  Simulation simulation(pendulum(0.4).build(), {.step = 1e-3});
  for (int k = 1; k <= 20000; ++k) {
    ASSERT_TRUE(simulation.step().ok());
    ASSERT_EQ(simulation.time(), static_cast<double>(k) * 1e-3);
  }
}

TEST(SteppedRun, advance_to_ends_there_and_never_takes_a_step_of_rounding) {
  Simulation simulation(pendulum(0.4).build(), {.method = Method::impulse, .step = 5e-4});
  double t = 0;
  for (int k = 1; k <= 100; ++k) {
    t += 0.1 * 0.25;  // a sum, off by its rounding
    ASSERT_TRUE(simulation.advance_to(t).ok());
    EXPECT_EQ(simulation.time(), t);
  }
  EXPECT_EQ(simulation.steps(), 5000);
  const double energy = simulation.energy().total();
  EXPECT_NEAR(simulation.energy().ledger.projection, 0, 1e-4 * std::abs(energy));
  // From a time between two steps on: whole steps from there.
  ASSERT_TRUE(simulation.advance_to(t + 1.3e-3).ok());
  EXPECT_EQ(simulation.time(), t + 1.3e-3);
  EXPECT_EQ(simulation.steps(), 5003);
  EXPECT_THROW(simulation.advance_to(NAN), InputError);
  EXPECT_THROW(simulation.advance_to(INFINITY), InputError);
}

TEST(SteppedRun, a_restored_state_counts_on) {
  const BuiltModel built = pendulum(0.4).build();
  Simulation through(built, {.step = 1e-3}), fresh(built, {.step = 1e-3});
  for (int k = 0; k < 77; ++k) ASSERT_TRUE(through.step().ok());
  fresh.set_state(through.state());
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(through.step().ok());
    ASSERT_TRUE(fresh.step().ok());
  }
  EXPECT_EQ(bits(fresh.state()), bits(through.state()));
  EXPECT_EQ(fresh.time(), 177 * 1e-3);
}

// The error of a cubic with the right ends falls with the fourth power of the step.
TEST(Interpolation, is_of_fourth_order_and_closes_the_joints) {
  const BuiltModel built = double_pendulum().build();
  Simulation exact(built, adaptive());
  const double at = 0.1 + 0.003;
  advance(exact, at);
  double before = 0;
  for (const double h : {0.02, 0.01, 0.005}) {
    Simulation simulation(built, {.method = Method::lagrange, .step = h});
    SteppedRun stepped(simulation);
    while (!stepped.covers(at)) ASSERT_TRUE(stepped.step().ok());
    State between;
    stepped.state_at(at, between);
    EXPECT_EQ(between.time, at);
    EXPECT_LT(simulation.drift_of(between).scaled, 1e-12);
    double error = 0;
    for (std::size_t i = 0; i < between.bodies.size(); ++i) {
      error = std::max(error, norm(between.bodies[i].position - exact.state().bodies[i].position));
      const Quat turned = between.bodies[i].orientation * exact.state().bodies[i].orientation.conjugate();
      error = std::max(error, norm(log_rotation(turned)));
    }
    if (before > 0) {
      EXPECT_LT(error, before / 7);  // a sixteenth where the time lies alike within its step
    }
    before = error;
  }
  EXPECT_LT(before, 1e-8);
}

TEST(Interpolation, meets_positions_and_velocities_of_both_ends) {
  ModelBuilder builder;
  BodySpec spec;
  spec.name = "top";
  spec.mass = 1;
  spec.inertia = Sym3::diagonal(0.1, 0.2, 0.25);
  builder.body(spec);
  const BuiltModel built = builder.build();
  State a = built.initial, b = built.initial, out;
  a.bodies[0].velocity = {1, 2, 3};
  a.bodies[0].angular_velocity = {100, -20, 3};
  b.time = 0.05;
  b.bodies[0].position = {0.1, 0.3, -0.2};
  b.bodies[0].orientation = exp_rotation(Vec3{1, 2, -0.5});
  b.bodies[0].velocity = {3, -1, 0.5};
  b.bodies[0].angular_velocity = {90, -30, 10};
  for (const auto& [time, end] : {std::pair{0.0, &a}, {0.05, &b}}) {
    interpolate(built.model, a, b, time, out);
    const BodyState &x = out.bodies[0], &y = end->bodies[0];
    EXPECT_LT(norm(x.position - y.position), 1e-14);
    EXPECT_LT(norm(x.velocity - y.velocity), 1e-12);
    EXPECT_LT(norm(log_rotation(x.orientation * y.orientation.conjugate())), 1e-13);
    EXPECT_LT(norm(x.angular_velocity - y.angular_velocity), 1e-11);
  }
  // Between: the velocities are the derivatives of the positions.
  const double d = 1e-6;
  State before, after;
  interpolate(built.model, a, b, 0.02 - d, before);
  interpolate(built.model, a, b, 0.02 + d, after);
  interpolate(built.model, a, b, 0.02, out);
  const Vec3 v = (after.bodies[0].position - before.bodies[0].position) / (2 * d);
  const Vec3 w = log_rotation(after.bodies[0].orientation * before.bodies[0].orientation.conjugate()) / (2 * d);
  EXPECT_LT(norm(v - out.bodies[0].velocity), 1e-6);
  EXPECT_LT(norm(w - out.bodies[0].angular_velocity), 1e-5);
}

}  // namespace stepped_run_test
}  // namespace catena
