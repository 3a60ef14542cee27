#include <cmath>
#include <limits>
#include <numbers>

#include "scene/scene_testing.h"

namespace catena {
namespace force_reader_test {

const std::string kHinged =
    kArms + "joints: {elbow: {kind: hinge, between: [arm, hand], anchor: [0, 0, 0], axis: [0, 0, 1]}}\n";

TEST(ForceReader, ReadsForces) {
  const Scene s = load_ok(kArms + R"(forces:
- {body: hand, force: [1, 0, 2 kN], torque: [0, 0, 3], point: [0, 0, 5 cm], from: 1, until: 2 s, frame: body}
- {body: arm, torque: [1, 0, 0]}
)");
  const ExternalForce& f = s.model.forces.at(0);
  EXPECT_EQ(f.body, BodyId{1});
  EXPECT_EQ(f.force, (Vec3{1, 0, 2000}));
  EXPECT_EQ(f.torque, (Vec3{0, 0, 3}));
  EXPECT_EQ(f.point, (Vec3{0, 0, 0.05}));
  EXPECT_EQ(f.from, 1);
  EXPECT_EQ(f.until, 2);
  EXPECT_TRUE(f.body_frame);
  EXPECT_EQ(s.model.forces[1].from, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(s.model.forces[1].body_frame);
}

TEST(ForceReader, ForcesOnPlanarBodiesAreOfThePlane) {
  const Scene s = load_ok(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\nforces: [{body: b, force: [1, 2], torque: 3, point: [1, "
      "0]}]\n");
  EXPECT_EQ(s.model.forces[0].force, (Vec3{1, 2, 0}));
  EXPECT_EQ(s.model.forces[0].torque, (Vec3{0, 0, 3}));
}

TEST(ForceReader, SpringsRestAtTheirFirstLengthUnlessTold) {
  const Scene s = load_ok(kArms + R"(springs:
- {between: [ground, hand], anchors: [[0, 0, 2], [1, 0, 2]], stiffness: 5 N/mm, damping: 3}
- {between: [arm, hand], anchors: [[0, 0, 0], [1, 0, 0]], stiffness: 1, length: 0.2}
)");
  EXPECT_EQ(s.model.springs[0].length, 1);
  EXPECT_EQ(s.model.springs[0].stiffness, 5000);
  EXPECT_EQ(s.model.springs[0].damping, 3);
  expect_near(s.model.springs[0].anchor_a, {0, 0, 2});
  expect_near(s.model.springs[0].anchor_b, {0, 0, 2});
  EXPECT_EQ(s.model.springs[1].length, 0.2);
}

TEST(ForceReader, ActuatorsFollowSignals) {
  const Scene s = load_ok(kHinged + R"(actuators:
- {joint: elbow, signal: 3}
- {joint: elbow, kind: position, kp: 100, kv: 5, limit: 20, signal: {constant: 90 deg}}
- {joint: elbow, kind: velocity, kv: 5, signal: {sine: {amplitude: 1, frequency: 2, phase: 180 deg, offset: 60 rpm}}}
- {joint: elbow, signal: {table: [[0, 1], [1 s, 2 Nm]]}, coordinate: 0}
- {joint: elbow, signal: {table: {times: [0, 1, 2], values: [0, 1, 0]}}}
)");
  const auto& a = s.model.actuators;
  EXPECT_EQ(a.at(0).kind, Actuator::Kind::torque);
  EXPECT_EQ(std::get<Constant>(a[0].signal).value, 3);
  EXPECT_EQ(a[0].limit, std::numeric_limits<double>::infinity());
  EXPECT_EQ(a[1].kind, Actuator::Kind::position);
  EXPECT_EQ(a[1].kp, 100);
  EXPECT_EQ(a[1].kv, 5);
  EXPECT_EQ(a[1].limit, 20);
  EXPECT_DOUBLE_EQ(std::get<Constant>(a[1].signal).value, std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(std::get<Sine>(a[2].signal).phase, std::numbers::pi);
  EXPECT_DOUBLE_EQ(std::get<Sine>(a[2].signal).offset, 2 * std::numbers::pi);
  EXPECT_EQ(std::get<Table>(a[3].signal).values, (std::vector<double>{1, 2}));
  EXPECT_EQ(std::get<Table>(a[4].signal).times, (std::vector<double>{0, 1, 2}));
}

TEST(ForceReader, ErrorsNameThePlaceAndTheCure) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"forces: {body: arm}", "s.yaml:3:9: forces: a list [...] is expected, not a map"},
      {"forces: [{force: [1, 0, 0]}]", "s.yaml:3:10: force needs 'body', such as body: crank"},
      {"forces: [{body: arm}]", "s.yaml:3:10: force: needs force: [x, y, z] or torque: [x, y, z]"},
      {"forces: [{body: ground, force: [1, 0, 0]}]", "s.yaml:3:17: body: the ground does not move; name a body"},
      {"forces: [{body: ram, force: [1, 0, 0]}]",
       "s.yaml:3:17: body: there is no body 'ram'; the nearest name is 'arm'"},
      {"forces: [{body: arm, force: [1, 0, 0 m]}]",
       "s.yaml:3:36: force: '0 m' is a length; a force is expected, such as '10 N'"},
      {"forces: [{body: arm, force: [1, 0, 0], from: 2, until: 1}]",
       "s.yaml:3:49: force: ends at 1 s, before it begins at 2 s"},
      {"springs: [{between: [arm, hand]}]",
       "s.yaml:3:11: spring needs 'anchors', such as anchors: [[0, 0, 1], [0, 0, 0]]"},
      {"springs: [{between: [arm, arm]}]",
       "s.yaml:3:27: spring: joins a thing to itself; two different ones are expected"},
      {"springs: [{between: [arm, hand], anchors: [[0, 0, 0], [1, 0, 0]], stifness: 1}]",
       "s.yaml:3:67: spring: unknown key 'stifness'; the nearest is 'stiffness'"},
      {"springs: [{between: [arm, hand], anchors: [[0, 0, 0], [1, 0, 0]], stiffness: -1}]",
       "s.yaml:3:11: spring 0: stiffness, damping and length must be finite and not negative"},
      {"actuators: [{joint: elbo, signal: 1}]",
       "s.yaml:3:21: joint: there is no joint 'elbo'; the nearest name is 'elbow'"},
      {"actuators: [{joint: elbow}]", "s.yaml:3:13: actuator needs 'signal', such as signal: {constant: 1}"},
      {"actuators: [{joint: elbow, kind: position, signal: 1}]", "s.yaml:3:13: actuator needs 'kp', such as kp: 100"},
      {"actuators: [{joint: elbow, kp: 3, signal: 1}]", "s.yaml:3:28: actuator: only position actuators have kp"},
      {"actuators: [{joint: elbow, signal: 1, coordinate: 1}]",
       "s.yaml:3:13: actuator 0: drives coordinate 1 of joint 'elbow', but a hinge joint has 1"},
      {"actuators: [{joint: elbow, signal: {ramp: 1}}]",
       "s.yaml:3:37: signal: unknown key 'ramp'; known are constant, sine, table"},
      {"actuators: [{joint: elbow, signal: {table: [[0, 1], [0, 2]]}}]",
       "s.yaml:3:44: table: times must increase, but 0 follows 0"},
      {"actuators: [{joint: elbow, signal: {table: []}}]",
       "s.yaml:3:44: table: is empty; [[time, value], ...] are expected"},
      {"actuators: [{joint: elbow, signal: {table: {times: [0], values: [0, 1]}}}]",
       "s.yaml:3:44: table: 1 times and 2 values; as many of each are expected"},
      {"actuators: [{joint: elbow, signal: {sine: {amplitude: 1}}}]",
       "s.yaml:3:43: sine needs 'frequency', such as frequency: 2 Hz"},
      {"actuators: [{joint: elbow, signal: {constant: 1, sine: {}}}]",
       "s.yaml:3:36: signal: one of constant, sine and table is expected"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of(kHinged + c.text), c.message);
}

}  // namespace force_reader_test
}  // namespace catena
