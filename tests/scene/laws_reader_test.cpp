// Keys of materials, limits and settings that say how bodies touch.
#include "scene/scene_testing.h"

namespace catena {
namespace laws_reader_test {

TEST(LawsReader, FrictionByDirectionRollingAndTorsion) {
  const Scene s = load_ok(
      kArm +
      "defaults: {friction: 0.4, rolling: 1 mm}\nmaterials:\n  ski: {friction: {along: [0, 2, 0], forward: 0.1, "
      "backward: 0.5, sideways: 0.7}, torsion: 2 mm}\n  ice: {friction: {forward: 0.1}}\n  felt: {friction: 0.9}\n");
  const Material &ski = s.model.materials[1], &ice = s.model.materials[2], &felt = s.model.materials[3];
  ASSERT_TRUE(ski.grain && ice.grain && !felt.grain);
  expect_near(ski.grain->along, {0, 1, 0});
  EXPECT_EQ(ski.grain->forward, 0.1);
  EXPECT_EQ(ski.grain->backward, 0.5);
  EXPECT_EQ(ski.grain->sideways, 0.7);
  EXPECT_DOUBLE_EQ(ski.friction, 0.5);  // the mean, for partners with directions of their own
  EXPECT_EQ(ski.rolling, 1e-3);         // from the defaults
  EXPECT_EQ(ski.torsion, 2e-3);
  EXPECT_EQ(ice.grain->sideways, 0.1);
  EXPECT_EQ(felt.friction, 0.9);
}

TEST(LawsReader, ComplianceAndCreepOfMaterials) {
  const Scene s =
      load_ok(kArm +
              "defaults: {creep: 0.1}\nmaterials:\n  tar: {compliance: 1e-5 m/N, relaxation: 2 ms, creep: 3 "
              "mm/s/N}\n  wood: {}\n");
  EXPECT_EQ(s.model.materials[1].compliance, 1e-5);
  EXPECT_EQ(s.model.materials[1].relaxation, 2e-3);
  EXPECT_EQ(s.model.materials[1].creep, 3e-3);
  EXPECT_EQ(s.model.materials[2].creep, 0.1);  // from the defaults
}

TEST(LawsReader, LimitsOfEveryCoordinate) {
  const Scene s = load_ok(kArms +
                          "joints:\n  c: {kind: cylindrical, between: [arm, hand], anchor: [0, 0, 0], axis: [1, 0, 0], "
                          "limits: {lower: -90 deg}, limits2: {upper: 5 cm, restitution: 0.5}}\n"
                          "  b: {kind: ball, between: [ground, arm], anchor: [0, 0, 0], limits: {cone: 30 deg, upper: "
                          "1}}\n");
  const JointExtras &c = s.model.extras_of(s.model.joints[0]), &b = s.model.extras_of(s.model.joints[1]);
  EXPECT_EQ(c.limits2->upper, 0.05);
  EXPECT_EQ(c.limits2->restitution, 0.5);
  EXPECT_NEAR(b.limits->cone, 0.5235987755982988, 1e-15);
  EXPECT_EQ(b.limits->upper, 1);
}

TEST(LawsReader, FaultsHaveTheirPlace) {
  const struct {
    const char *text, *message;
  } cases[] = {
      {"materials: {m: {frictoin: 1}}\n",
       "s.yaml:2:17: material 'm': unknown key 'frictoin'; the nearest is 'friction'"},
      {"materials: {m: {friction: {forwrd: 1}}}\n",
       "s.yaml:2:28: friction: unknown key 'forwrd'; the nearest is 'forward'"},
      {"materials: {m: {friction: {forward: -1}}}\n",
       "s.yaml:2:27: friction: forward, backward and sideways must not be negative"},
      {"materials: {m: {friction: {forward: 1, along: [0, 0, 0]}}}\n",
       "s.yaml:2:47: along: (0, 0, 0) has no direction; give a vector that is not zero"},
      {"materials: {m: {rolling: -1}}\n", "s.yaml:2:26: rolling: must not be negative"},
      {"materials: {m: {creep: -1}}\n", "s.yaml:2:24: creep: must not be negative"},
      {"materials: {m: {creep: 1 mm/N}}\n",
       "s.yaml:2:24: creep: '1 mm/N' is no speed per force; a speed per force is expected, such as '1e-4 m/s/N'"},
      {"simulate: {facets: 5}\n", "s.yaml:2:20: facets: 5 must be 0 (a round cone) or an even number from 4 on"},
      {"joints: {j: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1], limits2: {upper: 1}}}\n",
       "s.yaml:2:10: joint 'j': a hinge joint has no second coordinate for limits2"},
      {"joints: {j: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1], limits: {cone: 1}}}\n",
       "s.yaml:2:102: cone: is of ball joints; others have lower and upper"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(kArm + c.text), c.message);
}

}  // namespace laws_reader_test
}  // namespace catena
