#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "constraint/joint_cases.h"

namespace catena {
namespace joint_coordinates_test {

using namespace testing_rows;

double rate_of(const Case& c, const Evaluated& now, const Row& row) {
  const Joint& joint = c.motion.model.joints[0];
  const BodyVector va = joint.a.valid() ? velocity_of(now.moved.bodies[joint.a]) : BodyVector{};
  const BodyVector vb = joint.b.valid() ? velocity_of(now.moved.bodies[joint.b]) : BodyVector{};
  return velocity(row, va, vb);
}

Rows coordinates_at(const Case& c, double t) {
  const Evaluated then(c, t);
  Rows rows;
  joint_coordinates(c.motion.model.joints[0], then.kinematics, rows);
  return rows;
}

TEST(Coordinates, their_number_is_what_the_kind_says) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(coordinates_at(c, 0).count, coordinate_count(c.motion.model.joints[0].kind));
  }
}

// A ball joint's rotation vector and the angles of a universal joint off its constraint are the exceptions, below.
TEST(Coordinates, the_rate_of_a_coordinate_is_its_derivative_even_off_the_constraint) {
  int tried = 0;
  for (const Case& c : all_cases()) {
    const JointKind kind = c.motion.model.joints[0].kind;
    if (kind == JointKind::ball || kind == JointKind::universal) continue;
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    const Rows rows = coordinates_at(c, 0);
    for (int k = 0; k < rows.count; ++k, ++tried)
      expect_near(rate_of(c, now, rows[k]), derivative_at_zero([&](double t) { return coordinates_at(c, t)[k].phi; }),
                  "coordinate");
  }
  EXPECT_GT(tried, 100);
}

TEST(Coordinates, c_is_what_the_rate_changes_by_when_the_accelerations_are_zero) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Rows rows = coordinates_at(c, 0);
    const Joint& joint = c.motion.model.joints[0];
    const BodyVector va = joint.a.valid() ? c.motion.vdot[joint.a] : BodyVector{};
    const BodyVector vb = joint.b.valid() ? c.motion.vdot[joint.b] : BodyVector{};
    for (int k = 0; k < rows.count; ++k)
      expect_near(velocity(rows[k], va, vb) + rows[k].c, derivative_at_zero([&](double t) {
                    const Evaluated then(c, t);
                    return rate_of(c, then, coordinates_at(c, t)[k]);
                  }),
                  "coordinate");
  }
}

// q is the rotation vector and the rates are ω along A's axes: they differ, but do the same work on a spring k|q|²/2.
TEST(Coordinates, a_ball_joints_rates_do_the_work_that_stretches_its_spring) {
  for (const Case& c : all_cases()) {
    if (c.motion.model.joints[0].kind != JointKind::ball) continue;
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    const Rows rows = coordinates_at(c, 0);
    double power = 0;
    for (int k = 0; k < 3; ++k) power += rows[k].phi * rate_of(c, now, rows[k]);
    expect_near(power, derivative_at_zero([&](double t) {
                  const Rows then = coordinates_at(c, t);
                  double energy = 0;
                  for (int k = 0; k < 3; ++k) energy += 0.5 * then[k].phi * then[k].phi;
                  return energy;
                }),
                "power");
  }
}

// B turned by q0 about A's axis, then by q1 about its own axis2, moving with rates that keep the joint closed.
TEST(Coordinates, a_universal_joints_angles_are_the_turns_about_its_two_axes) {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    RandomMotion motion;
    Joint joint;
    joint.kind = JointKind::universal;
    joint.a = add_body(motion.model, motion.state, BodyKind::rigid, random);
    joint.b = add_body(motion.model, motion.state, BodyKind::rigid, random);
    joint.frame_a = random.rotation();
    joint.frame_b = random.rotation();
    motion.vdot.resize(2);
    motion.model.joints.push_back(joint);
    BodyState &a = motion.state.bodies[0], &b = motion.state.bodies[1];

    // World frames: F_A has its axis third; F_B starts with its axis along F_A's first, so that they are perpendicular.
    const Mat3 fa = to_matrix(a.orientation * joint.frame_a);
    const Vec3 axis2 = fa.column(0);
    const auto pose_b = [&](double q0, double q1) {
      const Mat3 start = Mat3::from_columns(fa.column(1), fa.column(2), axis2);
      const Quat turned = exp_rotation(q0 * fa.column(2)) * exp_rotation(q1 * axis2) * from_matrix(start);
      return normalized(turned * joint.frame_b.conjugate());
    };
    const double q0 = random.uniform(-1, 1), q1 = random.uniform(-1, 1);
    const double r0 = random.uniform(-2, 2), r1 = random.uniform(-2, 2);
    b.orientation = pose_b(q0, q1);
    b.angular_velocity = a.angular_velocity + r0 * fa.column(2) + r1 * rotate(exp_rotation(q0 * fa.column(2)), axis2);

    Kinematics kinematics(motion.model);
    kinematics.update(motion.model, motion.state);
    Rows now, zero;
    joint_coordinates(motion.model.joints[0], kinematics, now);
    State start = motion.state;
    start.bodies[1].orientation = pose_b(0, 0);
    kinematics.update(motion.model, start);
    joint_coordinates(motion.model.joints[0], kinematics, zero);
    EXPECT_NEAR(std::remainder(now[0].phi - zero[0].phi - q0, 2 * std::numbers::pi), 0, 1e-13);
    EXPECT_NEAR(std::remainder(now[1].phi - zero[1].phi - q1, 2 * std::numbers::pi), 0, 1e-13);
    const BodyVector va = velocity_of(a), vb = velocity_of(b);
    EXPECT_NEAR(velocity(now[0], va, vb), r0, 1e-13);
    EXPECT_NEAR(velocity(now[1], va, vb), r1, 1e-13);
  }
}

// A coupling of a slow and a fast coordinate would go wrong without this: three turns of a screw are three pitches of travel.
TEST(Coordinates, a_screw_counts_its_turns_by_its_travel) {
  RandomMotion motion;
  Random random(5);
  Joint joint;
  joint.kind = JointKind::screw;
  joint.b = add_body(motion.model, motion.state, BodyKind::rigid, random);
  joint.parameter = 0.1;
  motion.model.joints.push_back(joint);
  motion.state.bodies[0] = {};
  const double angle = 3.2 * 2 * std::numbers::pi;
  motion.state.bodies[0].position.z = 0.1 * angle;
  motion.state.bodies[0].orientation = exp_rotation(Vec3{0, 0, angle});
  Kinematics kinematics(motion.model);
  kinematics.update(motion.model, motion.state);
  Rows rows;
  joint_coordinates(motion.model.joints[0], kinematics, rows);
  EXPECT_NEAR(rows[0].phi, angle, 1e-12);
  joint_rows(motion.model, motion.model.joints[0], kinematics, rows);
  for (int i = 0; i < rows.count; ++i) EXPECT_NEAR(rows[i].phi, 0, 1e-13) << i;
}

}  // namespace joint_coordinates_test
}  // namespace catena
