#include <gmock/gmock.h>

#include "scene/scene_testing.h"

namespace catena {
namespace repeat_test {

TEST(Repeat, CopiesABlockWithIndicesAndOffset) {
  const Scene s = load_ok(R"(bodies: {bar: {mass: 1, inertia: 1}}
repeat:
  count: 3
  offset: [0.5, 0, 0]
  bodies:
    ball{i}: {mass: 1, inertia: 1, position: [0, 0, -1]}
  joints:
    hook{i+1}: {kind: ball, between: [bar, "ball{i}"], anchor: [0, 0, 0]}
  springs:
  - {between: [ground, "ball{i}"], anchors: [[0, 1, -1], [0, 0, -1]], stiffness: 1}
  forces:
  - {body: "ball{i}", force: ["{i}", 0, 0]}
)");
  ASSERT_EQ(s.model.bodies.size(), 4u);
  EXPECT_EQ(s.model.bodies[3].name, "ball2");
  expect_near(s.initial.bodies[3].position, {1, 0, -1});
  ASSERT_EQ(s.model.joints.size(), 3u);
  EXPECT_EQ(s.model.joints[2].name, "hook3");
  expect_near(s.model.joints[2].anchor_a, {1, 0, 0});
  expect_near(s.model.joints[2].anchor_b, {0, 0, 1});
  expect_near(s.model.springs[2].anchor_a, {1, 1, -1});
  EXPECT_EQ(s.model.springs[2].length, 1);
  EXPECT_EQ(s.model.forces[2].force.x, 2);
}

TEST(Repeat, IndicesReachBackAndStartAnywhere) {
  const Scene s = load_ok(R"(repeat:
- {count: 3, bodies: {"b{i}": {mass: 1, inertia: 1}}}
- {count: 2, first: 1, joints: {"j{i}": {kind: weld, between: ["b{i-1}", "b{i}"]}}}
- {count: 2, bodies: {"{i}{x}{i": {mass: 1, inertia: 1}}}
)");
  EXPECT_EQ(s.model.joints[1].name, "j2");
  EXPECT_EQ(s.model.joints[1].a, BodyId{1});
  EXPECT_EQ(s.model.joints[1].b, BodyId{2});
  EXPECT_EQ(s.model.bodies[4].name, "1{x}{i");
}

TEST(Repeat, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"repeat:\n  count: 3\n",
       "s.yaml:2:3: repeat: has nothing to repeat; give bodies:, joints:, forces:, springs: or actuators:"},
      {"repeat:\n  bodies: {b: {mass: 1, inertia: 1}}\n", "s.yaml:2:3: repeat needs 'count', such as count: 10"},
      {"repeat: {count: 2, bodies: {b: {mass: 1, inertia: 1}}}\n",
       "s.yaml:1:29: body 'b' is already there, from s.yaml:1:29; give every body its own name"},
      {"repeat: {count: 0, bodies: {b: {mass: 1, inertia: 1}}}\n",
       "s.yaml:1:17: count: a whole number from 1 up is expected, not '0'"},
      {"repeat: {cuont: 2, bodies: {}}\n", "s.yaml:1:10: repeat: unknown key 'cuont'; the nearest is 'count'"},
      {"repeat: {count: 2, chain: {}}\n", "s.yaml:1:20: repeat: 'chain' stands alone in its entry of repeat:"},
      {"repeat: 5\n", "s.yaml:1:9: repeat: a list [...] is expected, not '5'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.text), c.message);
}

}  // namespace repeat_test
}  // namespace catena
