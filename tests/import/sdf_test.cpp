// What SDF means, one rule a test.
#include "catena/import/sdf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "catena/import/import.h"
#include "catena/model/error.h"
#include "catena/simulation/joint_dynamics.h"

namespace catena {
namespace sdf_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

Scene model(const std::string& inside, const std::string& attributes = "") {
  return import_robot_text("<sdf version='1.9'><model name='m' " + attributes + ">" + inside + "</model></sdf>",
                           "model.sdf");
}
std::string complaint(const std::string& text) {
  try {
    import_robot_text(text, "model.sdf");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

std::string link(const std::string& name, const std::string& pose = "", const std::string& more = "") {
  return "<link name='" + name + "'>" + (pose.empty() ? "" : "<pose>" + pose + "</pose>") +
         "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>" + more +
         "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" + child + "</child>" +
         more + "</joint>";
}

Vec3 world_axis(const Scene& s, std::size_t j) {
  const Joint& joint = s.model.joints[j];
  const Quat q = joint.a.valid() ? s.initial.bodies[joint.a].orientation : Quat{};
  return rotate(q * joint.frame_a, Vec3{0, 0, 1});
}

TEST(Sdf, links_float_and_joints_hold_them_where_the_child_stands) {
  const Scene s =
      model(link("a", "0 0 1 0 0 0") + joint("j", "revolute", "world", "a", "<axis><xyz>0 1 0</xyz></axis>"));
  ASSERT_EQ(s.model.joints.size(), 1u);
  EXPECT_EQ(s.model.joints[0].kind, JointKind::hinge);
  EXPECT_NEAR(s.model.joints[0].anchor_a.z, 1, 1e-15);
  EXPECT_NEAR(world_axis(s, 0).y, 1, 1e-15);
}

TEST(Sdf, poses_are_relative_to_the_frames_they_name) {
  const Scene s = model("<frame name='f' attached_to='a'><pose>1 0 0 0 0 1.5707963267948966</pose></frame>" +
                        link("a", "0 0 1 0 0 0") + "<link name='b'><pose relative_to='f'>1 0 0 0 0 0</pose></link>");
  EXPECT_LE(norm(s.initial.bodies[1].position - Vec3{1, 1, 1}), 1e-12);
  const Scene degrees =
      model(link("a") + "<link name='b'><pose degrees='true' relative_to='a'>0 0 0 0 0 90</pose></link>");
  EXPECT_NEAR(degrees.initial.bodies[1].orientation.z, std::sqrt(0.5), 1e-12);
  EXPECT_THAT(
      complaint("<sdf version='1.9'><model name='m'><link name='a'><pose relative_to='b'/></link><link name='b'><pose "
                "relative_to='a'/></link></model></sdf>"),
      HasSubstr("depends on itself"));
}

TEST(Sdf, axes_are_in_the_frame_of_the_joint_or_the_one_they_name) {
  const std::string pose = "<pose>0 0 0 0 0 1.5707963267948966</pose>";
  EXPECT_NEAR(
      world_axis(model(link("a") + joint("j", "revolute", "world", "a", pose + "<axis><xyz>1 0 0</xyz></axis>")), 0).y,
      1, 1e-12);
  EXPECT_NEAR(world_axis(model(link("a") + joint("j", "revolute", "world", "a",
                                                 pose + "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>")),
                         0)
                  .x,
              1, 1e-12);
}

TEST(Sdf, fixed_joints_make_one_body_and_static_models_the_ground) {
  const Scene s = model(link("a") + link("b", "1 0 0 0 0 0") + joint("j", "fixed", "a", "b"));
  ASSERT_EQ(s.model.bodies.size(), 1u);
  EXPECT_NEAR(s.model.bodies[0].mass, 4, 1e-15);
  EXPECT_NEAR(s.initial.bodies[0].position.x, 0.5, 1e-15);
  EXPECT_NEAR(s.model.bodies[0].inertia.yy, 0.2 + 4 * 0.25, 1e-12);
  const std::string floor =
      "<sdf version='1.9'><world name='w'><model name='floor'><static>true</static><link name='l'><collision "
      "name='c'><geometry><plane/>"
      "</geometry></collision></link></model><model name='m'>" +
      link("a") + "</model></world></sdf>";
  const Scene world = import_robot_text(floor, "floor.world");
  EXPECT_EQ(world.model.ground_shapes.size(), 1u);
  EXPECT_EQ(world.model.bodies[0].name, "m::a");
  EXPECT_NEAR(world.model.gravity.z, -9.8, 0) << "SDF's own";
}

TEST(Sdf, a_four_bar_is_a_loop_of_four_hinges) {
  const std::string y = "<axis><xyz>0 1 0</xyz></axis>";
  const Scene s = model(link("a", "0 0 .5 0 0 0") + link("b", ".5 0 1 0 0 0") + link("c", "1 0 .5 0 0 0") +
                        joint("1", "revolute", "world", "a", "<pose>0 0 -.5 0 0 0</pose>" + y) +
                        joint("2", "revolute", "a", "b", "<pose>-.5 0 0 0 0 0</pose>" + y) +
                        joint("3", "revolute", "b", "c", "<pose>0 0 .5 0 0 0</pose>" + y) +
                        joint("4", "revolute", "world", "c", "<pose>0 0 -.5 0 0 0</pose>" + y));
  const Simulation simulation(s);
  const JointDynamics dynamics(simulation);
  EXPECT_EQ(dynamics.n_v(), 3);
  EXPECT_EQ(Eigen::FullPivLU<Eigen::MatrixXd>(dynamics.constraint_jacobian()).rank(), 2) << "one freedom is left";
}

TEST(Sdf, every_kind_of_joint_leaves_its_freedoms) {
  const auto freedoms = [](const std::string& type, const std::string& more) {
    const Simulation simulation(model(link("a") + joint("j", type, "world", "a", more)));
    const JointDynamics dynamics(simulation);
    const Eigen::MatrixXd G = dynamics.constraint_jacobian();
    return dynamics.n_v() - (G.rows() > 0 ? static_cast<int>(Eigen::FullPivLU<Eigen::MatrixXd>(G).rank()) : 0);
  };
  const std::string x = "<axis><xyz>1 0 0</xyz></axis>", y = "<axis2><xyz>0 1 0</xyz></axis2>";
  EXPECT_EQ(freedoms("revolute", x), 1);
  EXPECT_EQ(freedoms("continuous", x), 1);
  EXPECT_EQ(freedoms("prismatic", x), 1);
  EXPECT_EQ(freedoms("ball", ""), 3);
  EXPECT_EQ(freedoms("universal", x + y), 2);
  EXPECT_EQ(freedoms("revolute2", x + y), 2);
  EXPECT_EQ(freedoms("screw", x + "<screw_thread_pitch>0.01</screw_thread_pitch>"), 1);
}

TEST(Sdf, a_screw_moves_its_pitch_in_a_turn_and_old_pitches_are_radians_a_metre_the_other_way_round) {
  const auto pitch = [](const std::string& text) {
    return model(link("a") + joint("j", "screw", "world", "a", "<axis><xyz>1 0 0</xyz></axis>" + text))
        .model.joints[0]
        .parameter;
  };
  EXPECT_NEAR(pitch("<screw_thread_pitch>0.5</screw_thread_pitch>"), 0.5 / (2 * std::numbers::pi), 1e-15);
  EXPECT_NEAR(pitch("<thread_pitch>-10</thread_pitch>"), 0.1, 1e-15);
}

TEST(Sdf, a_gearbox_turns_the_other_way_by_its_ratio) {
  const std::string z = "<axis><xyz>0 0 1</xyz></axis>";
  Scene s = model(link("a") + link("b", "1 0 0 0 0 0") + joint("ja", "revolute", "world", "a", z) +
                  joint("jb", "revolute", "world", "b", z) +
                  joint("g", "gearbox", "a", "b",
                        z + "<axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>"
                            "<gearbox_reference_body>world</gearbox_reference_body>"));
  const Simulation simulation(s);
  const Eigen::MatrixXd G = JointDynamics(simulation).constraint_jacobian();
  ASSERT_EQ(G.rows(), 1);
  EXPECT_NEAR(G(0, 0) / G(0, 1), 3, 1e-12) << "3 w_a + w_b = 0";
}

TEST(Sdf, limits_dynamics_efforts_and_mimics_are_taken) {
  const std::string z = "<xyz>0 0 1</xyz>";
  const Scene s = model(link("a") + link("b") +
                        joint("ja", "revolute", "world", "a",
                              "<axis>" + z +
                                  "<limit><lower>-1</lower><upper>2</upper><effort>5</effort></limit>"
                                  "<dynamics><damping>.1</damping><friction>.2</friction><spring_stiffness>3</"
                                  "spring_stiffness></dynamics></axis>") +
                        joint("jb", "revolute", "world", "b",
                              "<axis>" + z + "<mimic joint='ja'><multiplier>2</multiplier></mimic></axis>"));
  const JointExtras& e = s.model.extras_of(s.model.joints[0]);
  EXPECT_EQ(e.limits->upper, 2);
  EXPECT_EQ(e.damping, 0.1);
  EXPECT_EQ(e.friction, 0.2);
  EXPECT_EQ(e.stiffness, 3);
  EXPECT_EQ(s.model.controls[0].force_upper, 5);
  ASSERT_EQ(s.model.joints.size(), 3u);
  EXPECT_EQ(s.model.extras_of(s.model.joints[2]).rows[0].coordinates[1].polynomial[1], -2);
}

TEST(Sdf, links_of_a_model_touch_each_other_only_where_it_says_so) {
  const std::string two = link("a") + link("b");
  EXPECT_NE(model(two).model.bodies[0].collide_group, 0);
  EXPECT_EQ(model(two + "<self_collide>true</self_collide>").model.bodies[0].collide_group, 0);
}

class SdfFiles : public ::testing::Test {
 protected:
  SdfFiles() : folder_(fs::temp_directory_path() / ("catena_sdf_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~SdfFiles() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

TEST_F(SdfFiles, models_are_included_by_path_with_a_name_and_pose_of_their_own) {
  write("wheel/model.sdf", "<sdf version='1.9'><model name='wheel'>" + link("rim") + "</model></sdf>");
  const fs::path file = write(
      "car.sdf", "<sdf version='1.9'><model name='car'>" + link("body") +
                     "<include><uri>wheel</uri><name>left</name><pose>0 1 0 0 0 0</pose></include>"
                     "<include><uri>model://wheel</uri><name>right</name><pose>0 -1 0 0 0 0</pose></include>" +
                     joint("l", "revolute", "body", "left::rim", "<axis><xyz>0 1 0</xyz></axis>") + "</model></sdf>");
  const Scene s = import_robot(file, {.packages = {{"wheel", (folder_ / "wheel").string()}}});
  ASSERT_EQ(s.model.bodies.size(), 3u);
  EXPECT_EQ(s.model.bodies[1].name, "left::rim");
  EXPECT_NEAR(s.initial.bodies[2].position.y, -1, 1e-15);
}

TEST_F(SdfFiles, a_model_that_includes_itself_is_refused) {
  const fs::path file = write(
      "a.sdf", "<sdf version='1.9'><model name='a'>" + link("l") + "<include><uri>a.sdf</uri></include></model></sdf>");
  try {
    import_robot(file);
    FAIL() << "was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("includes itself"));
  }
}

TEST(Sdf, bad_files_are_refused_with_their_line) {
  const std::string head = "<sdf version='1.9'><model name='m'>", tail = "</model></sdf>";
  EXPECT_THAT(complaint("<sdf version='1.9'/>"), HasSubstr("has no model"));
  EXPECT_THAT(complaint(head + tail), HasSubstr("has no link"));
  EXPECT_THAT(complaint(head + "<link name='a'><pose>0 0 nan 0 0 0</pose></link>" + tail),
              HasSubstr("not a finite number"));
  EXPECT_THAT(complaint(head + "<link name='a'/><link name='a'/>" + tail), HasSubstr("is taken"));
  EXPECT_THAT(complaint(head + link("a") + joint("j", "revolute", "nobody", "a") + tail),
              HasSubstr("no link, joint, frame or model 'nobody'"));
  EXPECT_THAT(complaint(head + link("a") + joint("j", "rubber", "world", "a") + tail), HasSubstr("type 'rubber'"));
  EXPECT_THAT(complaint(head + "<link name='a'><inertial><mass>-1</mass></inertial></link>" + tail),
              HasSubstr("must be positive"));
  EXPECT_THAT(complaint("<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]>" + head + "&b;" + tail),
              HasSubstr("entities"));
  std::string deep = head;
  for (int i = 0; i < 100000; ++i) deep += "<model name='m'>";
  EXPECT_THAT(complaint(deep), HasSubstr("nested more than"));
  EXPECT_THAT(complaint(head + "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>" + link("a") +
                        joint("j", "revolute", "world", "f") + tail),
              HasSubstr("itself"));
}

}  // namespace sdf_test
}  // namespace catena
