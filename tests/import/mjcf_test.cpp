// What MJCF means: the rules that importers get wrong, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "catena/import/import.h"
#include "catena/import/mjcf.h"
#include "catena/model/error.h"

namespace catena {
namespace mjcf_test {

using ::testing::HasSubstr;

Scene robot(const std::string& inside, const ImportOptions& options = {}) {
  return import_robot_text("<mujoco>" + inside + "</mujoco>", "robot.xml", ".", options);
}

std::string complaint(const std::string& text) {
  try {
    import_robot_text(text, "robot.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

const LedgerEntry* entry(const Scene& scene, const std::string& element, const std::string& attribute) {
  for (const LedgerEntry& e : scene.ledger)
    if (e.element == element && e.attribute == attribute) return &e;
  return nullptr;
}

constexpr double kRadian = std::numbers::pi / 180;
const std::string kBall = "<geom size='.1'/>";

TEST(Mjcf, angles_are_degrees_unless_the_compiler_says_radian) {
  const std::string world =
      "<worldbody><body><joint name='j' range='-90 45' axis='0 1 0'/>" + kBall + "</body></worldbody>";
  EXPECT_NEAR(robot(world).model.extras_of(robot(world).model.joints[0]).limits->upper, 45 * kRadian, 1e-15);
  const Scene radian = robot("<compiler angle='radian'/>" + world);
  EXPECT_EQ(radian.model.extras_of(radian.model.joints[0]).limits->upper, 45);
}

TEST(Mjcf, a_slide_s_range_is_never_in_degrees) {
  const Scene s = robot("<worldbody><body><joint type='slide' range='-1 2'/>" + kBall + "</body></worldbody>");
  EXPECT_EQ(s.model.joints[0].kind, JointKind::slider);
  EXPECT_EQ(s.model.extras_of(s.model.joints[0]).limits->upper, 2);
}

TEST(Mjcf, a_range_limits_by_itself_only_with_autolimits) {
  const std::string world = "<worldbody><body><joint range='-1 1'/>" + kBall + "</body></worldbody>";
  const Scene without = robot("<compiler autolimits='false'/>" + world);
  EXPECT_EQ(without.model.joints[0].extras, -1);
  const Scene with = robot(world);
  EXPECT_TRUE(with.model.extras_of(with.model.joints[0]).limits);
}

TEST(Mjcf, an_explicit_class_replaces_the_childclass_entirely) {
  const Scene s = robot(
      "<default><default class='a'><joint damping='2'/></default><default class='b'><joint "
      "armature='3'/></default></default>"
      "<worldbody><body childclass='a'><joint class='b'/>" +
      kBall + "<body><joint/>" + kBall + "</body></body></worldbody>");
  const JointExtras &first = s.model.extras_of(s.model.joints[0]), &second = s.model.extras_of(s.model.joints[1]);
  EXPECT_EQ(first.damping, 0);
  EXPECT_EQ(first.armature[0], 3);
  EXPECT_EQ(second.damping, 2);
}

TEST(Mjcf, nested_classes_inherit) {
  const Scene s = robot(
      "<default><joint damping='1'/><default class='a'><joint stiffness='2'/><default class='b'><joint "
      "damping='5'/></default></default></default>"
      "<worldbody><body><joint class='b'/>" +
      kBall + "</body></worldbody>");
  EXPECT_EQ(s.model.extras_of(s.model.joints[0]).damping, 5);
  EXPECT_EQ(s.model.extras_of(s.model.joints[0]).stiffness, 2);
}

TEST(Mjcf, several_joints_of_a_body_are_one_compound_joint_in_their_order) {
  const Scene s = robot(
      "<worldbody><body pos='0 0 1'><joint name='x' axis='1 0 0' pos='0 0 .1'/><joint name='y' axis='0 1 0' ref='10'/>"
      "<joint name='s' type='slide' axis='0 0 1'/>" +
      kBall + "</body></worldbody>");
  ASSERT_EQ(s.model.joints.size(), 1u);
  const Joint& joint = s.model.joints[0];
  ASSERT_EQ(joint.kind, JointKind::compound);
  ASSERT_EQ(joint.freedoms.size(), 3u);
  EXPECT_EQ(joint.freedoms[0].name, "x");
  EXPECT_TRUE(joint.freedoms[2].slides);
  EXPECT_NEAR(joint.freedoms[1].zero, 10 * kRadian, 1e-15);
}

// MuJoCo 2.3: sizes are half lengths; density 1000.
TEST(Mjcf, sizes_are_half_lengths) {
  const Scene s = robot("<worldbody><body><freejoint/><geom type='box' size='.1 .2 .3'/></body></worldbody>");
  EXPECT_NEAR(s.model.bodies[0].mass, 1000 * 0.2 * 0.4 * 0.6, 1e-12);
  EXPECT_EQ(std::get<Box>(s.model.bodies[0].shapes[0].geometry).sides.z, 0.6);
}

TEST(Mjcf, geoms_that_do_not_collide_weigh_all_the_same_and_groups_out_of_range_do_not) {
  const std::string geoms =
      "<geom size='.1' mass='1' contype='0' conaffinity='0'/><geom size='.1' mass='2' group='4'/>";
  const std::string world = "<worldbody><body><freejoint/>" + geoms + "</body></worldbody>";
  EXPECT_NEAR(robot(world).model.bodies[0].mass, 3, 1e-12);
  EXPECT_NEAR(robot("<compiler inertiagrouprange='0 3'/>" + world).model.bodies[0].mass, 1, 1e-12);
  EXPECT_FALSE(robot(world).model.bodies[0].shapes[0].collide);
}

TEST(Mjcf, an_inertial_wins_unless_inertiafromgeom_is_true) {
  const std::string world =
      "<worldbody><body><freejoint/><inertial pos='0 0 .5' mass='7' diaginertia='1 1 1'/><geom size='.1' "
      "mass='1'/></body></worldbody>";
  EXPECT_EQ(robot(world).model.bodies[0].mass, 7);
  EXPECT_NEAR(robot(world).initial.bodies[0].position.z, 0.5, 1e-15) << "a body's position is its centre of mass";
  EXPECT_NEAR(robot("<compiler inertiafromgeom='true'/>" + world).model.bodies[0].mass, 1, 1e-12);
}

TEST(Mjcf, masses_are_bounded_balanced_and_scaled_in_that_order) {
  const std::string world =
      "<worldbody><body><freejoint/><inertial pos='0 0 0' mass='.1' diaginertia='1 1 5'/></body></worldbody>";
  EXPECT_THAT(complaint("<mujoco>" + world + "</mujoco>"), HasSubstr("balanceinertia"));
  const Scene s = robot("<compiler boundmass='1' balanceinertia='true' settotalmass='2'/>" + world);
  EXPECT_NEAR(s.model.bodies[0].mass, 2, 1e-12);
  EXPECT_NEAR(s.model.bodies[0].inertia.xx, 2 * 7.0 / 3, 1e-12);
  EXPECT_NEAR(s.model.bodies[0].inertia.zz, 2 * 7.0 / 3, 1e-12);
}

TEST(Mjcf, frames_compose_and_vanish_and_replicas_are_numbered) {
  const Scene s =
      robot("<worldbody><replicate count='3' offset='1 0 0' sep='-'><frame pos='0 0 2'><body name='b'><freejoint/>" +
            kBall + "</body></frame></replicate></worldbody>");
  ASSERT_EQ(s.model.bodies.size(), 3u);
  EXPECT_EQ(s.model.bodies[2].name, "b-2");
  EXPECT_NEAR(s.initial.bodies[2].position.x, 2, 1e-15);
  EXPECT_NEAR(s.initial.bodies[2].position.z, 2, 1e-15);
}

TEST(Mjcf, euler_angles_follow_eulerseq) {
  const auto turned = [](const std::string& sequence) {
    const Scene s = robot("<compiler angle='radian' " + sequence + "/><worldbody><body euler='.3 .5 .7'><freejoint/>" +
                          kBall + "</body></worldbody>");
    return s.initial.bodies[0].orientation;
  };
  const Quat x = exp_rotation(Vec3{0.3, 0, 0}), y = exp_rotation(Vec3{0, 0.5, 0}), z = exp_rotation(Vec3{0, 0, 0.7});
  EXPECT_LE(norm(log_rotation(turned("") * (x * y * z).conjugate())), 1e-14) << "axes that turn along";
  EXPECT_LE(norm(log_rotation(turned("eulerseq='XYZ'") * (z * y * x).conjugate())), 1e-14) << "axes that stand";
}

TEST(Mjcf, bodies_without_a_joint_become_part_of_the_one_above_and_keep_a_site) {
  const Scene s = robot(
      "<worldbody><body name='a'><freejoint/><geom size='.1' mass='1'/><body name='head' pos='0 0 1'><geom size='.1' "
      "mass='1'/></body></body></worldbody>");
  ASSERT_EQ(s.model.bodies.size(), 1u);
  EXPECT_NEAR(s.model.bodies[0].mass, 2, 1e-12);
  EXPECT_NEAR(s.initial.bodies[0].position.z, 0.5, 1e-12);
  bool found = false;
  for (const Site& site : s.model.sites)
    found = found || (site.name == "head" && std::abs(site.position.z - 0.5) < 1e-12);
  EXPECT_TRUE(found);
}

TEST(Mjcf, equalities_are_exact_joints_and_couplings) {
  const Scene s = robot("<worldbody><body name='a'><joint name='ja' axis='0 1 0'/>" + kBall +
                        "<body name='c' pos='1 0 0'><joint name='jc' axis='0 1 0' ref='20'/>" + kBall +
                        "</body></body></worldbody><equality><connect body1='c' anchor='0 0 .5'/><joint joint1='ja' "
                        "joint2='jc' polycoef='0 2 0 1 0'/></equality>");
  ASSERT_EQ(s.model.joints.size(), 4u);
  EXPECT_EQ(s.model.joints[2].kind, JointKind::ball);
  ASSERT_EQ(s.model.joints[3].kind, JointKind::coupling);
  const CouplingRow& row = s.model.extras_of(s.model.joints[3]).rows[0];
  EXPECT_EQ(row.coordinates[1].polynomial[1], -2);
  EXPECT_EQ(row.coordinates[1].polynomial[3], -1);
  EXPECT_NEAR(row.coordinates[1].reference, 20 * kRadian, 1e-15);
}

TEST(Mjcf, position_actuators_are_servos_and_gears_count_squared) {
  const Scene s =
      robot("<worldbody><body><joint name='j'/>" + kBall +
            "</body></worldbody><actuator><position joint='j' kp='10' kv='1' gear='3' forcerange='-4 4'/></actuator>");
  ASSERT_EQ(s.model.actuators.size(), 1u);
  EXPECT_EQ(s.model.actuators[0].kind, Actuator::Kind::position);
  EXPECT_NEAR(s.model.actuators[0].kp, 90, 1e-12);
  EXPECT_NEAR(s.model.actuators[0].kv, 9, 1e-12);
  EXPECT_NEAR(s.model.actuators[0].limit, 12, 1e-12);
}

TEST(Mjcf, a_general_actuator_inherits_gain_and_bias_of_its_class) {
  const Scene s = robot(
      "<default><default class='servo'><position kp='10' kv='2'/></default></default><worldbody><body><joint "
      "name='j'/>" +
      kBall +
      "</body></worldbody><actuator><general class='servo' joint='j' gainprm='20' biasprm='0 -20 -2'/></actuator>");
  EXPECT_NEAR(s.model.actuators[0].kp, 20, 1e-12);
  EXPECT_NEAR(s.model.actuators[0].kv, 2, 1e-12);
}

TEST(Mjcf, keyframes_place_the_bodies_and_set_the_inputs) {
  const Scene s = robot(
      "<worldbody><body name='b' pos='0 0 1'><joint name='j' axis='0 1 0'/><geom type='sphere' size='.1' pos='1 0 "
      "0'/></body></worldbody>"
      "<actuator><motor joint='j' gear='2'/></actuator><keyframe><key name='up' qpos='1.5707963267948966' "
      "ctrl='3'/></keyframe>",
      {.keyframe = "up"});
  EXPECT_NEAR(s.initial.bodies[0].position.x, 0, 1e-12);
  EXPECT_NEAR(s.initial.bodies[0].position.z, 0, 1e-12);
  EXPECT_NEAR(std::get<Constant>(s.model.actuators[0].signal).value, 6, 1e-12);
  EXPECT_NEAR(s.model.extras_of(s.model.joints[0]).start[0], std::numbers::pi / 2, 1e-12);
}

TEST(Mjcf, contacts_follow_masks_exclusions_and_the_larger_friction) {
  const Scene s = robot(
      "<worldbody><geom type='plane' size='1 1 1' friction='.2'/><body name='a'><freejoint/><geom size='.1' "
      "contype='2' conaffinity='4' condim='1'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/>" +
      kBall + "</body></worldbody><contact><exclude body1='a' body2='b'/></contact>");
  EXPECT_EQ(s.model.bodies[0].shapes[0].category, 2u);
  EXPECT_EQ(s.model.bodies[0].shapes[0].mask, 4u);
  EXPECT_EQ(s.model.collide_exclude.size(), 1u);
  EXPECT_TRUE(s.model.collide_jointed_ground);
  EXPECT_FALSE(s.model.materials[static_cast<std::size_t>(s.model.bodies[0].shapes[0].material)].slides_with_friction);
  EXPECT_TRUE(s.model.materials[static_cast<std::size_t>(s.model.bodies[1].shapes[0].material)].combine_by_maximum);
}

TEST(Mjcf, gravity_compensation_carries_the_body) {
  const Scene s = robot("<worldbody><body gravcomp='1'><freejoint/><geom size='.1' mass='2'/></body></worldbody>");
  ASSERT_EQ(s.model.forces.size(), 1u);
  EXPECT_NEAR(s.model.forces[0].force.z, 2 * 9.81, 1e-12);
}

TEST(Mjcf, nothing_is_dropped_in_silence) {
  const Scene s = robot(
      "<worldbody><body><freejoint/><geom size='.1' solref='.01 1' nonsense='3'/><camera "
      "name='eye'/><wheel/></body></worldbody>"
      "<tendon><spatial stiffness='3'/></tendon><sensor><gyro site='s'/></sensor>");
  ASSERT_TRUE(entry(s, "geom", "nonsense"));
  EXPECT_EQ(entry(s, "geom", "nonsense")->what, Fate::ignored);
  EXPECT_EQ(entry(s, "geom", "solref")->what, Fate::approximated);
  EXPECT_EQ(entry(s, "geom", "size")->what, Fate::used);
  EXPECT_EQ(entry(s, "camera", "")->what, Fate::ignored);
  EXPECT_FALSE(entry(s, "camera", "")->physics);
  EXPECT_EQ(entry(s, "wheel", "")->what, Fate::ignored);
  EXPECT_EQ(entry(s, "spatial", "")->what, Fate::ignored);
  EXPECT_TRUE(entry(s, "spatial", "")->physics);
  EXPECT_EQ(entry(s, "compiler", "angle")->what, Fate::defaulted);
  EXPECT_EQ(s.model.sensors.size(), 1u);
  EXPECT_TRUE(ignores_physics(s.ledger));
  EXPECT_FALSE(ignores_physics(robot("<worldbody><body><freejoint/>" + kBall + "</body></worldbody>").ledger));
}

TEST(Mjcf, a_mesh_that_is_missing_warns_where_it_is_looked_at_and_fails_where_it_collides) {
  const std::string asset = "<asset><mesh name='m' file='not_there.stl'/></asset>";
  const auto world = [](const std::string& more) {
    return "<worldbody><body><freejoint/>" + kBall + "<geom type='mesh' mesh='m' " + more + "/></body></worldbody>";
  };
  const Scene looked_at = robot(asset + world("contype='0' conaffinity='0'"));
  ASSERT_EQ(looked_at.warnings.size(), 1u);
  EXPECT_THAT(looked_at.warnings[0], HasSubstr("not_there.stl"));
  EXPECT_THAT(complaint("<mujoco>" + asset + world("") + "</mujoco>"), HasSubstr("--missing-meshes skip"));
  EXPECT_EQ(robot(asset + world(""), {.missing_meshes = true}).model.bodies[0].shapes.size(), 1u);
}

TEST(Mjcf, wrong_files_say_where_and_what) {
  EXPECT_THAT(complaint("<mujoco>\n<worldbody>\n<body><joint type='wheel'/></body></worldbody></mujoco>"),
              HasSubstr("robot.xml:3:7: type"));
  EXPECT_THAT(complaint("<mujoco><worldbody><body pos='0 nan 0'><freejoint/></body></worldbody></mujoco>"),
              HasSubstr("'nan' is not a finite number"));
  EXPECT_THAT(complaint("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>"), HasSubstr("no mass"));
  EXPECT_THAT(complaint("<mujoco><worldbody/></mujoco>"), HasSubstr("nothing in it moves"));
  EXPECT_THAT(complaint("<mujoco><worldbody>"), HasSubstr("well-formed"));
  EXPECT_THAT(complaint("<html/>"), HasSubstr("MJCF"));
}

TEST(Mjcf, hostile_files_are_refused_in_bounded_memory) {
  EXPECT_THAT(complaint("<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]><mujoco>&lol2;</mujoco>"),
              HasSubstr("entities"));
  std::string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 100000; ++i) deep += "<body>";
  EXPECT_THAT(complaint(deep), HasSubstr("nested more than"));
  std::string replicas = "<mujoco><worldbody>";
  for (int i = 0; i < 5; ++i) replicas += "<replicate count='1000'>";
  replicas += "<body><freejoint/><geom size='.1'/></body>";
  for (int i = 0; i < 5; ++i) replicas += "</replicate>";
  EXPECT_THAT(complaint(replicas + "</worldbody></mujoco>"), HasSubstr("more than"));
  XmlLimits small;
  small.bytes = 10;
  EXPECT_THROW(parse_xml("<mujoco></mujoco>", "x", ".", "", small), InputError);
}

}  // namespace mjcf_test
}  // namespace catena
