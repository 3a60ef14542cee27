// MJCF: what the compiler computes (gains by damping ratio, springs by time constant), tendons, attached models, height fields, welds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "catena/import/import.h"
#include "catena/import/reference_inertia.h"
#include "catena/model/error.h"

namespace catena {
namespace mjcf_drives_test {

using ::testing::HasSubstr;

Scene robot(const std::string& inside, const ImportOptions& options = {}) {
  return import_robot_text("<mujoco>" + inside + "</mujoco>", "robot.xml", ".", options);
}

const LedgerEntry* entry(const Scene& scene, const std::string& element, const std::string& attribute) {
  for (const LedgerEntry& e : scene.ledger)
    if (e.element == element && e.attribute == attribute) return &e;
  return nullptr;
}

// A slider of 2 kg that carries one of 3 kg along the same axis: M = [5 3; 3 3].
std::string sliders(const std::string& first = "", const std::string& rest = "") {
  return "<worldbody><body name='a'><joint name='a' type='slide' axis='1 0 0' " + first +
         "/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='top' pos='0 0 1'/>"
         "<body name='b'><joint name='b' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='3' diaginertia='1 1 "
         "1'/>"
         "</body></body></worldbody>" +
         rest;
}

// 1/(M⁻¹)_aa = 2 kg: pushed at a, b stays behind.
TEST(MjcfDrives, a_damping_ratio_is_for_the_inertia_along_the_transmission) {
  const Scene scene = robot(sliders("", "<actuator><position joint='a' kp='50' dampratio='0.5'/></actuator>"));
  EXPECT_NEAR(scene.model.controls[0].bias[2], -2 * 0.5 * std::sqrt(50 * 2.0), 1e-9);
  EXPECT_EQ(entry(scene, "position", "dampratio")->what, Fate::used);
}

TEST(MjcfDrives, a_damping_ratio_and_a_range_are_inherited_from_the_class) {
  const Scene scene =
      robot("<default><position kp='50' dampratio='1' inheritrange='0.5'/></default>" +
            sliders("range='-1 3'", "<actuator><position joint='a'/><position joint='b' kv='7'/></actuator>"));
  EXPECT_NEAR(scene.model.controls[0].bias[2], -2 * std::sqrt(50 * 2.0), 1e-9);
  EXPECT_EQ(scene.model.controls[1].bias[2], -7);
  EXPECT_EQ(scene.model.controls[0].ctrl_lower, 0);
  EXPECT_EQ(scene.model.controls[0].ctrl_upper, 2);
}

// The diagonal of M counts: 5 kg. Numbers as MuJoCo 3.14 has them: stiffness 5/(0.1·0.5)², damping 2·5/0.1.
TEST(MjcfDrives, springdamper_gives_stiffness_and_damping) {
  const Scene scene = robot(sliders("springdamper='0.1 0.5'"));
  const JointExtras& extras = scene.model.extras_of(scene.model.joints[0]);
  EXPECT_NEAR(extras.stiffness, 2000, 1e-6);
  EXPECT_NEAR(extras.damping, 100, 1e-9);
}

TEST(MjcfDrives, inputs_are_filtered_and_integrated) {
  const Scene scene =
      robot(sliders("",
                    "<actuator><position joint='a' kp='5' timeconst='0.3'/><intvelocity joint='b' kp='2' "
                    "actrange='-1 1'/><cylinder joint='a' area='3' timeconst='0.2'/></actuator>"
                    "<keyframe><key name='k' ctrl='1 2 3' act='4 5 6'/></keyframe>"),
            {.keyframe = "k"});
  const std::vector<Control>& c = scene.model.controls;
  EXPECT_EQ(c[0].dynamics, Control::Dynamics::filter);
  EXPECT_EQ(c[0].time_constant, 0.3);
  EXPECT_EQ(c[1].dynamics, Control::Dynamics::integrator);
  EXPECT_EQ(c[1].act_upper, 1);
  EXPECT_EQ(c[2].gain[0], 3);
  EXPECT_THAT(scene.initial.activation, ::testing::ElementsAre(4, 5, 6));
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

TEST(MjcfDrives, a_motor_at_a_site_pushes_along_its_gear) {
  const Scene scene = robot(sliders("", "<actuator><motor site='top' gear='0 0 2 0 1 0'/></actuator>"));
  EXPECT_EQ(scene.model.sites[static_cast<std::size_t>(scene.model.controls[0].site)].name, "top");
  EXPECT_EQ(scene.model.controls[0].push[2], 2);
  EXPECT_EQ(scene.model.controls[0].push[4], 1);
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

TEST(MjcfDrives, fixed_tendons_have_springs_dead_bands_and_soft_stops) {
  const Scene scene =
      robot(sliders("",
                    "<tendon><fixed name='t' stiffness='4' damping='2' springlength='-1 1' range='-2 2'>"
                    "<joint joint='a' coef='1'/></fixed>"
                    "<fixed name='u' stiffness='4'><joint joint='b' coef='3'/></fixed></tendon>"));
  const Tendon& t = scene.model.tendons[0];
  EXPECT_EQ(t.stiffness, 4);
  EXPECT_EQ(t.damping, 2);
  EXPECT_EQ(t.rest, -1);
  EXPECT_EQ(t.rest_upper, 1);
  // m = 2 kg, T = 0.02 s, ζ = 1.
  EXPECT_NEAR(t.limit_stiffness, 2 / 4e-4, 1e-6);
  EXPECT_NEAR(t.limit_damping, 200, 1e-9);
  EXPECT_EQ(scene.model.tendons[1].rest, 0);
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

TEST(MjcfDrives, a_weld_holds_its_relative_pose) {
  const std::string free =
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody>";
  const Scene scene =
      robot(free + "<equality><weld body1='a' body2='b' relpose='0 0 0.5 1 0 0 0' anchor='0 0 0.1'/></equality>");
  const Joint& weld = scene.model.joints[0];
  EXPECT_NEAR(weld.anchor_a.z, 0.6, 1e-12);
  EXPECT_NEAR(weld.anchor_b.z, 0.1, 1e-12);
  EXPECT_FALSE(ignores_physics(scene.ledger));
}

// Two balls of 4.19 kg: A = 2/m along every axis; solref 0.02 1, solimp 0.9 0.95.
TEST(MjcfDrives, softness_is_compliance_and_relaxation) {
  const std::string free =
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body>"
      "<body name='b' pos='0 0 1'><freejoint/><geom size='.1' pos='0 0 0'/></body></worldbody>"
      "<equality><connect body1='a' body2='b' anchor='0 0 0'/></equality>";
  const Scene rigid = robot(free), soft = robot(free, {.mujoco_softness = true});
  EXPECT_EQ(rigid.model.extras_of(rigid.model.joints[0]).compliance, 0);
  const double m = 1000 * 4.0 / 3 * 3.14159265358979 * 1e-3, I = 0.4 * m * 0.01;
  // The point is b's own distance of 1 m from b: mobilities add up, 1/m + 1/m + 2/3 · 1²/I.
  const double A = 2 / m + 2.0 / 3 / I;
  const JointExtras& extras = soft.model.extras_of(soft.model.joints[0]);
  EXPECT_NEAR(extras.compliance, A * 0.05 * 4e-4, 1e-9 * A);
  EXPECT_NEAR(extras.relaxation, 0.04, 1e-12);
}

TEST(MjcfDrives, a_height_field_is_a_closed_surface_first_row_at_the_greatest_y) {
  const Scene scene = robot(
      "<asset><hfield name='h' nrow='2' ncol='3' size='3 1 2 0.5' elevation='5 5 5 1 1 3'/></asset>"
      "<worldbody><geom type='hfield' hfield='h'/><body pos='0 0 5'><freejoint/><geom size='.1'/></body></worldbody>");
  const Mesh& mesh = std::get<Mesh>(scene.model.ground_shapes[0].geometry);
  ASSERT_EQ(mesh.vertices.size(), 12u);
  double top = -9;
  for (const Vec3& v : mesh.vertices)
    if (v.y > 0) top = std::max(top, v.z);
  EXPECT_EQ(top, 2);
  EXPECT_EQ(mesh.vertices[2].z, 1);  // (3, −1): (3 − 1)/(5 − 1) of 2 m
  // Closed: its volume is the base's and what lies on it. Heights 0, 0, 1 along y = −1 and 2, 2, 2 along y = 1: left cell 6, right by
  // its two triangles 3·2/2·((0 + 1 + 2)/3 + (0 + 2 + 2)/3).
  const double volume = mass_properties(Geometry{mesh}, 1).mass;
  EXPECT_NEAR(volume, 6 * 2 * 0.5 + 6 + 3 * (1.0 + 4.0 / 3), 1e-9);
}

class Attached : public ::testing::Test {
 protected:
  Attached() : folder_(std::filesystem::temp_directory_path() / "catena_attached") {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "finger.xml")
        << "<mujoco><worldbody><body name='f'><joint name='j'/><geom size='.1'/><site name='tip'/></body>"
           "<body name='other'><joint name='k'/><geom size='.1'/></body></worldbody>"
           "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon>"
           "<actuator><motor name='m' joint='j'/><position name='p' tendon='t' kp='3'/><motor name='n' "
           "joint='k'/></actuator>"
           "<sensor><jointpos name='s' joint='j'/></sensor></mujoco>";
    std::ofstream(folder_ / "hand.xml")
        << "<mujoco><asset><model name='finger' file='finger.xml'/></asset><worldbody><body "
           "name='palm'><freejoint/><geom "
           "size='.2'/><attach model='finger' body='f' prefix='l_'/><frame pos='1 0 0'><attach model='finger' body='f' "
           "prefix='r_'/></frame></body></worldbody></mujoco>";
  }
  ~Attached() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(Attached, included_files_may_name_what_is_beside_them) {
  std::filesystem::create_directories(folder_ / "parts");
  std::ofstream(folder_ / "parts" / "cube.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder_ / "parts" / "assets.xml")
      << "<mujoco><asset><mesh file='cube.obj'/></asset><include file='body.xml'/></mujoco>";
  std::ofstream(folder_ / "parts" / "body.xml")
      << "<mujoco><worldbody><body><freejoint/><geom type='mesh' mesh='cube'/></body></worldbody></mujoco>";
  std::ofstream(folder_ / "main.xml") << "<mujoco><include file='parts/assets.xml'/></mujoco>";
  EXPECT_NEAR(import_robot(folder_ / "main.xml").model.bodies[0].mass, 1000.0 / 6, 1e-9);
}

TEST_F(Attached, models_bring_their_drives_along_and_what_is_about_others_is_said_to_be_left) {
  const Scene scene = import_robot(folder_ / "hand.xml");
  const Model& model = scene.model;
  ASSERT_EQ(model.bodies.size(), 3u);
  ASSERT_EQ(model.controls.size(), 4u);
  EXPECT_EQ(model.controls[0].name, "l_m");
  EXPECT_EQ(model.controls[3].name, "r_p");
  EXPECT_EQ(model.tendons[static_cast<std::size_t>(model.controls[3].tendon)].name, "r_t");
  ASSERT_EQ(model.sensors.size(), 2u);
  EXPECT_TRUE(std::any_of(scene.ledger.begin(), scene.ledger.end(), [](const LedgerEntry& e) {
    return e.element == "attach" && e.what == Fate::ignored && e.why.find("motor") != std::string::npos;
  }));
}

TEST(Urdf, a_transmission_s_reduction_is_the_gear_of_the_joint_s_control) {
  const Scene scene = import_robot_text(
      "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial></link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/><limit "
      "effort='30' velocity='1'/></joint><transmission name='t'><type>x</type><joint name='j'/><actuator "
      "name='m'><mechanicalReduction>-10</mechanicalReduction></actuator></transmission></robot>",
      "r.urdf");
  EXPECT_EQ(scene.model.controls[0].gear, -10);
  EXPECT_EQ(scene.model.controls[0].force_upper, 3);
}

TEST(Urdf, a_file_with_macros_says_how_to_expand_them) {
  for (const char* inside : {"<xacro:macro name='m'/>", "<link name='${p}base'/>"}) try {
      import_robot_text("<robot name='r' xmlns:xacro='x'>" + std::string(inside) + "</robot>", "r.urdf");
      FAIL();
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("xacro FILE > robot.urdf"));
    }
}

}  // namespace mjcf_drives_test
}  // namespace catena
