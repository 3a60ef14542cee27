#include <cmath>
#include <numbers>

#include "scene/scene_testing.h"

namespace catena {
namespace joint_reader_test {

using std::numbers::pi;

Joint read(const std::string& joint) { return load_ok(kArms + "joints: {j: " + joint + "}\n").model.joints.at(0); }

TEST(JointReader, ReadsEveryKind) {
  const struct {
    const char* keys;
    JointKind kind;
    double parameter;
  } cases[] = {
      {"kind: ball, anchor: [0, 0, 0]", JointKind::ball, 0},
      {"kind: hinge, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::hinge, 0},
      {"kind: slider, axis: [0, 1, 0]", JointKind::slider, 0},
      {"kind: cylindrical, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::cylindrical, 0},
      {"kind: universal, anchor: [0, 0, 0], axis: [0, 1, 0], axis2: [1, 0, 0]", JointKind::universal, 0},
      {"kind: planar, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::planar, 0},
      {"kind: weld", JointKind::weld, 0},
      {"kind: screw, anchor: [0, 0, 0], axis: [0, 1, 0], pitch: 0.01", JointKind::screw, 0.01},
      {"kind: distance, anchors: [[0, 0, 0], [0, 0, 2]]", JointKind::distance, 2},
      {"kind: distance, anchors: [[0, 0, 0], [0, 0, 2]], length: 30 cm", JointKind::distance, 0.3},
      {"kind: point-on-line, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::point_on_line, 0},
      {"kind: point-on-plane, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::point_on_plane, 0},
      {"kind: fixed-orientation", JointKind::fixed_orientation, 0},
      {"kind: aligned-axes, axis: [0, 1, 0]", JointKind::aligned_axes, 0},
      {"kind: perpendicular-axes, axis: [0, 1, 0], axis2: [1, 0, 0]", JointKind::perpendicular_axes, 0},
      {"kind: gear, axis: [0, 1, 0], ratio: -0.5", JointKind::gear, -0.5},
      {"kind: rack, axis: [0, 1, 0], axis2: [1, 0, 0], radius: 0.1", JointKind::rack, 0.1},
      {"kind: skate, anchor: [0, 0, 0], axis: [0, 1, 0]", JointKind::skate, 0},
  };
  for (const auto& c : cases) {
    const Joint j = read(std::string("{between: [arm, hand], ") + c.keys + "}");
    EXPECT_EQ(j.kind, c.kind) << c.keys;
    EXPECT_DOUBLE_EQ(j.parameter, c.parameter) << c.keys;
    EXPECT_EQ(j.a, BodyId{0});
    EXPECT_EQ(j.b, BodyId{1});
    EXPECT_TRUE(j.primary);
  }
  const Joint rolling =
      read("{kind: rolling, between: [ground, hand], radius: 0.5, normal: [0, 0, 1], axis: [0, 1, 0]}");
  EXPECT_EQ(rolling.a, kGround);
  EXPECT_TRUE(rolling.disc);
  expect_near(rolling.anchor_a, {1, 0, -0.5});
}

TEST(JointReader, ReadsSurfaces) {
  const Joint bead = read(
      "{kind: point-on-surface, between: [arm, hand], anchor: [1, 0, 2], surface: {torus: {radius: 1, tube: 20 cm}, "
      "at: [0, 0, 2]}}");
  ASSERT_TRUE(bead.surfaces);
  EXPECT_EQ(bead.surfaces->first.kind, JointSurface::Kind::torus);
  EXPECT_EQ(bead.surfaces->first.size.y, 0.2);
  expect_near(bead.anchor_a, {0, 0, 2});
  expect_near(bead.anchor_b, {0, 0, 2});
  const Joint roll =
      read("{kind: tangent-surfaces, between: [ground, hand], surfaces: [{plane: [0, 1, 0]}, {ellipsoid: [1, 2, 3]}]}");
  expect_near(rotate(roll.frame_a, Vec3{0, 0, 1}), {0, 1, 0});
  expect_near(roll.surfaces->second.size, {1, 2, 3});
  EXPECT_FALSE(roll.surfaces->slides);
  const Joint field = read(
      "{kind: point-on-surface, between: [ground, hand], anchor: [0, 0, 0], surface: {height_field: {spacing: [1, 2], "
      "heights: [[0, 0, 0], "
      "[0, 1, 0], [0, 0, 0]]}}}");
  EXPECT_EQ(field.surfaces->first.columns, 3);
  EXPECT_EQ(field.surfaces->first.coefficients.size(), 25u);
}

TEST(JointReader, ReadsWhenAJointAttachesAndLetsGo) {
  const Scene scene = load_ok(kArms + R"(joints:
  j: {kind: weld, between: [arm, hand], attach: {at: [500 ms, 2], within: 1 cm, pose: keep}, detach: {at: 1, force: 2 kN, torque: 3 Nm}}
  k: {kind: ball, between: [ground, hand], anchor: [1, 0, 0], moves: {x: 0.1, angle: {sine: {amplitude: 10 deg, frequency: 2}}, axis: [0, 2, 0]}}
)");
  const Switching& s = *scene.model.extras_of(scene.model.joints[0]).switching;
  EXPECT_FALSE(s.attached);
  EXPECT_EQ(s.attach, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(s.detach, std::vector<double>{1});
  EXPECT_EQ(s.within, 0.01);
  EXPECT_EQ(s.force, 2000);
  EXPECT_EQ(s.torque, 3);
  EXPECT_EQ(s.pose, Switching::Pose::keep);
  const FrameMotion& m = *scene.model.extras_of(scene.model.joints[1]).moves;
  EXPECT_EQ(m.shift[0]->value(3), 0.1);
  EXPECT_FALSE(m.shift[1].has_value());
  expect_near(m.axis, {0, 1, 0});
  EXPECT_NEAR(m.angle->value(0.125), pi / 18, 1e-15);
}

TEST(JointReader, AnchorsAreWorldPointsAtTheStart) {
  const Joint j = read("{kind: ball, between: [ground, hand], anchor: [1, 2, 3 mm]}");
  expect_near(j.anchor_a, {1, 2, 3e-3});
  expect_near(j.anchor_b, {0, 2, 3e-3});
  const Joint k = read("{kind: ball, between: [arm, hand], anchors: [[5, 0, 0], [6, 0, 0]]}");  // need not meet
  expect_near(k.anchor_a, {5, 0, 0});
  expect_near(k.anchor_b, {5, 0, 0});
}

TEST(JointReader, ReadsExtras) {
  const Scene s = load_ok(kArms + R"(joints:
  j:
    kind: hinge
    between: [arm, hand]
    anchor: [0, 0, 0]
    axis: [0, 0, 1]
    limits: {lower: -90 deg, upper: 1, restitution: 0.2}
    damping: 0.1
    stiffness: 2 Nm/rad
    rest: 30 deg
    friction: 5 Nm
    compliance: 1e-6
    relaxation: 3 ms
    start: 45 deg
    primary: no
    motor: {velocity: 2, max_force: 10}
)");
  const Joint& j = s.model.joints[0];
  const JointExtras& e = s.model.extras_of(j);
  EXPECT_FALSE(j.primary);
  EXPECT_DOUBLE_EQ(e.limits->lower, -pi / 2);
  EXPECT_EQ(e.limits->upper, 1);
  EXPECT_EQ(e.limits->restitution, 0.2);
  EXPECT_EQ(e.damping, 0.1);
  EXPECT_EQ(e.stiffness, 2);
  EXPECT_DOUBLE_EQ(e.rest, pi / 6);
  EXPECT_EQ(e.friction, 5);
  EXPECT_EQ(e.compliance, 1e-6);
  EXPECT_EQ(e.relaxation, 3e-3);
  EXPECT_DOUBLE_EQ(e.start[0], pi / 4);
  EXPECT_EQ(value(e.motor->velocity, 0), 2);
  EXPECT_EQ(e.motor->max_force, 10);
}

TEST(JointReader, LimitsMayHaveOneSideAndMotorsASignal) {
  const Scene s = load_ok(kArms +
                          "joints: {j: {kind: slider, between: [arm, hand], axis: [1, 0, 0], limits: {upper: 5 cm}, "
                          "motor: {velocity: {sine: {amplitude: 5 mm/s, frequency: 2}}}, start: [1 cm]}}");
  const JointExtras& e = s.model.extras[0];
  EXPECT_EQ(e.limits->lower, -1e300);
  EXPECT_EQ(e.limits->upper, 0.05);
  EXPECT_EQ(std::get<Sine>(e.motor->velocity).amplitude, 5e-3);
  EXPECT_FALSE(e.motor->max_force);
  EXPECT_EQ(e.start[0], 0.01);
}

TEST(JointReader, CouplingsAreRowsOverAnyBodies) {
  const Scene one = load_ok(kArms +
                            "joints: {c: {kind: coupling, terms: [{body: arm, angular: [0, 0, 1]}, "
                            "{body: hand, angular: [0, 0, 2], frame: body}], velocity: 60 rpm}}");
  ASSERT_EQ(one.model.extras[0].rows.size(), 1u);
  const CouplingRow& row = one.model.extras[0].rows[0];
  EXPECT_DOUBLE_EQ(value(row.velocity, 0), 2 * pi);
  ASSERT_EQ(row.terms.size(), 2u);
  EXPECT_EQ(row.terms[1].body, BodyId{1});
  EXPECT_EQ(row.terms[1].angular, (Vec3{0, 0, 2}));
  EXPECT_TRUE(row.terms[1].body_frame);
  EXPECT_FALSE(row.terms[0].body_frame);
  const Scene two =
      load_ok(kArms +
              "joints: {c: {kind: coupling, rows: [{terms: [{body: arm, linear: [1, 0, 0]}], velocity: 5 mm/s}, "
              "{terms: [{body: hand, linear: [0, 1, 0]}]}]}}");
  ASSERT_EQ(two.model.extras[0].rows.size(), 2u);
  EXPECT_EQ(value(two.model.extras[0].rows[0].velocity, 0), 5e-3);
  EXPECT_EQ(value(two.model.extras[0].rows[1].velocity, 0), 0);
}

TEST(JointReader, PlanarBodiesTakeTwoNumbers) {
  const Scene s = load_ok(R"(dimension: 2
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [1, 0]}}
joints:
  p: {kind: pin, between: [ground, a], anchor: [0, 0]}
  h: {kind: hinge, between: [a, b], anchor: [1, 0]}
  d: {kind: distance, between: [ground, b], anchors: [[0, 3], [1, 3]]}
  w: {kind: weld, between: [a, b]}
  g: {kind: point-on-line, between: [ground, a], anchor: [0, 0], axis: [1, 0]}
)");
  EXPECT_EQ(s.model.joints[0].kind, JointKind::pin);
  EXPECT_EQ(s.model.joints[1].kind, JointKind::pin);
  EXPECT_EQ(s.model.joints[2].parameter, 1);
  EXPECT_EQ(s.model.joints[3].kind, JointKind::planar_weld);
  expect_near(to_matrix(s.model.joints[4].frame_a).column(2), {1, 0, 0});
}

TEST(JointReader, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* joint;
    const char* message;
  } cases[] = {
      {"{kind: hnge, between: [arm, hand]}", "s.yaml:3:13: unknown kind of joint 'hnge'; the nearest is 'hinge'"},
      {"{between: [arm, hand]}", "s.yaml:3:3: joint 'j' needs 'kind', such as kind: hinge"},
      {"{kind: ball, anchor: [0, 0, 0]}", "s.yaml:3:3: joint 'j' needs 'between', such as between: [ground, BODY]"},
      {"{kind: ball, between: [arm, hnad], anchor: [0, 0, 0]}",
       "s.yaml:3:34: between: there is no body 'hnad'; the nearest name is 'hand'"},
      {"{kind: ball, between: [arm, wheel]}",
       "s.yaml:3:34: between: there is no body 'wheel'; name one of bodies:, or ground"},
      {"{kind: ball, between: [arm]}", "s.yaml:3:28: between: a list of 2 is expected, not a list of 1"},
      {"{kind: ball, between: [arm, arm], anchor: [0, 0, 0]}",
       "s.yaml:3:28: joint 'j' joins 'arm' to itself; between: needs two different bodies, or a body and ground"},
      {"{kind: ball, between: [ground, ground]}",
       "s.yaml:3:28: joint 'j' joins the ground to itself; between: needs two different bodies, or a body and ground"},
      {"{kind: ball, between: [arm, hand]}",
       "s.yaml:3:3: joint 'j': a ball joint needs an anchor, the point where its bodies meet at t = 0: anchor: [x, y, "
       "z]"},
      {"{kind: hinge, between: [arm, hand], anchor: [0, 0, 0]}",
       "s.yaml:3:3: joint 'j': a hinge joint needs an axis: axis: [x, y, z]"},
      {"{kind: hinge, between: [arm, hand], anchor: [0, 0, 0], axis: [0, 0, 0]}",
       "s.yaml:3:67: axis: (0, 0, 0) has no direction; give a vector that is not zero"},
      {"{kind: hinge, between: [arm, hand], anchor: [0, 0], axis: [0, 0, 1]}",
       "s.yaml:3:50: anchor: a list of 3 is expected, not a list of 2"},
      {"{kind: hinge, between: [arm, hand], anchr: [0, 0, 0]}",
       "s.yaml:3:42: joint 'j': unknown key 'anchr'; the nearest is 'anchor'"},
      {"{kind: ball, between: [arm, hand], anchor: [0, 0, 0], anchors: [[0, 0, 0], [0, 0, 0]]}",
       "s.yaml:3:60: joint 'j': anchor and anchors are both given; one will do"},
      {"{kind: hinge, between: [arm, hand], anchor: [0, 0, 0], axis: [0, 0, 1], pitch: 1}",
       "s.yaml:3:78: joint 'j': a hinge joint has no 'pitch'; that belongs to screw"},
      {"{kind: ball, between: [arm, hand], anchor: [0, 0, 0], axis2: [1, 0, 0]}",
       "s.yaml:3:60: joint 'j': a ball joint has no 'axis2'; that belongs to universal, perpendicular-axes, gear, "
       "rack"},
      {"{kind: hinge, between: [arm, hand], anchor: [0, 0, 0], axis: [0, 0, 1], limits: {lower: 5 mm}}",
       "s.yaml:3:94: lower: '5 mm' is a length; an angle is expected, such as '90 deg'"},
      {"{kind: slider, between: [arm, hand], axis: [0, 0, 1], motor: {velocity: 60 rpm}}",
       "s.yaml:3:78: velocity: '60 rpm' is an angular velocity; a speed is expected, such as '2 m/s'"},
      {"{kind: slider, between: [arm, hand], axis: [0, 0, 1], motor: {max_force: 1}}",
       "s.yaml:3:67: motor needs 'velocity', such as velocity: 2"},
      {"{kind: slider, between: [arm, hand], axis: [0, 0, 1], limits: {lower: 1, upper: 0}}",
       "s.yaml:3:68: limits: lower 1 is above upper 0"},
      {"{kind: weld, between: [arm, hand], damping: 1}",
       "s.yaml:3:3: joint 'j': a weld joint has no coordinate for motor, limits, damping, stiffness, rest, friction or "
       "start; hinge, "
       "slider, cylindrical, universal, planar, fixed-orientation, screw, ball and pin have"},
      {"{kind: coupling, between: [arm, hand], terms: []}",
       "s.yaml:3:23: joint 'j': a coupling has no 'between'; its terms name the bodies"},
      {"{kind: coupling}", "s.yaml:3:3: joint 'j' needs 'terms', such as terms: [{body: crank, angular: [0, 0, 1]}]"},
      {"{kind: coupling, terms: [{body: ground, linear: [1, 0, 0]}]}",
       "s.yaml:3:38: body: the ground does not move; name a body"},
      {"{kind: coupling, terms: [{body: arm}]}", "s.yaml:3:31: term: needs linear: [x, y, z] or angular: [x, y, z]"},
      {"{kind: coupling, terms: [{body: arm, linear: [1, 0, 0], frame: boddy}]}",
       "s.yaml:3:69: unknown frame 'boddy'; the nearest is 'body'"},
      {"{kind: pin, between: [arm, hand], anchor: [0, 0, 0]}",
       "s.yaml:3:3: joint 'j': a pin between planar bodies cannot hold rigid 'arm'; a ball or hinge would"},
      {"{kind: rolling, between: [arm, ground], radius: 1}",
       "s.yaml:3:3: joint 'j': a rolling joint is between the ground or a rigid body, which has the plane, and the "
       "body "
       "that rolls on it: between: [ground, BODY]"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(kArms + "joints:\n  j: " + c.joint + "\n"), c.message);
}

TEST(JointReader, ParticlesTakeBallsButNotHinges) {
  const std::string bodies = "bodies: {p: {kind: particle, mass: 1}}\njoints:\n";
  EXPECT_EQ(load_ok(bodies + "  j: {kind: ball, between: [ground, p], anchor: [0, 0, 0]}\n").model.joints.size(), 1u);
  EXPECT_EQ(error_of(bodies + "  j: {kind: hinge, between: [ground, p], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"),
            "s.yaml:3:3: joint 'j': a hinge joint needs bodies that turn in space, and particle 'p' does not; ball, "
            "distance, "
            "point-on-line, point-on-plane and point-on-surface joints go with particles");
}

}  // namespace joint_reader_test
}  // namespace catena
