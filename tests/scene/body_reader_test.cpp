#include <cmath>
#include <numbers>

#include "scene/scene_testing.h"

namespace catena {
namespace body_reader_test {

TEST(BodyReader, ReadsEveryKeyOfARigidBody) {
  const Scene s = load_ok(R"(bodies:
  crank:
    kind: rigid
    mass: 1.5
    inertia: [1, 2, 2.5]
    position: [1, 2, 30 cm]
    orientation: [0, 0, 1, 0]
    velocity: [1, 0, 5 mm/s]
    angular_velocity: [0, 60 rpm, 0]
)");
  const Body& body = s.model.bodies.at(0);
  EXPECT_EQ(body.name, "crank");
  EXPECT_EQ(body.kind, BodyKind::rigid);
  EXPECT_EQ(body.mass, 1.5);
  EXPECT_EQ(body.inertia, Sym3::diagonal(1, 2, 2.5));
  const BodyState& state = s.initial.bodies.at(0);
  expect_near(state.position, {1, 2, 0.3});
  EXPECT_EQ(state.orientation, (Quat{0, 0, 1, 0}));
  expect_near(state.velocity, {1, 0, 5e-3});
  expect_near(state.angular_velocity, {0, 2 * std::numbers::pi, 0});
  EXPECT_TRUE(s.warnings.empty());
}

TEST(BodyReader, InertiaHasFourForms) {
  const auto inertia = [](const std::string& text) {
    return load_ok("bodies: {b: {mass: 1, inertia: " + text + "}}").model.bodies[0].inertia;
  };
  EXPECT_EQ(inertia("2"), Sym3::diagonal(2, 2, 2));
  EXPECT_EQ(inertia("[1, 2, 3]"), Sym3::diagonal(1, 2, 3));
  EXPECT_EQ(inertia("[1, 2, 3, 0.1, 0.2, 0.3]"), (Sym3{1, 2, 3, 0.1, 0.2, 0.3}));
  EXPECT_EQ(inertia("[[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]"), (Sym3{1, 2, 3, 0.1, 0.2, 0.3}));
  EXPECT_EQ(inertia("[5 kg cm2, 5e-4, 5e-4]").xx, 5e-4);
}

TEST(BodyReader, OrientationHasFourForms) {
  const auto matrix = [](const std::string& text) {
    return to_matrix(
        load_ok("bodies: {b: {mass: 1, inertia: 1, orientation: " + text + "}}").initial.bodies[0].orientation);
  };
  const Mat3 about_z{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
  for (const char* text : {"[0.70710678118654757, 0, 0, 0.70710678118654757]", "{axis: [0, 0, 5], angle: 90 deg}",
                           "{rpy: [0, 0, 90 deg]}", "{matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}"}) {
    for (int i = 0; i < 3; ++i) expect_near(matrix(text).row(i), about_z.row(i));
  }
  // Roll first, yaw last, about the world's axes: x goes to y by the yaw, whatever the roll.
  expect_near(matrix("{rpy: [30 deg, 0, 90 deg]}") * Vec3{1, 0, 0}, {0, 1, 0});
  expect_near(matrix("{rpy: [90 deg, 0, 90 deg]}") * Vec3{0, 1, 0}, {0, 0, 1});
}

TEST(BodyReader, KindsHaveTheirOwnKeys) {
  const Scene s = load_ok(R"(bodies:
  p: {kind: particle, mass: 5 g, position: [0, 0, 1]}
  disc: {kind: planar, mass: 1, inertia: 0.1, position: [1, 2], angle: 90 deg, velocity: [3, 4], angular_velocity: 5}
  blob: {kind: scalable, mass: 1, inertia: [1, 1, 1], scale: 2, scale_velocity: 0.1}
)");
  EXPECT_EQ(s.model.bodies[0].kind, BodyKind::particle);
  EXPECT_EQ(s.model.bodies[0].mass, 5e-3);
  EXPECT_EQ(s.model.bodies[1].inertia.zz, 0.1);
  expect_near(s.initial.bodies[1].position, {1, 2, 0});
  expect_near(s.initial.bodies[1].velocity, {3, 4, 0});
  expect_near(s.initial.bodies[1].angular_velocity, {0, 0, 5});
  EXPECT_DOUBLE_EQ(s.initial.bodies[1].orientation.z, std::sqrt(0.5));
  EXPECT_EQ(s.initial.bodies[2].scale, 2);
  EXPECT_EQ(s.initial.bodies[2].scale_velocity, 0.1);
}

TEST(BodyReader, InTwoDimensionsBodiesArePlanarAndGravityPointsDownY) {
  const Scene s =
      load_ok("dimension: 2\nbodies: {b: {mass: 1, inertia: 1, position: [1, 2]}, p: {kind: particle, mass: 1}}\n");
  EXPECT_EQ(s.model.bodies[0].kind, BodyKind::planar);
  EXPECT_EQ(s.model.bodies[1].kind, BodyKind::particle);
  expect_near(s.model.gravity, {0, -9.81, 0});
  expect_near(load_ok("dimension: 2\ngravity: [1, 2]\nbodies: {b: {mass: 1, inertia: 1}}").model.gravity, {1, 2, 0});
}

TEST(BodyReader, MassFromDensityAndShapesMovesTheOriginToTheCentreOfMass) {
  const Scene s = load_ok(R"(bodies:
  b: {density: 2 g/cm3, position: [1, 0, 0], orientation: {axis: [0, 0, 1], angle: 90 deg}, shapes: [{box: [1, 1, 1], at: [2, 0, 0]}]}
)");
  EXPECT_NEAR(s.model.bodies[0].mass, 2000, 1e-9);
  expect_near(s.initial.bodies[0].position, {1, 2, 0});
  expect_near(s.model.bodies[0].shapes[0].position, {0, 0, 0});
}

TEST(BodyReader, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"bodies:\n  b: {mas: 1}\n", "s.yaml:2:7: body 'b': unknown key 'mas'; the nearest is 'mass'"},
      {"bodies:\n  b: {inertia: 1}\n", "s.yaml:2:3: body 'b': has no mass; give mass: in kg, or density: and shapes:"},
      {"bodies:\n  b: {mass: 1}\n",
       "s.yaml:2:3: body 'b': has no inertia; give inertia: in kg m2, or shapes: to compute it from"},
      {"bodies:\n  b: {mass: -1, inertia: 1}\n", "s.yaml:2:13: body 'b': mass -1 must be positive"},
      {"bodies:\n  b: {mass: 5 mm, inertia: 1}\n",
       "s.yaml:2:13: mass: '5 mm' is a length; a mass is expected, such as '3 g'"},
      {"bodies:\n  b: {mass: heavy}\n",
       "s.yaml:2:13: mass: 'heavy' is not a number; a mass is expected, such as '3 g'"},
      {"bodies:\n  b: {mass: .inf}\n", "s.yaml:2:13: mass: '.inf' is not finite; a mass is expected, such as '3 g'"},
      {"bodies:\n  b: {mass: {a: 1}}\n", "s.yaml:2:13: mass: a mass is expected, such as '3 g', not a map"},
      {"bodies:\n  b: {mass: 1, inertia: [1, 2]}\n",
       "s.yaml:2:25: inertia: one number, three (ixx iyy izz), six (ixx iyy izz ixy ixz iyz) or 3x3 are expected, not "
       "a "
       "list of 2"},
      {"bodies:\n  b: {mass: 1, inertia: [[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]}\n",
       "s.yaml:2:38: inertia: not symmetric: entry 1 0 is 0.5 and entry 0 1 is 0; they must agree"},
      {"bodies:\n  b: {mass: 1, inertia: [1, 1, -1]}\n",
       "s.yaml:2:3: body 'b': inertia is not positive definite (principal moments -1, 1, 1); all three must be "
       "positive"},
      {"bodies:\n  b: {mass: 1, inertia: 1, position: [1, 2]}\n",
       "s.yaml:2:38: position: a list of 3 is expected, not a list of 2"},
      {"bodies:\n  b: {mass: 1, inertia: 1, position: [1, 2, 3 kg]}\n",
       "s.yaml:2:45: position: '3 kg' is a mass; a length is expected, such as '5 mm'"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: [1, 0, 0]}\n",
       "s.yaml:2:41: orientation: a quaternion has four numbers w, x, y, z, not 3; or give {axis, angle}, {rpy} or "
       "{matrix}"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: [0, 0, 0, 0]}\n",
       "s.yaml:2:41: orientation: the zero quaternion is no rotation; none is [1, 0, 0, 0]"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: {axis: [0, 0, 0], angle: 1}}\n",
       "s.yaml:2:48: axis: (0, 0, 0) has no direction; give a vector that is not zero"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: {axis: [0, 0, 1]}}\n",
       "s.yaml:2:41: orientation needs 'angle', such as angle: 90 deg"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: {rpy: [0, 0, 0], angle: 1}}\n",
       "s.yaml:2:41: orientation: give one of [w, x, y, z], {axis, angle}, {rpy} or {matrix}"},
      {"bodies:\n  b: {mass: 1, inertia: 1, orientation: {matrix: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}}\n",
       "s.yaml:2:50: matrix: its rows must be perpendicular unit vectors of a right-handed frame"},
      {"bodies:\n  b: {kind: rigd, mass: 1}\n", "s.yaml:2:13: unknown kind 'rigd'; the nearest is 'rigid'"},
      {"bodies:\n  b: {kind: particle, mass: 1, inertia: 1}\n",
       "s.yaml:2:32: body 'b': a particle body has no 'inertia'; kind: rigid has"},
      {"bodies:\n  b: {kind: planar, mass: 1, inertia: 1, orientation: [1, 0, 0, 0]}\n",
       "s.yaml:2:42: body 'b': a planar body has no 'orientation'; give angle:, about +z"},
      {"bodies:\n  b: {kind: planar, mass: 1, inertia: [1, 1, 1]}\n",
       "s.yaml:2:39: inertia: a planar body has one number, not a list of 3"},
      {"bodies:\n  b: {kind: planar, mass: 1, inertia: 1, position: [1, 2, 3]}\n",
       "s.yaml:2:59: position: things of the plane have z = 0; give two numbers"},
      {"bodies:\n  b: {mass: 1, inertia: 1, scale: 2}\n",
       "s.yaml:2:28: body 'b': a rigid body has no 'scale'; kind: scalable has"},
      {"bodies:\n  b: {mass: 1, inertia: 1, angle: 2}\n",
       "s.yaml:2:28: body 'b': a rigid body has no 'angle'; give orientation: {axis: [0, 0, 1], angle: ...}"},
      {"bodies:\n  ground: {mass: 1, inertia: 1}\n",
       "s.yaml:2:3: the name 'ground' stands for the ground; give the body another"},
      {"bodies: [1]\n", "s.yaml:1:9: bodies: a map from names to bodies is expected, not a list of 1"},
      {"bodies:\n  b: 5\n", "s.yaml:2:6: body 'b': a map of keys is expected, not '5'"},
      {"bodies:\n  b: {density: 1}\n",
       "s.yaml:2:3: body 'b': density without shapes gives no mass; add shapes: or give mass:"},
      {"bodies:\n  b: {mass: 1, density: 1, shapes: [{sphere: 1}]}\n",
       "s.yaml:2:3: body 'b': mass and density are both given; one follows from the other"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(c.text), c.message);
}

TEST(BodyReader, WarningsCarryTheirPlace) {
  const Scene s =
      load_ok("bodies:\n  a: {mass: 1, inertia: [1, 1, 3]}\n  b: {mass: 1, inertia: 1, orientation: [2, 0, 0, 0]}\n");
  ASSERT_EQ(s.warnings.size(), 2u);
  EXPECT_EQ(s.warnings[0],
            "s.yaml:2:3: body 'a': no body has principal moments 1, 1, 3: the largest exceeds the sum of the others");
  EXPECT_EQ(s.warnings[1], "s.yaml:3:3: body 'b': orientation has length 2 and was normalised");
  EXPECT_EQ(s.initial.bodies[1].orientation, Quat{});
}

}  // namespace body_reader_test
}  // namespace catena
