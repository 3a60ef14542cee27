// What a joint leaves free leaves all of its rows at zero, and there is no more of it.
#include "catena/primary/free_directions.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "constraint/joint_cases.h"

namespace catena {
namespace free_directions_test {

using namespace testing_rows;

// Two rigid bodies, or planar ones, with the joint closed in some pose: B is where A's frame says, moved along the freedoms by nothing.
Case closed(JointKind kind, bool planar, unsigned seed) {
  const BodyKind body = planar ? BodyKind::planar : BodyKind::rigid;
  Case c = make_case(kind, body, body, false, seed);
  Joint& joint = c.motion.model.joints[0];
  c.motion.model.extras.clear();
  joint.extras = -1;
  BodyState &a = c.motion.state.bodies[0], &b = c.motion.state.bodies[1];
  // A universal joint's axes are at right angles to each other.
  const Quat turn =
      kind == JointKind::universal ? from_matrix(Mat3::from_columns({0, 1, 0}, {0, 0, 1}, {1, 0, 0})) : Quat{};
  b.orientation = normalized(a.orientation * joint.frame_a * turn * joint.frame_b.conjugate());
  b.position = a.position + rotate(a.orientation, joint.anchor_a) - rotate(b.orientation, joint.anchor_b);
  return c;
}

Eigen::Matrix<double, 6, 1> flat(const Spatial& s) {
  Eigen::Matrix<double, 6, 1> out;
  out << s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z;
  return out;
}

TEST(FreeDirections, leave_all_rows_of_the_joint_at_zero_and_with_them_fill_all_of_six_dimensions) {
  int kinds = 0;
  for (int k = 0; k < kJointKindCount; ++k) {
    const auto kind = static_cast<JointKind>(k);
    const bool planar = kind == JointKind::pin || kind == JointKind::planar_weld;
    if (!has_free_directions(kind, false)) continue;
    ++kinds;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << name_of(kind) << ' ' << seed);
      const Case c = closed(kind, planar, seed);
      const Joint& joint = c.motion.model.joints[0];
      Kinematics kinematics(c.motion.model);
      kinematics.update(c.motion.model, c.motion.state);
      Rows rows;
      joint_rows(c.motion.model, joint, kinematics, rows);
      for (int i = 0; i < rows.count; ++i) EXPECT_NEAR(rows[i].phi, 0, 1e-12) << "the state is closed";
      const JointGeometry geometry = geometry_of(joint);
      const Placement A = kinematics[joint.a], B = kinematics[joint.b];
      const Directions free = free_directions(kind, false, JointPose(geometry, A, B));
      ASSERT_EQ(free.count, free_direction_count(kind, false));
      EXPECT_EQ(free.count + rows.count, planar ? 3 : 6);
      Eigen::MatrixXd span(6, free.count + rows.count);
      const Vec3 arm = attach(B, joint.anchor_b).arm;
      for (int f = 0; f < free.count; ++f) {
        const Spatial& F = free.F[static_cast<std::size_t>(f)];
        span.col(f) = flat(F);
        // B moves along F at its anchor, A stands still.
        const BodyVector vb{F.linear - cross(F.angular, arm), F.angular, 0};
        for (int i = 0; i < rows.count; ++i) EXPECT_NEAR(velocity(rows[i], {}, vb), 0, 1e-12) << "row " << i;
      }
      for (int i = 0; i < rows.count; ++i)
        span.col(free.count + i) = flat({rows[i].b.linear, rows[i].b.angular - cross(arm, rows[i].b.linear)});
      EXPECT_EQ(span.colPivHouseholderQr().rank(), span.cols());
    }
  }
  EXPECT_GE(kinds, 9);
}

// The motor prescribes coordinate 0: what is left free does not move it, and every other coordinate has a direction of its own.
TEST(FreeDirections, a_motor_takes_the_direction_of_coordinate_0_and_the_others_keep_theirs) {
  for (const JointKind kind : {JointKind::hinge, JointKind::slider, JointKind::screw, JointKind::cylindrical,
                               JointKind::universal, JointKind::planar}) {
    SCOPED_TRACE(name_of(kind));
    const Case c = closed(kind, false, 5);
    const Joint& joint = c.motion.model.joints[0];
    Kinematics kinematics(c.motion.model);
    kinematics.update(c.motion.model, c.motion.state);
    Rows coordinates;
    joint_coordinates(joint, kinematics, coordinates);
    const JointGeometry geometry = geometry_of(joint);
    const Placement A = kinematics[joint.a], B = kinematics[joint.b];
    const Vec3 arm = attach(B, joint.anchor_b).arm;
    for (const bool motor : {false, true}) {
      const Directions free = free_directions(kind, motor, JointPose(geometry, A, B));
      EXPECT_EQ(free.count, coordinates.count - (motor ? 1 : 0));
      for (int q = 0; q < coordinates.count; ++q) {
        const int direction = direction_of(kind, motor, q);
        EXPECT_EQ(direction < 0, motor && q == 0);
        for (int f = 0; f < free.count; ++f) {
          const Spatial& F = free.F[static_cast<std::size_t>(f)];
          const double rate = velocity(coordinates[q], {}, {F.linear - cross(F.angular, arm), F.angular, 0});
          EXPECT_NEAR(rate, f == direction ? 1 : 0, 1e-12) << "coordinate " << q << " direction " << f;
        }
      }
    }
  }
}

}  // namespace free_directions_test
}  // namespace catena
