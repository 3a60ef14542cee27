#include "catena/scene/scene.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "scene/scene_testing.h"
#include "source_dir.h"

namespace catena {
namespace scene_test {

TEST(Scene, ReadsTheWorld) {
  const std::string text = "catena: 1\nname: my scene\ngravity: [0, 0, -1.62]\n" + kArms +
                           "collide: {adjacent: yes, pairs: {exclude: [[arm, hand], [ground, arm]]}}\n";
  const Scene s = load_ok(text);
  EXPECT_EQ(s.model.name, "my scene");
  EXPECT_EQ(s.model.gravity, (Vec3{0, 0, -1.62}));
  EXPECT_TRUE(s.model.collide_adjacent);
  ASSERT_EQ(s.model.collide_exclude.size(), 2u);
  EXPECT_EQ(s.model.collide_exclude[0], std::pair(BodyId{0}, BodyId{1}));
  EXPECT_EQ(s.model.collide_exclude[1], std::pair(kGround, BodyId{0}));
  EXPECT_EQ(s.source, text);
  EXPECT_EQ(s.initial.time, 0);
}

TEST(Scene, DefaultsAreThoseOfTheFormat) {
  const Scene s = load_ok(kArm);
  EXPECT_EQ(s.model.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_FALSE(s.model.collide_adjacent);
  ASSERT_EQ(s.model.materials.size(), 1u);
  EXPECT_EQ(s.model.materials[0].friction, 0.5);
  EXPECT_EQ(s.model.materials[0].restitution, 0);
}

TEST(Scene, AnglesThatAreDegreesToJudgeByTheirSizeAreWarnedOf) {
  const auto warnings = [](const std::string& orientation, const std::string& joint) {
    return load_text("bodies: {rod: {mass: 1, inertia: 1, position: [0.5, 0, 0], orientation: " + orientation +
                     "}}\njoints: {j: {between: [ground, rod], anchor: [0, 0, 0], axis: [0, 1, 0], " + joint + "}}\n")
        .warnings;
  };
  const std::string plain = "{axis: [0, 1, 0], angle: 90 deg}",
                    hinge = "kind: hinge, limits: {lower: -3, upper: 90 deg}";
  EXPECT_TRUE(warnings(plain, hinge).empty());
  EXPECT_TRUE(warnings(plain, "kind: slider, limits: {lower: -90, upper: 90}").empty());  // metres
  const Warnings turned = warnings("{axis: [0, 1, 0], angle: 90}", hinge);
  ASSERT_EQ(turned.size(), 1u);
  EXPECT_NE(turned[0].find("scene:1:"), std::string::npos) << turned[0];
  EXPECT_NE(turned[0].find("angle: 90 without a unit is taken for radians (14.3 turns); write '90 deg'"),
            std::string::npos)
      << turned[0];
  EXPECT_EQ(warnings("{rpy: [0, 45, 90]}", hinge).size(), 2u);
  EXPECT_EQ(warnings(plain, "kind: hinge, limits: {lower: -90, upper: 90}").size(), 2u);
}

TEST(Scene, ErrorsNameThePlaceAndTheCure) {
  const struct {
    std::string text;
    const char* message;
  } cases[] = {
      {"bodys: {}\n", "s.yaml:1:1: scene: unknown key 'bodys'; the nearest is 'bodies'"},
      {"name: x\n", "s.yaml:1:1: the scene has no bodies; add bodies: {NAME: {mass: ..., inertia: ...}}"},
      {"catena: 2\n" + kArm, "s.yaml:1:9: catena: version 2 of the format is not known; 1 is"},
      {"dimension: 4\n" + kArm, "s.yaml:1:12: dimension: 2 or 3 is expected, not 4"},
      {"gravity: 9.81\n" + kArm, "s.yaml:1:10: gravity: a list of 3 is expected, not '9.81'"},
      {"gravity: [0, 0, 1 N]\n" + kArm,
       "s.yaml:1:17: gravity: '1 N' is a force; an acceleration is expected, such as '9.81 m/s2'"},
      {"name: [1]\n" + kArm, "s.yaml:1:7: name: a word is expected, not a list of 1"},
      {"ground: {shape: []}\n" + kArm, "s.yaml:1:10: ground: unknown key 'shape'; the nearest is 'shapes'"},
      {"collide: {adjacent: 3}\n" + kArm, "s.yaml:1:21: adjacent: yes or no is expected, not '3'"},
      {"collide: {pairs: {exclude: [[arm]]}}\n" + kArm,
       "s.yaml:1:29: exclude: a list of 2 is expected, not a list of 1"},
      {"collide: {pairs: {exclude: [[arm, amr]]}}\n" + kArm,
       "s.yaml:1:35: exclude: there is no body 'amr'; the nearest name is 'arm'"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.text), c.message);
}

TEST(Scene, FilesThatAreNotThereAreNamed) {
  EXPECT_THAT([] { load("robot.urdf"); }, testing::ThrowsMessage<InputError>("robot.urdf: there is no such file"));
  EXPECT_THAT([] { load("robot.xml"); }, testing::ThrowsMessage<InputError>("robot.xml: there is no such file"));
  EXPECT_THAT([] { load("no_such.yaml"); }, testing::ThrowsMessage<InputError>("no_such.yaml: there is no such file"));
}

// The places of a joint's two anchors in the world, and their velocities.
struct Ends {
  Vec3 gap, velocity_gap;
};

Ends ends_of(const Scene& s, const Joint& j) {
  Vec3 place[2], velocity[2];
  const BodyId bodies[] = {j.a, j.b};
  const Vec3 anchors[] = {j.anchor_a, j.anchor_b};
  for (int k = 0; k < 2; ++k) {
    place[k] = anchors[k];
    if (!bodies[k].valid()) continue;
    const BodyState& b = s.initial.bodies[bodies[k]];
    const Vec3 arm = rotate(b.orientation, anchors[k]);
    place[k] = b.position + arm;
    velocity[k] = b.velocity + cross(b.angular_velocity, arm);
  }
  return {place[1] - place[0], velocity[1] - velocity[0]};
}

TEST(Examples, AllLoadWithoutWarningsAndClosed) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(source_dir()) / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    const Scene s = load(entry.path());
    EXPECT_THAT(s.warnings, testing::IsEmpty()) << entry.path();
    EXPECT_FALSE(s.model.name.empty()) << entry.path();
    EXPECT_EQ(s.source.front(), '#') << entry.path() << " begins with what one sees";
    EXPECT_NE(s.source.find("\nsimulate:"), std::string::npos) << entry.path();
    for (const Joint& j : s.model.joints) {
      const bool meets = j.kind == JointKind::ball || j.kind == JointKind::hinge || j.kind == JointKind::universal;
      if (!meets) continue;
      EXPECT_LE(norm(ends_of(s, j).gap), 1e-14) << entry.path() << " " << j.name;
      EXPECT_LE(norm(ends_of(s, j).velocity_gap), 1e-14) << entry.path() << " " << j.name;
    }
  }
  EXPECT_GE(count, 10);
}

TEST(Examples, TheStrandbeestHasJansensLengths) {
  const Scene s = load(std::filesystem::path(source_dir()) / "examples" / "jansen_legs.yaml");
  EXPECT_EQ(s.model.bodies.size(), 15u);  // the toes included
  EXPECT_EQ(s.model.joints.size(), 21u);
  const auto place = [&](const std::string& joint) {
    const Joint& j = s.model.joints[s.model.joint(joint)];
    const BodyState& b = s.initial.bodies[j.b];
    return b.position + rotate(b.orientation, j.anchor_b);
  };
  for (const std::string side : {"left_", "right_"}) {
    const auto distance = [&](const std::string& a, const std::string& b) {
      return norm(place(side + a) - place(side + b));
    };
    EXPECT_NEAR(norm(place("drive") - place(side + "crank_j")), 0.150, 1e-15);  // m
    EXPECT_NEAR(distance("crank_j", "j_upper"), 0.500, 1e-15);                  // j
    EXPECT_NEAR(distance("crank_k", "k_c"), 0.619, 1e-15);                      // k
    EXPECT_NEAR(distance("pivot_upper", "j_upper"), 0.415, 1e-15);              // b
    EXPECT_NEAR(distance("pivot_c", "c_foot"), 0.393, 1e-15);                   // c
    EXPECT_NEAR(distance("pivot_upper", "upper_f"), 0.401, 1e-15);              // d
    EXPECT_NEAR(distance("j_upper", "upper_f"), 0.558, 1e-15);                  // e
    EXPECT_NEAR(distance("upper_f", "f_foot"), 0.394, 1e-15);                   // f
    EXPECT_NEAR(distance("c_foot", "f_foot"), 0.367, 1e-15);                    // g
    EXPECT_NEAR(std::abs(place(side + "pivot_c").x), 0.38, 1e-15);              // a
    EXPECT_NEAR(place("drive").z - place(side + "pivot_c").z, 0.078, 1e-15);    // l
  }
}

}  // namespace scene_test
}  // namespace catena
