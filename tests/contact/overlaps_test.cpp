#include "catena/contact/overlaps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/catena.h"

namespace catena {
namespace overlaps_test {

// A cart on a rail whose limit asks for at least 0.10 m, in front of a wall that leaves it 0.05 m.
constexpr const char* kScene = R"(
catena: 1
gravity: [0, 0, 0]
collide: {adjacent: yes}
ground:
  shapes: [{plane: {normal: [-1, 0, 0], offset: -0.15}}]
bodies:
  cart: {mass: 2, position: [0, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}
joints:
  rail: {kind: slider, between: [ground, cart], anchor: [0, 0, 0], axis: [1, 0, 0], limits: {lower: 0.1}}
)";

// Neither has its way: each is overlapped by less than the 0.05 m it would be if the other had, and nothing moves any more.
TEST(Overlaps, limits_and_contacts_that_contradict_each_other_share_what_cannot_be_met) {
  for (const Method method : {Method::spook, Method::operational, Method::impulse}) {
    Simulation sim(load_text(kScene, "cart.yaml"), {.method = method, .step = 1e-3});
    const StepReport report = sim.advance_to(1);
    ASSERT_TRUE(report.ok()) << report.message;
    const double x = sim.joint("rail").position();
    EXPECT_GT(x, 0.055);
    EXPECT_LT(x, 0.095);
    ASSERT_TRUE(sim.advance_to(1.5).ok());
    EXPECT_NEAR(sim.joint("rail").position(), x, 1e-9);
  }
}

}  // namespace overlaps_test
}  // namespace catena
