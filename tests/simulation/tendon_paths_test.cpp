// Tendons that run from site to site: springs along straight pieces, pulleys, and limits as ropes; against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"
#include "catena/import/import.h"

namespace catena {
namespace tendon_paths_test {

Scene robot(const std::string& inside, const ImportOptions& options = {}) {
  return import_robot_text("<mujoco><option timestep='1e-3'/>" + inside + "</mujoco>", "robot.xml", ".", options);
}

// A block of 2 kg on a vertical slide, hung from the ceiling by a tendon; sites at z = 1 and, in the block, at z = 0.
std::string hung(const std::string& tendon, const std::string& more = "") {
  return "<worldbody><site name='top' pos='0 0 1'/><body name='block'><joint name='j' type='slide' axis='0 0 1'/>"
         "<geom type='box' size='.1 .1 .1' mass='2'/><site name='eye'/>" +
         more + "</body></worldbody><tendon>" + tendon + "</tendon>";
}

class TendonPaths : public ::testing::TestWithParam<Method> {};

// m ẍ = −k x about the rest: x = (m g/k)(cos ωt − 1) from the unstretched state; second order at 1 ms, (ωh)² ~ 1e-4.
TEST_P(TendonPaths, a_straight_tendon_is_a_spring) {
  const double k = 200, m = 2, g = 9.81, w = std::sqrt(k / m);
  Simulation sim(robot(hung("<spatial stiffness='200'><site site='top'/><site site='eye'/></spatial>")),
                 {.method = GetParam(), .step = 1e-3});
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("block").position.z, m * g / k * (std::cos(w) - 1), 1e-4);
  EXPECT_NEAR(sim.energy().total(), 0, 1e-4) << "weight at 0 and a spring without stretch";
}

// A strand behind a pulley of divisor 2 counts half: the spring sees half the travel and pulls with half its force, k/4 in all.
TEST_P(TendonPaths, a_pulley_divides) {
  const double k = 200, m = 2, g = 9.81, w = std::sqrt(k / 4 / m);
  Simulation sim(
      robot(hung("<spatial stiffness='200'><pulley divisor='2'/><site site='top'/><site site='eye'/></spatial>")),
      {.method = GetParam(), .step = 1e-3});
  ASSERT_TRUE(sim.advance_to(1).ok());
  EXPECT_NEAR(sim.body("block").position.z, m * g / (k / 4) * (std::cos(w) - 1), 2e-4);
}

// Two pieces, one on either side of a site that moves: the block hangs in the middle of a string between two walls. With a constant pull p
// (a motor) it is pushed by 2 p sin α; held by a damper it comes to rest where 2 p sin α = m g.
TEST_P(TendonPaths, a_motor_pulls_along_every_piece) {
  Simulation sim(
      robot("<worldbody><site name='left' pos='-1 0 0'/><site name='right' pos='1 0 0'/>"
            "<body name='block' pos='0 0 -0.5'><joint type='slide' axis='0 0 1' damping='20'/>"
            "<geom size='.05' mass='2'/><site name='eye'/></body></worldbody>"
            "<tendon><spatial name='t'><site site='left'/><site site='eye'/><site site='right'/></spatial>"
            "</tendon><actuator><motor tendon='t'/></actuator><sensor><tendonpos name='l' tendon='t'/></sensor>"),
      {.method = GetParam(), .step = 1e-3});
  const double p = 20, sine = 2 * 9.81 / (2 * p), depth = sine / std::sqrt(1 - sine * sine);
  sim.ctrl()[0] = -p;
  ASSERT_TRUE(sim.advance_to(20).ok());
  EXPECT_NEAR(sim.body("block").position.z, -depth, 1e-6);
  EXPECT_NEAR(sim.sensor("l")[0], 2 * std::sqrt(1 + depth * depth), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, TendonPaths,
                         ::testing::Values(Method::operational, Method::spook, Method::lagrange, Method::impulse),
                         [](const auto& each) {
                           return each.param == Method::operational ? "operational"
                                : each.param == Method::spook       ? "spook"
                                : each.param == Method::lagrange    ? "lagrange"
                                                                    : "impulse";
                         });

// A stiff spring at a long step: (ωh)² = 100; implicit, it settles where k x = m g.
TEST(StiffTendonPath, is_stable_at_any_step) {
  Simulation sim(robot(hung("<spatial stiffness='2e6' damping='100'><site site='top'/><site site='eye'/></spatial>")),
                 {.step = 1e-2});
  ASSERT_TRUE(sim.advance_to(5).ok());
  EXPECT_NEAR(sim.body("block").position.z, -2 * 9.81 / 2e6, 1e-8);
}

// One piece that changes: a rope, which lets the block fall by 0.2 m and holds it there exactly; with --softness it is an elastic stop.
TEST(RopeTendon, holds_at_its_range) {
  const std::string text = hung("<spatial range='0 1.2'><site site='top'/><site site='eye'/></spatial>");
  Simulation sim(robot(text), {.step = 1e-3});
  ASSERT_TRUE(sim.advance_to(2).ok());
  EXPECT_NEAR(sim.body("block").position.z, -0.2, 1e-6);
  Simulation soft(robot(text, {.mujoco_softness = true}), {.step = 1e-3});
  ASSERT_TRUE(soft.advance_to(2).ok());
  EXPECT_LT(soft.body("block").position.z, -0.2 - 1e-6);
}

}  // namespace tendon_paths_test
}  // namespace catena
