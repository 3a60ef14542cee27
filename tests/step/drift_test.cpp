#include <gtest/gtest.h>

#include <algorithm>

#include "step/step_testing.h"

namespace catena {
namespace drift_test {

using namespace testing_step;

// 20 000 steps of 1 ms; the benchmark does 100 000. Projection leaves at most 1e-13 of the size after each step, whatever came before.
void expect_no_drift(const char* name) {
  Simulation simulation(load(example(name)), {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
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
TEST(Drift, jansens_legs_stay_closed_over_20000_steps) { expect_no_drift("jansen_legs"); }
TEST(Drift, a_stewart_platform_stays_closed_over_20000_steps) { expect_no_drift("stewart"); }

// Bennett's linkage: four hinges with skew axes, three rows too many, and movable only because of its proportions.
TEST(Drift, a_linkage_that_is_overconstrained_in_space_stays_closed_and_keeps_its_energy) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::adaptive}) {
    Simulation simulation(load(example("bennett")),
                          {.method = MethodWords{.integrator = integrator, .tolerance = 1e-10}, .step = 1e-3});
    const double before = simulation.energy().total();
    double moved = 0, drift = 0;
    const Vec3 start = simulation.body(BodyId(0)).position;
    for (int i = 0; i < 3000; ++i) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.ok()) << report.message;
      drift = std::max({drift, report.drift_position / simulation.size(), report.drift_angle});
      moved = std::max(moved, norm(simulation.body(BodyId(0)).position - start));
    }
    EXPECT_LE(drift, 1e-9);
    EXPECT_GT(moved, 0.01 * simulation.size());
    const Energy after = simulation.energy();
    const Ledger& l = after.ledger;
    const double work = l.motors + l.actuators + l.external + l.damping;
    EXPECT_NEAR(after.total() - before, work, 1e-6 * std::max(1.0, std::abs(before)));
  }
}

// The drift a step reports is that of the state it leaves, seen by the joints themselves.
TEST(Drift, the_reported_drift_is_the_gap_between_the_anchors) {
  Simulation simulation(
      load(example("four_bar")),
      {.method = MethodWords{.integrator = Integrator::rk4, .stabilise = Stabilisation::none}, .step = 1e-3});
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

}  // namespace drift_test
}  // namespace catena
