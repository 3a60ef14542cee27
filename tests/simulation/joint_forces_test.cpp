// What crosses a joint: its constraint, motors, limits, dry friction, actuators, springs and the spring of a joint with compliance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "step/step_testing.h"

namespace catena {
namespace joint_forces_test {

using namespace testing_step;

constexpr double kG = 9.81;
constexpr Method kMethods[] = {Method::lagrange, Method::impulse, Method::spook, Method::operational};

// A mass of 2 kg on a vertical slider.
std::string on_slider(const std::string& joint_and_more) {
  return "bodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1]}}\n"
         "joints: {j: {kind: slider, between: [ground, a], axis: [0, 0, 1], anchor: [0, 0, 0], " +
         joint_and_more;
}

Simulation after(const std::string& text, Method method, int steps) {
  Simulation sim(load_text(text, "scene.yaml"), {.method = method, .step = 1e-3});
  for (int i = 0; i < steps; ++i) {
    const StepReport report = sim.step();
    EXPECT_TRUE(report.ok()) << report.message;
  }
  return sim;
}

TEST(JointForces, a_motor_of_limited_force_carries_the_weight) {
  for (const Method method : kMethods) {
    const Simulation sim = after(on_slider("motor: {velocity: 0, max_force: 50}}}"), method, 5);
    EXPECT_NEAR(sim.joint("j").forces().motor, 2 * kG, 1e-6) << static_cast<int>(method);
    EXPECT_NEAR(sim.joint("j").reaction().linear.z, 2 * kG, 1e-6) << static_cast<int>(method);
  }
}

TEST(JointForces, a_motor_that_prescribes_a_velocity_carries_the_weight) {
  for (const Method method : kMethods) {
    const Simulation sim = after(on_slider("motor: {velocity: 0.5}}}"), method, 5);
    EXPECT_NEAR(sim.joint("j").forces().motor, 2 * kG, 1e-6) << static_cast<int>(method);
    EXPECT_NEAR(sim.joint("j").reaction().linear.z, 2 * kG, 1e-6) << static_cast<int>(method);
  }
}

TEST(JointForces, stops_carry_what_rests_on_them_and_actuators_press_on) {
  for (const Method method : kMethods) {
    const Simulation lower = after(
        on_slider("limits: {lower: 0, upper: 1}}}\nactuators: [{joint: j, kind: torque, signal: {constant: -3}}]"),
        method, 5);
    EXPECT_NEAR(lower.joint("j").forces().limit, 2 * kG + 3, 1e-6) << static_cast<int>(method);
    EXPECT_NEAR(lower.joint("j").forces().actuator, -3, 1e-12);
    EXPECT_NEAR(lower.joint("j").reaction().linear.z, 2 * kG, 1e-6) << static_cast<int>(method);
    const Simulation upper = after(
        on_slider("limits: {lower: -1, upper: 0}}}\nactuators: [{joint: j, kind: torque, signal: {constant: 30}}]"),
        method, 5);
    EXPECT_NEAR(upper.joint("j").forces().limit, 2 * kG - 30, 1e-6) << static_cast<int>(method);
  }
}

TEST(JointForces, dry_friction_holds_up_to_its_limit) {
  for (const Method method : kMethods) {
    const Simulation sim = after(on_slider("friction: 25}}"), method, 5);
    EXPECT_NEAR(sim.joint("j").forces().friction, 2 * kG, 1e-6) << static_cast<int>(method);
    EXPECT_NEAR(sim.joint("j").reaction().linear.z, 2 * kG, 1e-6) << static_cast<int>(method);
  }
}

// Hangs from a hinge of 1e-4 m/N, at rest where it carries the weight: 2 kg stretch it by 1.962 mm.
TEST(JointForces, a_joint_with_compliance_reports_what_it_carries) {
  const std::string text =
      "bodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.5]}}\n"
      "joints: {j: {kind: hinge, between: [ground, a], anchor: [0, 0, 0], axis: [0, 1, 0], compliance: 1e-4, "
      "relaxation: "
      "0.05}}";
  const Simulation sim = after(text, Method::spook, 2000);
  EXPECT_NEAR(sim.joint("j").reaction().linear.z, 2 * kG, 1e-3);
}

// Newton's and Euler's laws of every body, with nothing but what the joints report: a swinging arm with a spring, a damper, dry friction, an
// actuator and a motor of limited torque.
TEST(JointForces, every_body_obeys_newton_and_euler_with_what_its_joints_report) {
  const std::string text = R"(
bodies:
  upper: {mass: 1, inertia: [0.1, 0.12, 0.02], position: [0.3, 0, -0.4], orientation: {axis: [0, 1, 0], angle: -0.6435}}
  lower: {mass: 2, inertia: [0.2, 0.2, 0.03], position: [0.9, 0, -0.9], orientation: {axis: [0, 1, 0], angle: -0.7}}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0], stiffness: 4, damping: 0.3, motor: {velocity: 3, max_force: 2}}
  elbow: {kind: hinge, between: [upper, lower], anchor: [0.6, 0, -0.8], axis: [0, 1, 0], friction: 0.7}
actuators: [{joint: elbow, kind: position, kp: 20, kv: 0.5, signal: {constant: 0.4}}]
)";
  for (const Method method : kMethods) {
    Simulation sim = after(text, method, 50);
    Dynamics& dynamics = sim.evaluate();
    const auto wrench_at_centre = [&](const char* joint, BodyId body, double sign) {
      const Joint& j = sim.model().joints[sim.joint_id(joint)];
      const Vec3 anchor = sim.state().bodies[j.b].position + rotate(sim.state().bodies[j.b].orientation, j.anchor_b);
      const Spatial w = sim.joint(joint).reaction();
      const Vec3 arm = anchor - sim.state().bodies[body].position;
      return Spatial{sign * w.linear, sign * (w.angular + cross(arm, w.linear))};
    };
    for (const BodyId body : {BodyId(0), BodyId(1)}) {
      Spatial sum = wrench_at_centre("elbow", body, body == BodyId(1) ? 1 : -1);
      if (body == BodyId(0)) sum += wrench_at_centre("shoulder", body, 1);
      const Body& b = sim.model().bodies[body];
      const BodyState& s = sim.state().bodies[body];
      const Vec3 force = b.mass * (dynamics.vdot[body].linear - sim.model().gravity);
      const Mat3 R = to_matrix(s.orientation);
      const Vec3 turn = R * (b.inertia * (transpose(R) * dynamics.vdot[body].angular)) +
                        cross(s.angular_velocity, R * (b.inertia * (transpose(R) * s.angular_velocity)));
      EXPECT_LT(norm(sum.linear - force), 1e-8) << static_cast<int>(method) << " body " << body.value();
      EXPECT_LT(norm(sum.angular - turn), 1e-8) << static_cast<int>(method) << " body " << body.value();
    }
  }
}

TEST(JointForces, are_columns_of_recordings) {
  Simulation sim = after(on_slider("limits: {lower: 0, upper: 1}, motor: {velocity: -1, max_force: 3}, friction: 1}}\n"
                                   "actuators: [{joint: j, kind: torque, signal: {constant: -2}}]"),
                         Method::operational, 20);
  const std::vector<std::string> names = column_names(sim.model());
  std::vector<double> row(names.size());
  sample(sim, row);
  const auto value = [&](const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return at == names.end() ? NAN : row[static_cast<std::size_t>(at - names.begin())];
  };
  EXPECT_NEAR(value("joint.j.motor[0]"), -3, 1e-9);
  EXPECT_NEAR(value("actuator.j.force"), -2, 1e-12);
  EXPECT_NEAR(value("joint.j.limit[0]") + value("joint.j.friction[0]"), 2 * kG + 5, 1e-6);
}

}  // namespace joint_forces_test
}  // namespace catena
