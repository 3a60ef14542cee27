#include <gtest/gtest.h>

#include <algorithm>

#include "step/step_testing.h"

namespace catena {
namespace {

using namespace testing_step;

// 20 000 steps of 1 ms; the benchmark does 100 000. Projection leaves at most 1e-13 of the size after each step, whatever came before.
void expect_no_drift(const char* name) {
  Simulation simulation(load(example(name)), {.integrator = Integrator::rk4, .step = 1e-3});
  double position = 0, angle = 0;
  for (int i = 0; i < 20000; ++i) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    position = std::max(position, report.drift_position);
    angle = std::max(angle, report.drift_angle);
  }
  EXPECT_LE(position, 1e-9 * simulation.size());
  EXPECT_LE(angle, 1e-9);
  testing::Test::RecordProperty("drift", std::to_string(1e15 * position / simulation.size()) + "e-15");
  EXPECT_NEAR(simulation.time(), 20, 1e-9);
}

TEST(Drift, a_four_bar_stays_closed_over_20000_steps) { expect_no_drift("four_bar"); }
TEST(Drift, a_strandbeest_stays_closed_over_20000_steps) { expect_no_drift("strandbeest"); }
TEST(Drift, a_stewart_platform_stays_closed_over_20000_steps) { expect_no_drift("stewart"); }

// The drift a step reports is that of the state it leaves, seen by the joints themselves.
TEST(Drift, the_reported_drift_is_the_gap_between_the_anchors) {
  Simulation simulation(load(example("four_bar")),
                        {.integrator = Integrator::rk4, .stabilise = Stabilisation::none, .step = 1e-3});
  StepReport report;
  for (int i = 0; i < 500; ++i) report = simulation.step();
  double gap = 0;
  for (const Joint& joint : simulation.model().joints) {
    const auto anchor = [&](BodyId body, const Vec3& point) {
      return body.valid() ? simulation.body(body).position + rotate(simulation.body(body).orientation, point) : point;
    };
    const Vec3 d = anchor(joint.b, joint.anchor_b) - anchor(joint.a, joint.anchor_a);
    gap = std::max({gap, std::abs(d.x), std::abs(d.y), std::abs(d.z)});
  }
  EXPECT_GT(gap, 1e-14);  // nothing closes the joints here
  EXPECT_NEAR(report.drift_position, gap, 1e-16 + 1e-9 * gap);
}

}  // namespace
}  // namespace catena
