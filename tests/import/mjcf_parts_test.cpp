// MJCF: attached models with compilers of their own, ropes, soft limits, height fields in pictures, and what real files leave empty.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "catena/import/import.h"
#include "catena/model/error.h"
#include "catena/model/joint_rules.h"

namespace catena {
namespace mjcf_parts_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class MjcfParts : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("catena_parts_") + test->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  Scene read(const std::string& inside, const ImportOptions& options = {}) const {
    return import_robot_text("<mujoco>" + inside + "</mujoco>", (folder_ / "robot.xml").string(), folder_, options);
  }
  std::string complaint(const std::string& inside) const {
    try {
      read(inside);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  }
  fs::path folder_;
};

const LedgerEntry* entry(const Scene& scene, const std::string& element, const std::string& attribute) {
  for (const LedgerEntry& e : scene.ledger)
    if (e.element == element && e.attribute == attribute) return &e;
  return nullptr;
}

constexpr const char* kArm =
    "<mujoco model='arm'><compiler angle='radian' eulerseq='zyx' meshdir='parts'/><asset><mesh "
    "file='cube.obj'/></asset>"
    "<worldbody><body name='base' euler='0.1 0.2 0.3'><joint name='j' range='-1 1.5'/>"
    "<geom type='mesh' mesh='cube'/></body></worldbody></mujoco>";

const std::string kCube =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 0\nv 1 0 1\nv 0 1 1\nv 1 1 1\n";  // points alone: their hull

// Degrees outside, radians, another order of Euler angles and another folder of meshes inside.
TEST_F(MjcfParts, an_attached_model_keeps_its_compiler) {
  write("arm.xml", kArm);
  write("parts/cube.obj", kCube);
  const Scene scene = read(
      "<asset><model name='arm' file='arm.xml'/></asset><worldbody><body name='cart'><joint type='slide' axis='1 0 0'/>"
      "<geom size='.1'/><frame euler='0 0 90'><attach model='arm' body='base' "
      "prefix='a_'/></frame></body></worldbody>");
  const Joint& joint = scene.model.joints[scene.model.joint("a_j")];
  EXPECT_NEAR(scene.model.extras_of(joint).limits->upper, 1.5, 1e-15);
  EXPECT_NEAR(scene.model.bodies[scene.model.body("a_base")].mass, 1000, 1e-6) << "a cube of 1 m³";
  // z by 0.1 rad, then the new y by 0.2, then the new x by 0.3, all after 90° about z.
  const Quat wanted = exp_rotation(Vec3{0, 0, std::numbers::pi / 2}) * exp_rotation(Vec3{0, 0, 0.1}) *
                      exp_rotation(Vec3{0, 0.2, 0}) * exp_rotation(Vec3{0.3, 0, 0});
  const Quat found = scene.initial.bodies[scene.model.body("a_base")].orientation;
  EXPECT_NEAR(std::abs(found.w * wanted.w + found.x * wanted.x + found.y * wanted.y + found.z * wanted.z), 1, 1e-12);
}

TEST_F(MjcfParts, a_model_without_a_name_has_its_own_and_is_attached_as_often_as_asked) {
  write("arm.xml", kArm);
  write("parts/cube.obj", kCube);
  const Scene scene = read(
      "<asset><model file='arm.xml'/></asset><worldbody><replicate count='3' offset='0 2 0'>"
      "<attach model='arm' prefix='x'/></replicate></worldbody>");
  EXPECT_EQ(scene.model.bodies.size(), 3u) << "without a body: all that stands in its world";
}

TEST_F(MjcfParts, models_that_attach_each_other_are_refused) {
  write(
      "one.xml",
      "<mujoco><asset><model name='two' file='two.xml'/></asset><worldbody><body name='b'><freejoint/><geom size='1'/>"
      "<attach model='two' body='b' prefix='t'/></body></worldbody></mujoco>");
  write("two.xml",
        "<mujoco><asset><model name='one' file='one.xml'/></asset><worldbody><body name='b'><geom size='1'/>"
        "<attach model='one' body='b' prefix='o'/></body></worldbody></mujoco>");
  EXPECT_THAT(complaint("<asset><model name='one' file='one.xml'/></asset><worldbody>"
                        "<attach model='one' body='b' prefix='p'/></worldbody>"),
              HasSubstr("attach each other"));
}

TEST_F(MjcfParts, a_spatial_tendon_with_a_range_is_a_rope) {
  const Scene scene = read(
      "<default><tendon range='0 1.2'/></default><worldbody><site name='top' pos='0 0 1'/><body name='b'><freejoint/>"
      "<geom size='.1'/><site name='eye'/></body></worldbody>"
      "<tendon><spatial><site site='top'/><site site='eye'/></spatial></tendon>");
  ASSERT_EQ(scene.model.joints.size(), 1u);
  EXPECT_EQ(scene.model.joints[0].kind, JointKind::distance);
  EXPECT_EQ(scene.model.extras_of(scene.model.joints[0]).limits->upper, 1.2) << "of the class of defaults";
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

// M = 2 kg along the slide: A = 1/2; solref 0.02 1, solimp 0.9 0.95: ε = A·0.05·4e-4 = 1e-5 m/N, τ = 0.04 s.
TEST_F(MjcfParts, soft_limits_are_elastic_stops) {
  const std::string text =
      "<worldbody><body><joint name='s' type='slide' range='-1 2'/><geom size='.1' mass='2'/></body></worldbody>";
  EXPECT_TRUE(read(text).model.tendons.empty());
  const Scene soft = read(text, {.mujoco_softness = true});
  ASSERT_EQ(soft.model.tendons.size(), 1u);
  const Tendon& stop = soft.model.tendons[0];
  EXPECT_EQ(stop.lower, -1);
  EXPECT_EQ(stop.upper, 2);
  EXPECT_NEAR(stop.limit_stiffness, 1e5, 1e-6);
  EXPECT_NEAR(stop.limit_damping, 4e3, 1e-7);
  EXPECT_FALSE(coordinate_law(soft.model.joints[0], soft.model.extras_of(soft.model.joints[0]), 0).limits);
}

// With autolimits an empty range is no limit.
TEST_F(MjcfParts, empty_ranges_and_colours_say_nothing) {
  const Scene scene = read(
      "<worldbody><body><joint type='hinge' range='0 0'/><geom size='.1' rgba=''/>"
      "<body><joint type='ball' range='0 0'/><geom size='.1' mass='1'/></body></body></worldbody>");
  for (const Joint& joint : scene.model.joints) EXPECT_FALSE(scene.model.extras_of(joint).limits) << joint.name;
}

TEST_F(MjcfParts, heights_come_from_pictures) {
  // Two rows of three grey levels: 0 100 200 above 50 50 50.
  const std::vector<unsigned char> picture{
      137, 80, 78, 71, 13,  10, 26,  10,  0,   0,   0,   13, 73, 72, 68, 82, 0,   0,   0,  3,   0,  0,  0,   2,  8,
      0,   0,  0,  0,  184, 31, 57,  198, 0,   0,   0,   16, 73, 68, 65, 84, 120, 218, 99, 96,  72, 57, 193, 96, 100,
      100, 4,  0,  7,  116, 1,  195, 52,  220, 145, 116, 0,  0,  0,  0,  73, 69,  78,  68, 174, 66, 96, 130};
  write("h.png", std::string(picture.begin(), picture.end()));
  const Scene scene = read(
      "<asset><hfield name='h' file='h.png' size='1 1 2 0.5'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/><body pos='0 0 5'><freejoint/><geom size='.1'/></body></worldbody>");
  const Mesh& mesh = std::get<Mesh>(scene.model.ground_shapes[0].geometry);
  // The first row of a picture is that of the greatest y; 0 to 200 become 0 to 2 m.
  for (const Vec3& v : mesh.vertices)
    if (v.z >= 0 && v.x == 1) {
      EXPECT_NEAR(v.z, v.y > 0 ? 2 : 0.5, 1e-12);
    }
  write("bad.png", "\x89PNG and no more");
  EXPECT_THAT(complaint("<asset><hfield name='h' file='bad.png' size='1 1 2 0.5'/></asset>"
                        "<worldbody><geom type='hfield' hfield='h'/></worldbody>"),
              HasSubstr("no picture of heights"));
}

TEST_F(MjcfParts, heights_that_are_missing_fail_or_are_left_out_as_meshes_are) {
  const std::string text =
      "<asset><hfield name='h' file='none.png' size='1 1 2 0.5'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/><body pos='0 0 5'><freejoint/><geom size='.1'/></body></worldbody>";
  EXPECT_THAT(complaint(text), HasSubstr("none.png"));
  EXPECT_TRUE(ignores_physics(read(text, {.missing_meshes = true}).ledger));
}

// Ten thousand million spheres in one line.
TEST_F(MjcfParts, nested_replicas_are_bounded) {
  EXPECT_THAT(complaint("<worldbody><replicate count='100000'><replicate count='100000'><geom size='1'/></replicate>"
                        "</replicate></worldbody>"),
              HasSubstr("by replicate"));
}

TEST_F(MjcfParts, meshes_in_MuJoCos_own_format_are_read) {
  const std::array<std::int32_t, 4> count{4, 0, 0, 0};
  const std::array<float, 12> points{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::string bytes(reinterpret_cast<const char*>(count.data()), sizeof count);
  bytes.append(reinterpret_cast<const char*>(points.data()), sizeof points);
  write("t.msh", bytes);
  const std::string text =
      "<asset><mesh file='t.msh'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='t'/></body></worldbody>";
  EXPECT_NEAR(read(text).model.bodies[0].mass, 1000.0 / 6, 1e-4);
  write("t.msh", bytes.substr(0, 40));
  EXPECT_THAT(complaint(text), HasSubstr("no mesh in MuJoCo's format"));
}

TEST_F(MjcfParts, a_model_in_which_nothing_moves_is_read_with_a_warning) {
  const Scene scene = read("<worldbody><body><geom size='.1'/></body></worldbody>");
  EXPECT_EQ(scene.model.ground_shapes.size(), 1u);
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_THAT(scene.warnings[0], HasSubstr("nothing in it moves"));
}

TEST_F(MjcfParts, muscles_count_their_activations_in_keyframes) {
  const Scene scene = read(
      "<worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
      "<actuator><muscle joint='j' lengthrange='0 1'/><general joint='j' dyntype='filter' dynprm='0.1'/></actuator>"
      "<keyframe><key name='k' act='0.25 0.5'/></keyframe>");
  EXPECT_EQ(scene.model.keyframes[0].activation[0], 0.25);
  EXPECT_EQ(scene.model.keyframes[0].activation[1], 0.5);
  EXPECT_EQ(entry(scene, "muscle", "")->what, Fate::used);
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

// Two slides along one axis that follow one joint are one coordinate, which follows the sum of both polynomials.
TEST_F(MjcfParts, slides_along_one_axis_that_follow_one_joint_are_one_coordinate) {
  const Scene scene = read(
      "<worldbody><body name='shank'><joint name='a' type='slide' axis='1 0 0'/><joint name='b' type='slide' axis='1 0 "
      "0'/>"
      "<joint name='knee' axis='0 0 1'/><geom size='.1'/></body></worldbody>"
      "<equality><joint joint1='a' joint2='knee' polycoef='0 0.1 0.01 0 0'/>"
      "<joint joint1='b' joint2='knee' polycoef='0.02 0.2 0 0 0'/></equality>");
  ASSERT_EQ(scene.model.joints[0].freedoms.size(), 2u);
  ASSERT_EQ(scene.model.joints.size(), 2u) << "the joint, and one coupling";
  const CouplingRow& row = scene.model.extras_of(scene.model.joints[1]).rows.front();
  EXPECT_DOUBLE_EQ(row.coordinates[0].polynomial[0], -0.02);
  EXPECT_DOUBLE_EQ(row.coordinates[1].polynomial[1], -0.3);
  EXPECT_DOUBLE_EQ(row.coordinates[1].polynomial[2], -0.01);
  const auto said = [](const LedgerEntry& e) {
    return e.what == Fate::approximated && e.why.find("their sum") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(scene.ledger.begin(), scene.ledger.end(), said), 1);
}

}  // namespace mjcf_parts_test
}  // namespace catena
