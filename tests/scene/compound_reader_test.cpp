#include <gtest/gtest.h>

#include "catena/scene/scene.h"

namespace catena {
namespace compound_reader_test {

TEST(CompoundReader, freedoms_are_read_in_their_order_with_limits_of_their_own) {
  const Scene scene = load_text(R"(
catena: 1
bodies: {leg: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}
joints:
  hip:
    kind: compound
    between: [ground, leg]
    anchor: [0, 0, 2]
    freedoms:
      - {hinge: [1, 0, 0], limits: {lower: -30 deg, upper: 30 deg}, damping: 0.2}
      - {hinge: [0, 1, 0], anchor: [0, 0.1, 2], armature: 0.01}
      - {slide: [0, 0, 1], stiffness: 100 N/m}
)");
  const Joint& hip = scene.model.joints[0];
  ASSERT_EQ(hip.kind, JointKind::compound);
  ASSERT_EQ(hip.freedoms.size(), 3u);
  EXPECT_NEAR(hip.freedoms[0].limits->upper, 0.5235987755982988, 1e-15);
  EXPECT_EQ(hip.freedoms[0].damping, 0.2);
  EXPECT_EQ(hip.freedoms[1].armature, 0.01);
  EXPECT_NEAR(hip.freedoms[1].anchor.y, 0.1, 1e-15);
  EXPECT_TRUE(hip.freedoms[2].slides);
  EXPECT_EQ(hip.freedoms[2].stiffness, 100);
}

TEST(CompoundReader, a_freedom_turns_or_slides) {
  EXPECT_THROW(
      load_text("bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                "joints: {j: {kind: compound, between: [ground, b], anchor: [0, 0, 0], freedoms: [{name: x}]}}"),
      InputError);
}

}  // namespace compound_reader_test
}  // namespace catena
