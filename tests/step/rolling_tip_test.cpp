// A top that spins on a rounded tip: its contact sticks while the arm to it turns, and slips while the slip turns. Both ask for more than the
// rows at the middle of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace rolling_tip_test {

Vec3 end_of_top(Method method, double step) {
  const Scene scene = load_text(R"(
defaults: {friction: 0.8}
ground: {shapes: [{plane: {}}]}
bodies:
  top: {mass: 0.2, inertia: [4e-4, 4e-4, 2e-4], position: [0.02, 0, 0.065], orientation: {axis: [0, 1, 0], angle: 0.3},
        angular_velocity: [30, 0, 100], shapes: [{sphere: 0.005, at: [0, 0, -0.06]}]}
)",
                                "top.yaml");
  Simulation sim(scene, {.method = method, .step = step});
  EXPECT_TRUE(sim.advance_to(0.1).ok());
  return sim.body("top").position;
}

// It falls by 2.7 mm, meets the ground, slips and then rolls. Lagrange locates these events and is of fourth order between them.
TEST(RollingTip, is_of_second_order_at_velocity_level) {
  const Vec3 truth = end_of_top(Method::lagrange, 2.5e-4);
  for (const Method method : {Method::spook, Method::operational}) {
    const double coarse = norm(end_of_top(method, 1e-3) - truth), fine = norm(end_of_top(method, 5e-4) - truth);
    EXPECT_LT(coarse, 1e-4) << static_cast<int>(method);
    const double order = std::log2(coarse / fine);
    EXPECT_GT(order, 1.7) << static_cast<int>(method);
    EXPECT_LT(order, 2.3) << static_cast<int>(method);
  }
}

}  // namespace rolling_tip_test
}  // namespace catena
