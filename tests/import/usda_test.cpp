// The physics subset of USD text, against the same robot as a scene and against what the schema says.
#include "catena/import/usda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <map>
#include <numbers>

#include "catena/import/import.h"
#include "catena/model/placement.h"
#include "catena/scene/scene.h"
#include "catena/simulation/joint_dynamics.h"
#include "source_dir.h"

namespace catena {
namespace usda_test {

using ::testing::HasSubstr;

const std::string kHead = "#usda 1.0\n(\n metersPerUnit = 1\n upAxis = \"Z\"\n)\n";

std::string body(const std::string& name, const std::string& inside = "") {
  return "def Xform \"" + name +
         "\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"])\n{\n float physics:mass = 2\n"
         " float3 physics:diagonalInertia = (0.1, 0.2, 0.25)\n" +
         inside + "}\n";
}
std::string complaint(const std::string& text) {
  try {
    import_robot_text(text, "robot.usda");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

// The same robot by two ways: single precision in the file (6e-8), and axes made parallel there.
TEST(Usda, DR_Legs_has_the_mass_matrix_of_the_scene_that_was_made_from_it) {
  Scene usd = import_robot(source_dir() + "/tests/data/usd/dr_legs_no_meshes.usda");
  const Scene yaml = load(source_dir() + "/tests/data/loops/dr_legs_hang.yaml");
  ASSERT_EQ(usd.model.bodies.size(), 31u);
  ASSERT_EQ(usd.model.joints.size(), 36u);
  EXPECT_EQ(usd.model.actuators.size(), 12u);
  for (JointExtras& e : usd.model.extras) e.armature = {};
  append_joint(usd.model, usd.initial, {.name = "weld_pelvis", .kind = JointKind::weld}, kGround,
               usd.model.body("pelvis"));
  usd.joint_places.clear();
  usd.model.actuators.clear();
  // In the order of the scene, which decides what joints close the loops.
  std::vector<Joint> ordered;
  int loops = 0;
  for (const Joint& joint : yaml.model.joints) {
    ordered.push_back(usd.model.joints[usd.model.joint(joint.name)]);
    ordered.back().index = static_cast<int>(ordered.size()) - 1;
    loops += !ordered.back().primary;
    ordered.back().primary = true;  // the scene leaves the choice to the solver
  }
  ASSERT_EQ(ordered.size(), usd.model.joints.size());
  EXPECT_EQ(loops, 6) << "physics:excludeFromArticulation";
  usd.model.joints = ordered;
  const Simulation a(usd), b(yaml);
  const Eigen::MatrixXd M = JointDynamics(a).mass_matrix(), N = JointDynamics(b).mass_matrix();
  ASSERT_EQ(M.rows(), N.rows());
  int compared = 0;
  std::vector<std::pair<int, int>> at;
  for (std::size_t j = 0; j < usd.model.joints.size(); ++j) {
    const Layout::Slot one = a.layout().of(JointId{j}), two = b.layout().of(yaml.model.joint(usd.model.joints[j].name));
    ASSERT_EQ(one.n_v, two.n_v);
    if (one.n_v == 0) continue;  // the weld
    ASSERT_EQ(one.v < a.layout().n_v(), two.v < b.layout().n_v())
        << usd.model.joints[j].name << " must be of the forest in both";
    for (int k = 0; k < one.n_v && one.v < a.layout().n_v(); ++k) at.emplace_back(one.v + k, two.v + k);
  }
  for (const auto& [i, k] : at)
    for (const auto& [m, n] : at) EXPECT_NEAR(M(i, m), N(k, n), 2e-6 * N.diagonal().maxCoeff()) << ++compared;
  EXPECT_EQ(at.size(), 30u);
}

TEST(Usda, DR_Legs_has_its_drives_limits_and_rotors) {
  const Scene s = import_robot(source_dir() + "/tests/data/usd/dr_legs_no_meshes.usda");
  const JointId id = s.model.joint("j1_l_i");
  const JointExtras& e = s.model.extras_of(s.model.joints[id]);
  EXPECT_NEAR(e.armature[0], 0.01048, 1e-12);
  EXPECT_NEAR(e.limits->upper, 20.000008 * std::numbers::pi / 180, 1e-12);
  EXPECT_NEAR(s.model.actuators[0].kp, 5, 1e-6) << "0.0873 N m a degree";
  EXPECT_NEAR(s.model.actuators[0].kv, 0.2, 1e-6);
  EXPECT_FALSE(ignores_physics(s.ledger));
}

TEST(Usda, a_mechanism_with_every_kind_of_joint_is_closed) {
  const Scene s = import_robot(source_dir() + "/tests/data/usd/dr_testmech.usda");
  EXPECT_EQ(s.model.bodies.size(), 10u);
  const Simulation simulation(s);
  EXPECT_LE(simulation.drift().position, 1e-6);
}

TEST(Usda, masses_inertias_places_and_velocities_are_taken) {
  const Scene s = import_robot_text(
      kHead +
          body(
              "a",
              " point3f physics:centerOfMass = (0, 0, 0.5)\n quatf physics:principalAxes = (0.70710678118654757, 0, 0, "
              "0.70710678118654757)\n double3 xformOp:translate = (1, 2, 3)\n float3 xformOp:rotateXYZ = (0, 90, 0)\n"
              " uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateXYZ\"]\n"
              " vector3f physics:angularVelocity = (0, 0, 180)\n"),
      "robot.usda");
  ASSERT_EQ(s.model.bodies.size(), 1u);
  EXPECT_LE(norm(s.initial.bodies[0].position - Vec3{1.5, 2, 3}), 1e-12);
  EXPECT_NEAR(s.model.bodies[0].inertia.xx, 0.2, 1e-12);
  EXPECT_NEAR(s.initial.bodies[0].angular_velocity.z, std::numbers::pi, 1e-12);
  EXPECT_NEAR(s.model.gravity.z, -9.81, 0);
}

TEST(Usda, units_of_length_and_mass_are_those_of_the_file) {
  const Scene s = import_robot_text(
      "#usda 1.0\n( metersPerUnit = 0.01\n kilogramsPerUnit = 0.001 )\n" +
          body("a",
               " double3 xformOp:translate = (100, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"),
      "robot.usda");
  EXPECT_NEAR(s.initial.bodies[0].position.x, 1, 1e-12);
  EXPECT_NEAR(s.model.bodies[0].mass, 0.002, 1e-15);
  EXPECT_NEAR(s.model.bodies[0].inertia.yy, 0.2 * 1e-3 * 1e-4, 1e-18);
  EXPECT_NEAR(s.model.gravity.y, -9.81, 0) << "up is Y where nothing is said";
}

TEST(Usda, shapes_collide_where_they_have_the_API_and_weigh_where_no_mass_is_given) {
  const Scene s = import_robot_text(
      kHead +
          "def Xform \"a\" (prepend apiSchemas = [\"PhysicsRigidBodyAPI\"])\n{\n def Cube \"c\" (prepend apiSchemas = "
          "[\"PhysicsCollisionAPI\"])\n {\n double size = 1\n float3 xformOp:scale = (0.1, 0.2, 0.3)\n uniform token[] "
          "xformOpOrder = "
          "[\"xformOp:scale\"]\n }\n def Sphere \"looks\" { double radius = 5 }\n}\n",
      "robot.usda");
  ASSERT_EQ(s.model.bodies[0].shapes.size(), 2u);
  EXPECT_TRUE(s.model.bodies[0].shapes[0].collide);
  EXPECT_FALSE(s.model.bodies[0].shapes[1].collide);
  EXPECT_NEAR(s.model.bodies[0].mass, 1000 * 0.1 * 0.2 * 0.3, 1e-12);
}

TEST(Usda, bad_files_are_refused_with_their_line) {
  EXPECT_THAT(complaint("#usda 1.0\n" + body("a").substr(0, 40)), HasSubstr("robot.usda:2:"));
  EXPECT_THAT(complaint(kHead), HasSubstr("nothing in it moves"));
  EXPECT_THAT(
      complaint(
          kHead +
          body("a",
               " double3 xformOp:translate = (nan, 0, 0)\n uniform token[] xformOpOrder = [\"xformOp:translate\"]\n")),
      HasSubstr("not a finite number"));
  EXPECT_THAT(complaint(kHead + body("a") +
                        "def PhysicsRevoluteJoint \"j\" { rel physics:body0 = </nobody>\n rel physics:body1 = </a> }"),
              HasSubstr("no prim </nobody>"));
  std::string deep = kHead, brackets = kHead + "def Xform \"a\" { float x = ";
  for (int i = 0; i < 100000; ++i) deep += "def Xform \"a\" {", brackets += "(";
  EXPECT_THAT(complaint(deep), HasSubstr("nested more than"));
  EXPECT_THAT(complaint(brackets), HasSubstr("nested more than"));
}

}  // namespace usda_test
}  // namespace catena
