#include "scene/scene_testing.h"

namespace catena {
namespace cloth_test {

TEST(Cloth, IsAGridOfParticlesAndThreads) {
  const Scene s = load_ok(
      "cloth: {rows: 3, columns: 4, spacing: 5 cm, mass: 2 g, origin: [0, 0, 1], v: [0, 0, -2], pinned: [[0, 0], [0, "
      "3]]}\n");
  ASSERT_EQ(s.model.bodies.size(), 12u);
  EXPECT_EQ(s.model.bodies[7].name, "p_1_3");
  EXPECT_EQ(s.model.bodies[7].kind, BodyKind::particle);
  EXPECT_EQ(s.model.bodies[7].mass, 2e-3);
  expect_near(s.initial.bodies[7].position, {0.15, 0, 0.95});
  ASSERT_EQ(s.model.joints.size(), 3u * 3 + 2 * 4 + 2);
  for (const Joint& j : s.model.joints) {
    EXPECT_NEAR(j.parameter, j.kind == JointKind::distance ? 0.05 : 0, 1e-15);
  }
  const Joint& pin = s.model.joints.back();
  EXPECT_EQ(pin.name, "p_0_3_pin");
  EXPECT_EQ(pin.kind, JointKind::ball);
  EXPECT_EQ(pin.a, kGround);
  EXPECT_EQ(pin.b, BodyId{3});
  expect_near(pin.anchor_a, {0.15, 0, 1});
}

TEST(Cloth, HasDiagonalsCornersAndTwoSpacingsWhenAsked) {
  const Scene s = load_ok(
      "cloth: {rows: 3, columns: 3, spacing: [3, 4], mass: 1, diagonals: yes, pinned: corners, name: q, joint: "
      "{compliance: 1e-3}}\n");
  EXPECT_EQ(s.model.joints.size(), 6u + 6 + 8 + 4);
  const Joint& diagonal = s.model.joints[s.model.joint("q_0_0_uv")];
  EXPECT_EQ(diagonal.parameter, 5);
  EXPECT_EQ(diagonal.b, BodyId{4});
  EXPECT_EQ(s.model.extras_of(diagonal).compliance, 1e-3);
  EXPECT_EQ(s.model.joints[s.model.joint("q_0_1_vu")].b, BodyId{3});
}

TEST(Cloth, FoldedKeepsItsThreads) {
  const Scene s = load_ok("cloth: {rows: 2, columns: 3, spacing: 0.1, mass: 1, fold: 60 deg}\n");
  expect_near(s.initial.bodies[1].position, {0.05, 0, 0.1 * 0.8660254037844386});
  expect_near(s.initial.bodies[2].position, {0.1, 0, 0});
  for (const Joint& j : s.model.joints) EXPECT_NEAR(j.parameter, 0.1, 1e-15);
  const Scene both =
      load_ok("cloth: {rows: 4, columns: 3, spacing: 0.1, mass: 1, fold: [60 deg, 30 deg], pinned: corners}\n");
  expect_near(both.initial.bodies[4].position, {0.05, 0.1 * 0.8660254037844386, 0.1 * (0.8660254037844386 + 0.5)});
  for (const Joint& j : both.model.joints) EXPECT_NEAR(j.parameter, j.kind == JointKind::distance ? 0.1 : 0, 1e-15);
}

TEST(Cloth, TouchesWithItsParticlesButNotItself) {
  const Scene s = load_ok(
      "materials: {linen: {friction: 0.3}}\n"
      "repeat:\n"
      "- cloth: {rows: 2, columns: 2, spacing: 0.1, mass: 1, radius: 2 cm, material: linen}\n"
      "- cloth: {rows: 2, columns: 2, spacing: 0.1, mass: 1, radius: 1 cm, name: q}\n"
      "- cloth: {rows: 2, columns: 2, spacing: 0.1, mass: 1, name: r}\n");
  const Body &first = s.model.bodies[s.model.body("p_1_1")], &second = s.model.bodies[s.model.body("q_1_1")];
  ASSERT_EQ(first.shapes.size(), 1u);
  ASSERT_EQ(second.shapes.size(), 1u);
  EXPECT_EQ(std::get<Sphere>(first.shapes[0].geometry).radius, 0.02);
  EXPECT_EQ(s.model.materials[static_cast<std::size_t>(first.shapes[0].material)].name, "linen");
  EXPECT_EQ(second.shapes[0].material, 0);
  EXPECT_EQ(first.collide_group, s.model.bodies[s.model.body("p_0_0")].collide_group);
  EXPECT_NE(first.collide_group, 0);
  EXPECT_NE(first.collide_group, second.collide_group);
  EXPECT_TRUE(s.model.bodies[s.model.body("r_0_0")].shapes.empty());
}

TEST(Cloth, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"cloth: {rows: 3}", "s.yaml:1:8: cloth needs 'columns', such as columns: 21"},
      {"cloth: {rows: 1, columns: 2}", "s.yaml:1:15: rows: a whole number from 2 up is expected, not '1'"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 0}", "s.yaml:1:48: mass: 0 of a particle must be positive"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, pinned: [[0, 2]]}",
       "s.yaml:1:60: pinned: [0, 2] is outside the 2 x 2 cloth; rows and columns count from 0"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, pinned: all}",
       "s.yaml:1:59: pinned: corners or [[row, column], ...] is expected, not 'all'"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, v: [2, 0, 0]}",
       "s.yaml:1:51: cloth: u and v are parallel; they span the cloth"},
      {"cloth: {rows: 2, columns: 2, spacing: 1 s, mass: 1}",
       "s.yaml:1:39: spacing: '1 s' is a time; a length is expected, such as '5 mm'"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, radius: 0}",
       "s.yaml:1:59: radius: 0 of a particle must be positive; leave it out and the cloth touches nothing"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, radius: 1 kg}",
       "s.yaml:1:59: radius: '1 kg' is a mass; a length is expected, such as '5 mm'"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, material: silk}",
       "s.yaml:1:51: cloth: without radius: the cloth touches nothing"},
      {"cloth: {rows: 2, columns: 2, spacing: 1, mass: 1, radius: 1 cm, material: silk}",
       "s.yaml:1:75: unknown material 'silk'; known are default"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.text), c.message);
}

}  // namespace cloth_test
}  // namespace catena
