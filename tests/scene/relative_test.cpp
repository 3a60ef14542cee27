// Points and directions in the frames of bodies and sites; colours, masks, curves, carriers, tendons.
#include <gmock/gmock.h>

#include <cmath>

#include "scene/scene_testing.h"

namespace catena {
namespace relative_test {

using ::testing::HasSubstr;

const std::string kTurned =
    "bodies:\n"
    "  a: {mass: 1, inertia: 1, position: [1, 2, 3], orientation: {axis: [0, 0, 1], angle: 90 deg}}\n"
    "  b: {mass: 1, inertia: 1, position: [1, 4, 3]}\n";

TEST(Relative, points_and_axes_of_a_body_turn_with_it) {
  const Scene scene =
      load_ok(kTurned +
              "joints: {j: {kind: hinge, between: [a, b], anchor: {body: a, at: [1, 0, 0]}, axis: {body: a, direction: "
              "[0, 1, 0]}}}\n");
  const Joint& joint = scene.model.joints[0];
  expect_near(joint.anchor_a, {1, 0, 0});
  expect_near(joint.anchor_b, {0, -1, 0});
  expect_near(rotate(joint.frame_b, Vec3{0, 0, 1}), {-1, 0, 0});
}

TEST(Relative, sites_give_points_to_joints_freedoms_and_springs) {
  const Scene scene = load_ok(kTurned +
                              "sites: {s: {body: a, at: [0, 1, 0]}}\n"
                              "joints: {j: {kind: compound, between: [a, b], freedoms: [{hinge: {site: s, direction: "
                              "[1, 0, 0]}, anchor: {site: "
                              "s}}]}}\n"
                              "springs: [{between: [a, ground], anchors: [{site: s}, [0, 0, 0]], stiffness: 1}]\n");
  expect_near(scene.model.springs[0].anchor_a, {0, 1, 0});
  EXPECT_DOUBLE_EQ(scene.model.springs[0].length, std::sqrt(13.0));  // the site is at (0, 2, 3)
  ASSERT_EQ(scene.model.joints[0].freedoms.size(), 1u);
  expect_near(scene.model.joints[0].anchor_a, {0, 1, 0});
}

TEST(Relative, unknown_frames_are_refused_with_their_place) {
  const std::string joint = "joints: {j: {kind: ball, between: [a, b], anchor: ";
  EXPECT_THAT(error_of(kTurned + joint + "{site: x}}}\n"), HasSubstr("s.yaml:4:"));
  EXPECT_THAT(error_of(kTurned + joint + "{site: x}}}\n"), HasSubstr("no site 'x'"));
  EXPECT_THAT(error_of(kTurned + joint + "{at: [0, 0, 0]}}}\n"), HasSubstr("a body: or a site: is expected"));
}

TEST(Shapes, have_colours_masks_and_ellipsoids) {
  const Scene scene = load_ok(
      "bodies: {e: {mass: 1, inertia: 1, shapes: [{ellipsoid: [1, 2, 3], color: [1, 0.5, 0], category: 2, mask: "
      "5}]}}\n");
  const Shape& shape = scene.model.bodies[0].shapes[0];
  EXPECT_EQ((*shape.color)[1], 0.5f);
  EXPECT_EQ((*shape.color)[3], 1.0f);
  EXPECT_EQ(shape.category, 2u);
  EXPECT_EQ(shape.mask, 5u);
  for (const Vec3& p : std::get<Hull>(shape.geometry).points)
    EXPECT_NEAR(p.x * p.x + p.y * p.y / 4 + p.z * p.z / 9, 1, 1e-12);
  EXPECT_THAT(error_of("bodies: {e: {mass: 1, inertia: 1, shapes: [{sphere: 1, color: [2, 0, 0]}]}}\n"),
              HasSubstr("between 0 and 1"));
}

TEST(Curves, are_polynomials_or_tables_of_the_stretch) {
  SpringCurve cubic;
  cubic.polynomial = {2, 0, 4};
  EXPECT_EQ(cubic.tension(0.5), 1.5);
  EXPECT_EQ(cubic.slope(0.5), 5);
  EXPECT_EQ(cubic.energy(0.5), 0.25 + 0.0625);
  SpringCurve table;
  table.stretches = {-1, 0.5, 1};
  table.tensions = {-2, 0, 3};
  EXPECT_DOUBLE_EQ(table.tension(0.75), 1.5);
  EXPECT_DOUBLE_EQ(table.tension(2), 9);    // the last line goes on
  EXPECT_DOUBLE_EQ(table.tension(-4), -6);  // and so does the first
  EXPECT_DOUBLE_EQ(table.energy(0), 0);
  // The energy's slope is the tension, across the points of the table as well.
  for (const double x : {-2.0, -0.3, 0.2, 0.7, 1.5})
    EXPECT_NEAR((table.energy(x + 1e-6) - table.energy(x - 1e-6)) / 2e-6, table.tension(x), 1e-8);
}

TEST(Curves, stand_in_joints_and_springs_instead_of_a_stiffness) {
  const std::string joint = "joints: {j: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1], ";
  const Scene scene = load_ok(kArm + joint + "spring: {polynomial: [3, 0, 1]}, rest: 0.5}}\n");
  const Joint& hinge = scene.model.joints[0];
  EXPECT_DOUBLE_EQ(coordinate_law(hinge, scene.model.extras_of(hinge), 0).spring_force(1.5), 4);
  EXPECT_THAT(error_of(kArm + joint + "spring: {polynomial: [3]}, stiffness: 1}}\n"), HasSubstr("one will do"));
  EXPECT_THAT(error_of(kArm + joint + "spring: {table: [[1, 0], [0, 1]]}}}\n"), HasSubstr("stretches must increase"));
  const Scene rubber = load_ok(
      kArm +
      "springs: [{between: [arm, ground], anchors: [[0, 0, 0], [0, 0, 2]], force: {table: [[0, 0], [10 mm, 5 N]]}}]\n");
  EXPECT_NEAR(rubber.model.springs[0].tension(2.02), 10, 1e-12);
}

TEST(Controls, of_a_scene_keep_the_order_of_the_file) {
  const Scene scene = load_ok(
      kArms +
      "joints: {j: {kind: hinge, between: [ground, arm], anchor: [0, 0, 0], axis: [0, 0, 1]},\n"
      "         k: {kind: hinge, between: [arm, hand], anchor: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "tendons: {t: {terms: [{joint: j, factor: 2}, {joint: k}], stiffness: 3, rest: [-1, 1]}}\n"
      "actuators: [{joint: j, signal: 1}, {joint: k, kind: pid, kp: 10, ki: 2, kv: 1, name: wrist, signal: 30 deg},\n"
      "            {tendon: t, limit: 4, filter: 0.1}]\n"
      "sensors: {w: {kind: actuatorfrc, actuator: wrist}, l: {kind: tendonpos, tendon: t}}\n");
  const Model& model = scene.model;
  ASSERT_EQ(model.controls.size(), 3u);
  EXPECT_TRUE(model.actuators.empty());
  EXPECT_EQ(model.controls[1].dynamics, Control::Dynamics::error_integral);
  EXPECT_EQ(model.controls[1].bias[1], -10);
  EXPECT_EQ(model.controls[2].tendon, 0);
  EXPECT_EQ(model.controls[2].time_constant, 0.1);
  EXPECT_EQ(model.tendons[0].rest_upper, 1);
  EXPECT_THAT(error_of(kArm + "actuators: [{tendon: x}]\n"), HasSubstr("no tendon 'x'"));
}

TEST(Bodies, can_carry_part_of_their_weight) {
  const Scene scene = load_ok("bodies: {b: {mass: 2, inertia: 1, gravity_compensation: 0.5}}\n");
  expect_near(scene.model.forces[0].force, {0, 0, 9.81});
}

}  // namespace relative_test
}  // namespace catena
