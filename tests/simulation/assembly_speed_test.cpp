// Assembly while the simulation runs, at a given speed (Baraff §4.2), beside assembly before it begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace assembly_speed_test {

using namespace testing_step;

const Options kWays[] = {{.method = Method::lagrange, .step = 1e-3},
                         {.method = Impulse{.position_tolerance = 1e-12, .velocity_tolerance = 1e-12}, .step = 1e-3},
                         {.method = Method::spook, .step = 1e-3},
                         {.method = Operational{.coordinates = Coordinates::reduced}, .step = 1e-3}};

// A rod whose top is 0.3 m beside its pivot and whose axis is 0.4 rad off.
ModelBuilder open_pendulum() {
  ModelBuilder builder;
  JointSpec pivot = hinge("pivot", "ground", "rod", {});
  pivot.anchor.reset();
  pivot.axis.reset();
  pivot.anchors = {Vec3{}, Vec3{0.3, 0, 0}};
  pivot.axes = {Vec3{0, 1, 0}, Vec3{0, std::cos(0.4), std::sin(0.4)}};
  builder.body(rod("rod", {0.3, 0, 0}, 0)).joint(pivot);
  return builder;
}

Vec3 top(const Simulation& sim) {
  const BodyState& s = sim.body("rod");
  return s.position + rotate(s.orientation, Vec3{0, 0, 0.5});
}

// The gap follows 1 − 3s² + 2s³ over 1.5 · 0.4 rad / (0.8 rad/s), the larger of gap and angle: half of it at half time, steepest there.
TEST(AssemblySpeed, a_gap_closes_along_its_cubic_and_no_faster_than_asked) {
  constexpr double kSpeed = 0.8, kTime = 1.5 * 0.4 / kSpeed;
  for (Options options : kWays) {
    SCOPED_TRACE(static_cast<int>(Method(*options.method)));
    options.assembly_speed = kSpeed;
    Simulation sim(open_pendulum().build(), options);
    EXPECT_NEAR(norm(top(sim) - Vec3{0.3, 0, 0}), 0, 1e-12) << "nothing has moved yet";
    double fastest = 0;
    Vec3 before = top(sim);
    const double start = sim.energy().total();
    while (sim.time() < kTime - 1e-9) {
      ASSERT_TRUE(sim.step().ok());
      const double s = sim.time() / kTime;
      ASSERT_NEAR(norm(top(sim) - Vec3{0.3 * (1 - 3 * s * s + 2 * s * s * s), 0, 0}), 0, 1e-8) << sim.time();
      fastest = std::max(fastest, norm(top(sim) - before) / *options.step);
      before = top(sim);
    }
    EXPECT_LE(fastest, kSpeed * 0.3 / 0.4 * (1 + 1e-6));
    EXPECT_GE(fastest, kSpeed * 0.3 / 0.4 * (1 - 1e-3));
    advance(sim, 2);
    EXPECT_NEAR(norm(top(sim)), 0, 1e-8);
    const Vec3 axis = rotate(sim.body("rod").orientation, Vec3{0, std::cos(0.4), std::sin(0.4)});
    EXPECT_NEAR(norm(axis - Vec3{0, 1, 0}), 0, 1e-8);
    // What pulled it there is work of motors; closing costs nothing else.
    const Energy energy = sim.energy();
    EXPECT_GT(std::abs(energy.ledger.motors), 0.1);
    EXPECT_NEAR(energy.total() - start - energy.ledger.motors - energy.ledger.projection - energy.ledger.numerical, 0,
                2e-2);
  }
}

TEST(AssemblySpeed, a_loop_that_is_open_closes_while_it_moves) {
  for (Options options : kWays) {
    SCOPED_TRACE(static_cast<int>(Method(*options.method)));
    options.assembly_speed = 0.5;
    ModelBuilder builder = double_pendulum();
    const double x = std::sin(0.9) * -1 + std::sin(-0.4) * -1, z = -std::cos(0.9) - std::cos(0.4);
    JointSpec closing{.name = "closing", .kind = JointKind::ball, .between = {"ground", "lower"}};
    closing.anchors = {Vec3{x + 0.1, 0, z + 0.05}, Vec3{x, 0, z}};
    builder.joint(closing);
    Simulation sim(builder.build(), options);
    advance(sim, 1.5 * std::hypot(0.1, 0.05) / 0.5 + 0.1);
    const BodyState& s = sim.body("lower");
    EXPECT_NEAR(norm(s.position + rotate(s.orientation, Vec3{0, 0, -0.5}) - Vec3{x + 0.1, 0, z + 0.05}), 0, 1e-8);
    EXPECT_LT(sim.drift().scaled, 1e-8);
  }
}

TEST(AssemblySpeed, what_is_closed_is_left_alone) {
  Simulation at_once(double_pendulum().build(), {.method = Method::lagrange, .step = 1e-3});
  Simulation slowly(double_pendulum().build(), {.method = Method::lagrange, .step = 1e-3, .assembly_speed = 0.1});
  advance(at_once, 0.3);
  advance(slowly, 0.3);
  EXPECT_EQ(slowly.body("lower").position, at_once.body("lower").position);
}

}  // namespace assembly_speed_test
}  // namespace catena
