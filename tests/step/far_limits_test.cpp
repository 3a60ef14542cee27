// Joints far from their limits have no rows (tuning: far_limit). None may run through a limit for that, however fast it comes or long the step is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "catena/scene/scene.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace far_limits_test {

struct Way {
  Method method;
  Coordinates coordinates;
};

class FarLimits : public testing::TestWithParam<Way> {
 protected:
  Options options(double h) const {
    Options out;
    out.step = h;
    out.method = MethodWords{.method = GetParam().method, .coordinates = GetParam().coordinates};
    return out;
  }
  // The farthest that the coordinate of joint `swing` gets beyond 1 in either direction.
  double beyond(Simulation& sim, double duration) const {
    double most = -1;
    while (sim.time() < duration) {
      const StepReport report = sim.step();
      EXPECT_TRUE(report.ok()) << report.message;
      if (!report.ok()) break;
      most = std::max(most, std::abs(sim.joint("swing").q()[0]) - 1);
    }
    return most;
  }
};

// Without gravity, between limits of ±1 rad, from rates at which a step takes it from 5e-4 rad to many turns. Overlaps up to 1e-6 are left alone.
TEST_P(FarLimits, a_rod_stays_between_them_at_any_rate_and_step) {
  for (const double rate : {0.5, 5.0, 50.0, 500.0})
    for (const double h : {1e-3, 1e-2, 1.0 / 30}) {
      SCOPED_TRACE(fmt::format("rate {} step {}", rate, h));
      Simulation sim(load_text(fmt::format(R"(
catena: 1
gravity: [0, 0, 0]
bodies:
  rod: {{mass: 1, inertia: 0.1, position: [1, 0, 0], velocity: [0, {0}, 0], angular_velocity: [0, 0, {0}]}}
joints:
  swing: {{kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 0, 1], limits: {{lower: -1, upper: 1, restitution: 1}}}}
)",
                                           rate)),
                     options(h));
      EXPECT_LE(beyond(sim, 30 * h), 2e-6);
    }
}

// A rod at rest, whose limits are out of sight, is struck by a ball of a hundred times its mass.
TEST_P(FarLimits, a_rod_that_is_struck_stays_between_them) {
  for (const double speed : {5.0, 50.0}) {
    SCOPED_TRACE(speed);
    Simulation sim(load_text(fmt::format(R"(
catena: 1
gravity: [0, 0, 0]
bodies:
  rod: {{mass: 1, inertia: 0.1, position: [1, 0, 0], shapes: [{{box: [0.4, 0.1, 0.4]}}]}}
  ball: {{mass: 100, inertia: 0.1, position: [1, -0.3, 0], velocity: [0, {}, 0], shapes: [{{sphere: 0.1}}]}}
joints:
  swing: {{kind: hinge, between: [ground, rod], anchor: [0, 0, 0], axis: [0, 0, 1], limits: {{lower: -1, upper: 1}}}}
)",
                                         speed)),
                   options(1e-2));
    EXPECT_LE(beyond(sim, 0.6), 2e-6);
    EXPECT_GT(sim.joint("swing").q()[0], 0.1) << "the ball is to have met the rod";
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FarLimits,
                         testing::Values(Way{Method::operational, Coordinates::reduced},
                                         Way{Method::spook, Coordinates::maximal},
                                         Way{Method::spook, Coordinates::reduced}));

}  // namespace far_limits_test
}  // namespace catena
