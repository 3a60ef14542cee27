#include "catena/constraint/joint_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "constraint/joint_cases.h"

namespace catena {
namespace joint_rows_test {

using namespace testing_rows;

TEST(JointRows, every_kind_and_every_pair_of_bodies_the_rules_allow_is_tried) {
  std::vector<int> pairs(kJointKindCount);
  for (const Case& c : all_cases()) pairs[static_cast<std::size_t>(c.motion.model.joints[0].kind)] += 1;
  for (int k = 0; k < kJointKindCount; ++k) {
    const auto kind = static_cast<JointKind>(k);
    EXPECT_GE(pairs[k], kind == JointKind::coupling || kind == JointKind::compound ? 0 : 6) << name_of(kind);
  }
}

TEST(JointRows, a_kind_has_as_many_rows_as_its_dimension_says_and_one_for_its_motor) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    Rows rows;
    joint_rows(c.motion.model, c.motion.model.joints[0], now.kinematics, rows);
    EXPECT_EQ(rows.count, dimension(c.motion.model.joints[0]) + (c.has_motor ? 1 : 0));
    EXPECT_EQ(rows.count, row_count(c.motion.model, c.motion.model.joints[0]));
  }
}

TEST(JointRows, J_v_is_the_rate_of_phi) {
  int tried = 0;
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i) {
      if (!now.rows.holonomic[i]) continue;
      EXPECT_GT(std::abs(now.rows.phi[i]), 1e-6) << "row " << i << ": the state is to be off the constraint";
      const double rate = derivative_at_zero([&](double t) { return Evaluated(c, t).rows.phi[i]; }, difference_step(c));
      expect_near(now.velocity(i), rate, fmt::format("row {}", i).c_str());
      ++tried;
    }
  }
  EXPECT_GT(tried, 500);
}

// What is asked for most, where the bodies would be, has a shorter way for threads between particles.
TEST(JointRows, phi_by_itself_is_the_phi_of_the_whole_row) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    RowSet alone(c.motion.model, {JointId(0)});
    alone.evaluate_phi(c.motion.model, now.kinematics);
    EXPECT_EQ(alone.phi, now.rows.phi);
  }
}

TEST(JointRows, J_vdot_plus_c_is_the_rate_of_J_v_minus_u) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    for (int i = 0; i < now.rows.rows(); ++i) {
      const double rate = derivative_at_zero(
          [&](double t) {
            const Evaluated then(c, t);
            return then.velocity(i) - then.rows.u[i];
          },
          difference_step(c));
      expect_near(now.rows.times(i, c.motion.vdot) + now.rows.c[i], rate, fmt::format("row {}", i).c_str());
    }
  }
}

TEST(JointRows, a_motor_asks_for_the_velocity_of_its_signal_along_coordinate_0) {
  int tried = 0;
  for (const Case& c : all_cases()) {
    if (!c.has_motor) continue;
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    const int last = now.rows.rows() - 1;
    const double turn = 2 * std::numbers::pi * 0.7;
    EXPECT_NEAR(now.rows.u[last], 0.2 + 1.3 * std::sin(turn * 0.37 + 0.4), 1e-14);
    Rows coordinates;
    joint_coordinates(c.motion.model.joints[0], now.kinematics, coordinates);
    const Joint& joint = c.motion.model.joints[0];
    const BodyVector va = joint.a.valid() ? velocity_of(now.moved.bodies[joint.a]) : BodyVector{};
    const BodyVector vb = joint.b.valid() ? velocity_of(now.moved.bodies[joint.b]) : BodyVector{};
    EXPECT_NEAR(now.velocity(last), velocity(coordinates[0], va, vb), 1e-13);
    ++tried;
  }
  EXPECT_GT(tried, 50);
}

// Two rolling rows, and those of gear, rack and skate, hold velocities only.
TEST(JointRows, only_velocity_constraints_and_motors_are_not_holonomic) {
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name);
    const Evaluated now(c, 0);
    int velocity_rows = c.has_motor ? 1 : 0;
    switch (c.motion.model.joints[0].kind) {
      case JointKind::gear:
      case JointKind::rack:
      case JointKind::skate: velocity_rows = 1; break;
      case JointKind::rolling: velocity_rows = 2; break;
      case JointKind::tangent_surfaces: velocity_rows = c.motion.model.joints[0].surfaces->slides ? 0 : 2; break;
      default: break;
    }
    int counted = 0;
    for (int i = 0; i < now.rows.rows(); ++i) counted += now.rows.holonomic[i] ? 0 : 1;
    EXPECT_EQ(counted, velocity_rows);
  }
}

}  // namespace joint_rows_test
}  // namespace catena
