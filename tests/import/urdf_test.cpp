// What URDF means, one rule a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "catena/import/import.h"
#include "catena/model/error.h"

namespace catena {
namespace urdf_test {

using ::testing::HasSubstr;

Scene robot(const std::string& inside, const ImportOptions& options = {}) {
  return import_robot_text("<robot name='r'>" + inside + "</robot>", "robot.urdf", ".", options);
}
std::string complaint(const std::string& inside) {
  try {
    robot(inside);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

const std::string kMass =
    "<inertial><origin xyz='0 0 .5'/><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>";

std::string link(const std::string& name, const std::string& inside = kMass) {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         more + "</joint>";
}

TEST(Urdf, the_base_stands_unless_it_floats) {
  const std::string text = link("base") + link("arm") + joint("j", "continuous", "base", "arm");
  EXPECT_EQ(robot(text).model.bodies.size(), 1u);
  EXPECT_EQ(robot(text, {.floating = true}).model.bodies.size(), 2u);
}

TEST(Urdf, the_axis_is_x_where_none_is_given_and_the_centre_of_mass_is_the_inertials) {
  const Scene s = robot(link("base") + link("arm") +
                        joint("j", "continuous", "base", "arm", "<origin xyz='0 0 1' rpy='0 1.5707963267948966 0'/>"));
  const Vec3 axis = rotate(s.model.joints[0].frame_a, Vec3{0, 0, 1});
  EXPECT_NEAR(axis.z, -1, 1e-12) << "x, turned by a quarter about y";
  EXPECT_NEAR(s.initial.bodies[0].position.x, 0.5, 1e-12);
}

TEST(Urdf, the_inertia_turns_with_its_origin) {
  const std::string body =
      "<inertial><origin rpy='0 0 1.5707963267948966'/><mass value='1'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' "
      "ixz='0' iyz='0'/></inertial>";
  const Scene s = robot(link("base") + link("arm", body) + joint("j", "continuous", "base", "arm"));
  EXPECT_NEAR(s.model.bodies[0].inertia.xx, 2, 1e-12);
  EXPECT_NEAR(s.model.bodies[0].inertia.yy, 1, 1e-12);
}

TEST(Urdf, links_without_inertial_are_frames_of_the_link_above) {
  const Scene s = robot(link("base") + link("arm") + link("tool", "") + joint("j", "continuous", "base", "arm") +
                        joint("t", "fixed", "arm", "tool", "<origin xyz='0 0 2'/>"));
  ASSERT_EQ(s.model.bodies.size(), 1u);
  bool found = false;
  for (const Site& site : s.model.sites)
    found = found || (site.name == "tool" && std::abs(site.position.z - 1.5) < 1e-12);
  EXPECT_TRUE(found);
  EXPECT_THAT(complaint(link("base") + link("arm", "") + joint("j", "continuous", "base", "arm")),
              HasSubstr("no mass"));
}

TEST(Urdf, a_mimic_is_an_exact_coupling) {
  const Scene s = robot(link("base") + link("a") + link("b") + joint("ja", "continuous", "base", "a") +
                        joint("jb", "continuous", "base", "b", "<mimic joint='ja' multiplier='-2' offset='.5'/>"));
  ASSERT_EQ(s.model.joints.size(), 3u);
  const CouplingRow& row = s.model.extras_of(s.model.joints[2]).rows[0];
  EXPECT_EQ(row.coordinates[0].polynomial[0], -0.5);
  EXPECT_EQ(row.coordinates[1].polynomial[1], 2);
}

TEST(Urdf, revolute_and_prismatic_joints_need_limits) {
  EXPECT_THAT(complaint(link("base") + link("a") + joint("j", "revolute", "base", "a")), HasSubstr("needs <limit"));
  const Scene s =
      robot(link("base") + link("a") +
            joint("j", "prismatic", "base", "a",
                  "<limit lower='-1' upper='2' effort='5' velocity='1'/><dynamics damping='.3' friction='.4'/>"));
  const JointExtras& e = s.model.extras_of(s.model.joints[0]);
  EXPECT_EQ(s.model.joints[0].kind, JointKind::slider);
  EXPECT_EQ(e.limits->upper, 2);
  EXPECT_EQ(e.damping, 0.3);
  EXPECT_EQ(e.friction, 0.4);
  EXPECT_EQ(s.model.controls[0].force_upper, 5);
}

TEST(Urdf, a_link_with_two_joints_above_closes_a_loop) {
  const Scene s = robot(link("base") + link("a") + link("b") + joint("ja", "continuous", "base", "a") +
                        joint("jb", "continuous", "a", "b") + joint("jc", "continuous", "base", "b"));
  EXPECT_EQ(s.model.bodies.size(), 2u);
  ASSERT_EQ(s.model.joints.size(), 3u);
  EXPECT_FALSE(s.model.joints[2].primary);
}

TEST(Urdf, a_package_is_found_by_its_flag_and_by_walking_up_to_package_xml) {
  namespace fs = std::filesystem;
  const fs::path top = fs::temp_directory_path() / ("catena_package_" + std::to_string(::getpid()));
  fs::create_directories(top / "arm" / "urdf");
  fs::create_directories(top / "arm" / "meshes");
  std::ofstream(top / "arm" / "package.xml") << "<package/>";
  std::ofstream(top / "arm" / "meshes" / "m.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  const std::string text = "<robot name='r'>" + link("base") +
                           link("a", kMass +
                                         "<collision><geometry><mesh filename='package://arm/meshes/m.obj' scale='2 2 "
                                         "2'/></geometry></collision>") +
                           joint("j", "continuous", "base", "a") + "</robot>";
  std::ofstream(top / "arm" / "urdf" / "arm.urdf") << text;
  const Scene up = import_robot(top / "arm" / "urdf" / "arm.urdf");
  EXPECT_EQ(std::get<Hull>(up.model.bodies[0].shapes[0].geometry).points.size(), 4u);
  const Scene flag = import_robot_text(text, "x.urdf", "/", {.packages = {{"arm", (top / "arm").string()}}});
  EXPECT_EQ(flag.model.bodies[0].shapes.size(), 1u);
  EXPECT_THROW(import_robot_text(text, "x.urdf", "/"), InputError);
  fs::remove_all(top);
}

TEST(Urdf, an_inertia_that_is_no_body_s_is_mended_and_said) {
  const std::string body =
      "<inertial><mass value='1'/><inertia ixx='1e-6' iyy='1e-6' izz='1e-6' ixy='1e-6' ixz='1e-6' "
      "iyz='1e-6'/></inertial>";
  const Scene s = robot(link("base") + link("a", body) + joint("j", "continuous", "base", "a"));
  EXPECT_FALSE(s.warnings.empty());
  bool said = false;
  for (const LedgerEntry& e : s.ledger) said = said || (e.element == "link" && e.what == Fate::approximated);
  EXPECT_TRUE(said);
}

}  // namespace urdf_test
}  // namespace catena
