// Parameters, expressions, and parts included under names and at places of their own.
#include "catena/scene/expression.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <stdexcept>

#include "scene/scene_testing.h"

namespace catena {
namespace expression_test {

using ::testing::HasSubstr;

TEST(Expression, follows_the_rules_of_arithmetic) {
  const Parameters p{{"a", 3}, {"b_2", 0.5}};
  EXPECT_EQ(evaluate_expression("1 + 2*3 - 4/2", p), 5);
  EXPECT_EQ(evaluate_expression("-2^2", p), -4);
  EXPECT_EQ(evaluate_expression("2^3^2", p), 512);
  EXPECT_EQ(evaluate_expression("2^-1", p), 0.5);
  EXPECT_EQ(evaluate_expression("(a - -b_2) * 2e1", p), 70);
  EXPECT_DOUBLE_EQ(evaluate_expression("sin(pi/6) + atan2(1, 1) + max(a, 7)", p),
                   std::sin(std::numbers::pi / 6) + std::numbers::pi / 4 + 7);
}

TEST(Expression, says_what_is_wrong) {
  const auto fault = [](const std::string& text) {
    try {
      evaluate_expression(text, {{"length", 1}});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(fault("1 +"), HasSubstr("ends where a number is expected"));
  EXPECT_THAT(fault("2 lenght"), HasSubstr("left over"));
  EXPECT_THAT(fault("2 * lenght"), HasSubstr("length"));
  EXPECT_THAT(fault("sqrt(1, 2)"), HasSubstr("sqrt takes 1 number"));
  EXPECT_THAT(fault("1/0"), HasSubstr("no finite number"));
  EXPECT_THAT(fault("sqrt(0 - 1)"), HasSubstr("no finite number"));
  EXPECT_THAT(fault(std::string(1000, '(')), HasSubstr("nested too deep"));
}

const std::string kRod =
    "parameters: {length: 50 cm, mass: 2, half: =length/2}\n"
    "bodies: {rod: {mass: =mass, inertia: =mass*length^2/12, position: [0, 0, =-half]}}\n";

TEST(Expression, parameters_have_units_and_refer_to_those_above_them) {
  const Scene scene = load_ok(kRod);
  EXPECT_EQ(scene.model.bodies[0].mass, 2);
  EXPECT_EQ(scene.model.bodies[0].inertia.xx, 2 * 0.25 / 12);
  EXPECT_EQ(scene.initial.bodies[0].position.z, -0.25);
}

TEST(Expression, parameters_can_be_set_from_outside) {
  const Scene scene = load_ok(kRod, {"parameters.length=2"});
  EXPECT_EQ(scene.initial.bodies[0].position.z, -1);
}

TEST(Expression, faults_have_their_place) {
  EXPECT_THAT(error_of("parameters: {a: 1}\nbodies: {rod: {mass: =b, inertia: 1}}\n"),
              ::testing::AllOf(HasSubstr("s.yaml:2:"), HasSubstr("parameter 'b'")));
  EXPECT_THAT(error_of("parameters: {2a: 1}\n" + kArm), HasSubstr("a name of letters"));
  EXPECT_THAT(error_of("parameters: [1]\n" + kArm), HasSubstr("a map from names to numbers"));
}

// Files in a folder of their own, which goes with the test.
class Parts : public ::testing::Test {
 protected:
  Parts()
      : folder_(std::filesystem::temp_directory_path() /
                (std::string("catena_parts_") + ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    write("arm.yaml",
          "parameters: {length: 1}\n"
          "materials: {steel: {friction: 0.2}}\n"
          "bodies: {upper: {mass: 1, inertia: 1, position: [0, 0, =-length/2], shapes: [{sphere: 0.1, material: "
          "steel}]},\n"
          "         fore: {mass: 1, inertia: 1, position: [0, 0, =-1.5*length]}}\n"
          "joints: {shoulder: {kind: ball, between: [ground, upper], anchor: [0, 0, 0]},\n"
          "         elbow: {kind: hinge, between: [upper, fore], anchor: [0, 0, =-length], axis: [0, 1, 0]}}\n"
          "sites: {hand: {body: fore, at: [0, 0, =-length/2]}}\n"
          "sensors: {reach: {kind: framepos, site: hand}}\n"
          "actuators: [{joint: elbow, signal: 1}]\n");
  }
  ~Parts() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Scene load(const std::string& text) { return load_text(text, "s.yaml", folder_); }

  std::filesystem::path folder_;
};

TEST_F(Parts, one_file_gives_two_arms) {
  const Scene scene = load(
      "include: [{file: arm.yaml, prefix: left_}, {file: arm.yaml, prefix: right_, at: [1, 0, 0.5], parameters: "
      "{length: 2}}]\n");
  const Model& model = scene.model;
  ASSERT_EQ(model.bodies.size(), 4u);
  ASSERT_EQ(model.joints.size(), 4u);
  expect_near(scene.initial.bodies[model.body("left_fore")].position, {0, 0, -1.5});
  expect_near(scene.initial.bodies[model.body("right_upper")].position, {1, 0, -0.5});
  expect_near(scene.initial.bodies[model.body("right_fore")].position, {1, 0, -2.5});
  const Joint& elbow = model.joints[model.joint("right_elbow")];
  EXPECT_EQ(elbow.a, model.body("right_upper"));
  expect_near(elbow.anchor_a, {0, 0, -1});
  ASSERT_EQ(model.sites.size(), 2u);
  EXPECT_EQ(model.sites[1].name, "right_hand");
  EXPECT_EQ(model.sites[1].body, model.body("right_fore"));
  ASSERT_EQ(model.sensors.size(), 2u);
  EXPECT_EQ(model.sensors[1].object, "right_hand");
  ASSERT_EQ(model.actuators.size(), 2u);
}

TEST_F(Parts, parameters_of_a_part_must_be_its_own) {
  try {
    load("include: [{file: arm.yaml, prefix: l_, parameters: {lenght: 2}}]\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("length"));
  }
}

TEST_F(Parts, generated_links_get_the_prefix_and_their_joints_keep_their_kinds) {
  write(
      "rope.yaml",
      "bodies: {hook: {mass: 1, inertia: 1}}\n"
      "chain: {count: 2, link: {mass: 1, inertia: 1}, joint: {kind: hinge, axis: [0, 1, 0]}, offset: [0, 0, -1], from: "
      "hook}\n"
      "springs: [{between: [ground, hook], anchors: [[0, 0, 1], {body: hook}], stiffness: 1}]\n");
  const Model model = load("include: [{file: rope.yaml, prefix: a_}]\n").model;
  EXPECT_EQ(model.joints[model.joint("a_link0")].kind, JointKind::hinge);
  EXPECT_EQ(model.joints[model.joint("a_link0")].a, model.body("a_hook"));
  EXPECT_EQ(model.joints[model.joint("a_link1")].b, model.body("a_link1"));
  EXPECT_EQ(model.springs[0].b, model.body("a_hook"));
}

TEST_F(Parts, a_plain_include_shares_its_parameters) {
  const Scene scene = load("include: arm.yaml\nparameters: {length: 4}\n");
  expect_near(scene.initial.bodies[0].position, {0, 0, -2});
}

}  // namespace expression_test
}  // namespace catena
