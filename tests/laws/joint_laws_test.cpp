// What laws hold of joints, against the coordinates of the joints along the motion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "catena/catena.h"
#include "catena/laws/joint_law_key.h"
#include "laws/laws_testing.h"

namespace catena {
namespace joint_laws_test {

using namespace testing_laws;

// Two bodies and a joint in general position and motion, not closed: limits are of coordinates, which are there all the same.
RandomMotion jointed(JointKind kind, const JointExtras& extras, unsigned seed) {
  Random random(seed);
  RandomMotion motion;
  Joint joint;
  joint.name = "joint";
  joint.kind = kind;
  joint.a = add_shaped(motion, BodyKind::rigid, Point{}, random);
  joint.b = add_shaped(motion, BodyKind::rigid, Point{}, random);
  for (Body& body : motion.model.bodies) body.shapes.clear();
  joint.anchor_a = random.vector(0.5), joint.anchor_b = random.vector(0.5);
  joint.frame_a = random.rotation();
  const auto turn = [&](int i) { return motion.state.bodies[static_cast<std::size_t>(i)].orientation; };
  joint.frame_b = normalized(turn(1).conjugate() * exp_rotation(random.vector(0.8)) * turn(0) * joint.frame_a);
  if (kind == JointKind::distance) joint.parameter = 0.7, motion.state.bodies[1].position.x += 2;
  if (kind == JointKind::screw) joint.parameter = 0.3;
  joint.extras = 0;
  joint.index = 0;
  motion.model.extras = {extras};
  motion.model.extras[0].offset = JointArray{};  // not so that the state is where it starts
  motion.model.joints = {joint};
  motion.state.time = 0.4;
  for (std::size_t i = 0; i < 2; ++i) motion.vdot[i] = random.motion(BodyKind::rigid);
  return motion;
}

JointExtras limited(double lower, double upper) {
  JointExtras extras;
  extras.limits = Limits{lower, upper, 0.3};
  return extras;
}

struct Limited {
  JointKind kind;
  JointExtras extras;
};
std::vector<Limited> limited_joints() {
  std::vector<Limited> out;
  for (const JointKind kind :
       {JointKind::hinge, JointKind::slider, JointKind::cylindrical, JointKind::screw, JointKind::distance})
    out.push_back({kind, limited(-0.7, 0.9)});
  out.push_back({JointKind::cylindrical, limited(-0.7, 0.9)});
  out.back().extras.limits2 = Limits{-0.4, 0.6};
  JointExtras ball = limited(-0.7, 0.9);
  ball.limits->cone = 1.1;
  out.push_back({JointKind::ball, ball});
  return out;
}

// Rates are about 4/s: the differences are good to 1e-11 (derivative_at_zero()).
TEST(JointLaws, J_v_of_a_limit_is_the_rate_of_its_gap_and_J_vdot_plus_c_that_of_J_v) {
  for (const Limited& of : limited_joints())
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(testing::Message() << name_of(of.kind) << ' ' << seed);
      const RandomMotion motion = jointed(of.kind, of.extras, seed);
      const Found now(motion);
      const LawRows& rows = now.laws.rows();
      ASSERT_EQ(rows.blocks.size(), of.extras.limits2 ? 4U : of.kind == JointKind::ball ? 3U : 2U);
      for (std::size_t k = 0; k < rows.blocks.size(); ++k) {
        const LawBlock& block = rows.blocks[k];
        const LawRow& row = rows.row(block);
        EXPECT_EQ(block.kind, LawKind::limit);
        const double rate = derivative_at_zero([&](double t) { return Found(motion, t).laws.rows().blocks[k].gap; });
        EXPECT_GT(std::abs(rate), 1e-3);
        EXPECT_NEAR(row.speed, rate, 1e-8 * std::max(1.0, std::abs(rate)));
        const double acceleration = derivative_at_zero([&](double t) {
          const Found then(motion, t);
          return then.speed(then.laws.rows().blocks[k]);
        });
        EXPECT_NEAR(times(rows, block, row, motion.vdot) + row.c, acceleration,
                    1e-8 * std::max(1.0, std::abs(acceleration)));
      }
    }
}

TEST(JointLaws, the_gaps_to_both_limits_of_a_coordinate_add_up_to_the_room_between_them) {
  for (const Limited& of : limited_joints()) {
    SCOPED_TRACE(name_of(of.kind));
    const RandomMotion motion = jointed(of.kind, of.extras, 7);
    const Found now(motion);
    const LawRows& rows = now.laws.rows();
    EXPECT_NEAR(rows.blocks[0].gap + rows.blocks[1].gap, 1.6, 1e-14);
    EXPECT_NEAR(now.speed(rows.blocks[0]) + now.speed(rows.blocks[1]), 0, 1e-15);
    EXPECT_EQ(rows.blocks[0].restitution, 0.3);
    if (of.extras.limits2) {
      EXPECT_NEAR(rows.blocks[2].gap + rows.blocks[3].gap, 1.0, 1e-14);
    }
  }
}

// The angle between the two axes, worked out from them.
TEST(JointLaws, the_cone_of_a_ball_joint_is_the_angle_between_the_axes_of_its_bodies) {
  JointExtras extras;
  extras.limits = Limits{};
  extras.limits->cone = 1.1;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const RandomMotion motion = jointed(JointKind::ball, extras, seed);
    const Found now(motion);
    ASSERT_EQ(now.laws.rows().blocks.size(), 1U);
    const Joint& joint = motion.model.joints[0];
    const Vec3 a = rotate(now.state.bodies[0].orientation * joint.frame_a, Vec3{0, 0, 1});
    const Vec3 b = rotate(now.state.bodies[1].orientation * joint.frame_b, Vec3{0, 0, 1});
    EXPECT_NEAR(now.laws.rows().blocks[0].gap, 1.1 - std::acos(dot(a, b)), 1e-13);
  }
}

// B turned by the twist about the axis, then swung about an axis across it.
TEST(JointLaws, the_twist_of_a_ball_joint_is_the_turn_about_its_axis_before_the_swing) {
  for (const double twist : {-0.6, 0.2, 0.8}) {
    RandomMotion motion = jointed(JointKind::ball, limited(-0.7, 0.9), 14);
    const Joint& joint = motion.model.joints[0];
    const Quat swing = exp_rotation(Vec3{0.5, -0.9, 0});
    motion.state.bodies[1].orientation = normalized(motion.state.bodies[0].orientation * joint.frame_a * swing *
                                                    exp_rotation(Vec3{0, 0, twist}) * joint.frame_b.conjugate());
    const Found now(motion);
    EXPECT_NEAR(now.laws.rows().blocks[0].gap, twist + 0.7, 1e-14);
    EXPECT_NEAR(now.laws.rows().blocks[1].gap, 0.9 - twist, 1e-14);
  }
}

TEST(JointLaws, a_rope_is_held_at_the_limits_of_its_distance_alone) {
  const RandomMotion motion = jointed(JointKind::distance, limited(0.2, 1.9), 3);
  const Found now(motion);
  const auto end = [&](std::size_t i, const Vec3& anchor) {
    const BodyState& s = now.state.bodies[i];
    return s.position + rotate(s.orientation, anchor);
  };
  const Joint& joint = motion.model.joints[0];
  const double distance = norm(end(0, joint.anchor_a) - end(1, joint.anchor_b));
  ASSERT_EQ(now.laws.rows().blocks.size(), 2U);
  EXPECT_NEAR(now.laws.rows().blocks[0].gap, distance - 0.2, 1e-14);
  EXPECT_NEAR(now.laws.rows().blocks[1].gap, 1.9 - distance, 1e-14);
}

// w = J v − u: the row of a motor that is weak asks for the velocity of its signal, whose rate is in c.
TEST(JointLaws, a_motor_of_limited_force_follows_its_signal) {
  const Sine sine{1.3, 0.7, 0.4, 0.2};
  JointExtras extras;
  extras.motor = Motor{sine, 6.0};
  for (const JointKind kind : {JointKind::hinge, JointKind::slider, JointKind::screw}) {
    const RandomMotion motion = jointed(kind, extras, 5);
    const Found now(motion);
    const LawBlock& block = now.only(LawKind::motor);
    const LawRow& row = now.laws.rows().row(block);
    EXPECT_EQ(block.force, 6);
    EXPECT_NEAR(row.phi, value(sine, motion.state.time), 1e-15);
    const double rate = derivative_at_zero([&](double t) {
      const Found then(motion, t);
      const LawRow& at = then.laws.rows().row(then.only(LawKind::motor));
      return at.speed - at.phi;
    });
    EXPECT_NEAR(times(now.laws.rows(), block, row, motion.vdot) + row.c, rate, 1e-8 * std::max(1.0, std::abs(rate)));
  }
}

TEST(JointLaws, dry_friction_is_along_its_coordinate_and_has_no_gap) {
  JointExtras extras = limited(-0.7, 0.9);
  extras.friction = 2.5;
  const RandomMotion motion = jointed(JointKind::cylindrical, extras, 6);
  const Found now(motion);
  const LawBlock& block = now.only(LawKind::dry_friction);
  EXPECT_EQ(block.force, 2.5);
  EXPECT_EQ(block.gap, 0);
  EXPECT_NEAR(now.speed(block), now.speed(now.laws.rows().blocks[0]), 1e-15) << "the row of the lower limit";
}

TEST(JointLaws, the_rows_of_a_joint_with_compliance_are_those_of_the_joint) {
  JointExtras extras;
  extras.compliance = 1e-3, extras.relaxation = 0.02;
  for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::weld, JointKind::screw}) {
    const RandomMotion motion = jointed(kind, extras, 8);
    const Found now(motion);
    const LawBlock& block = now.only(LawKind::soft);
    ASSERT_EQ(block.size, dimension(kind));
    Rows rows;
    joint_rows(motion.model, motion.model.joints[0], now.kinematics, rows);
    const std::vector<BodyVector> v = velocities_of(now.state);
    for (int i = 0; i < block.size; ++i) {
      EXPECT_EQ(now.laws.rows().row(block, i).phi, rows[i].phi);
      EXPECT_NEAR(now.speed(block, i), velocity(rows[i], v[0], v[1]), 1e-14);
      EXPECT_TRUE(is_spring_row(block, i));
    }
    EXPECT_EQ(block.spring.compliance, 1e-3);
    EXPECT_EQ(block.spring.relaxation, 0.02);
  }
}

TEST(JointLaws, limits_give_way_with_the_compliance_of_their_joint_only_where_that_is_asked_for) {
  JointExtras extras = limited(-0.7, 0.9);
  extras.compliance = 1e-3, extras.relaxation = 0.02;
  const RandomMotion motion = jointed(JointKind::hinge, extras, 9);
  Found now(motion);
  const auto limits_that_give_way = [&] {
    int n = 0;
    for (const LawBlock& block : now.laws.rows().blocks) n += gives_way(block) ? 1 : 0;
    return n;
  };
  EXPECT_EQ(limits_that_give_way(), 0);
  now.laws.let_give_way();
  now.laws.find(now.kinematics);
  EXPECT_EQ(limits_that_give_way(), 2);
}

TEST(JointLaws, every_law_of_every_joint_has_a_name_of_its_own) {
  JointExtras extras = limited(-0.7, 0.9);
  extras.limits2 = Limits{-0.4, 0.6};
  extras.friction = 2, extras.compliance = 1e-3;
  extras.motor = Motor{Constant{0.2}, 3.0};
  RandomMotion motion = jointed(JointKind::cylindrical, extras, 10);
  motion.model.joints.push_back(motion.model.joints[0]);
  motion.model.joints[1].index = 1;
  const Found now(motion);
  std::set<std::uint64_t> keys;
  for (const LawBlock& block : now.laws.rows().blocks) keys.insert(block.key);
  EXPECT_EQ(now.laws.rows().blocks.size(), 14U);
  EXPECT_EQ(keys.size(), 14U);
}

// A limit that is further away than the look ahead and the gap asked for cannot be met: the whole joint is left out, but not where anything
// else acts along it.
TEST(JointLaws, limits_are_left_out_only_where_they_cannot_be_met_and_nothing_else_acts_on_the_joint) {
  RandomMotion motion = jointed(JointKind::slider, limited(-20, 20), 11);
  const auto laws_of = [](const RandomMotion& of, double gap, double ahead) {
    Found now(of);
    now.laws.leave_out_far_limits(gap);
    now.laws.find(now.kinematics, ahead);
    return now.laws.rows().blocks.size();
  };
  const Found now(motion);
  const double gap = std::min(now.laws.rows().blocks[0].gap, now.laws.rows().blocks[1].gap);
  const double speed = std::abs(now.speed(now.laws.rows().blocks[0]));
  EXPECT_EQ(laws_of(motion, 0.99 * gap, 0), 0U);
  EXPECT_EQ(laws_of(motion, 1.01 * gap, 0), 2U);
  EXPECT_EQ(laws_of(motion, 0.1, 0.99 * gap / (4 * speed)), 0U);
  EXPECT_EQ(laws_of(motion, 0.1, 1.01 * gap / (4 * speed)), 2U);
  motion.model.extras[0].friction = 0.5;
  EXPECT_EQ(laws_of(motion, 0.1, 0), 3U);
  motion.model.extras[0].friction = 0;
  motion.model.extras[0].motor = Motor{Constant{0.2}, 3.0};
  EXPECT_EQ(laws_of(motion, 0.1, 0), 3U);
}

// Turns are counted: a hinge two turns on is two turns beyond its limit.
TEST(JointLaws, the_limits_of_a_hinge_count_its_turns) {
  RandomMotion motion = jointed(JointKind::hinge, limited(-0.7, 20), 12);
  Found now(motion);
  const double gap = now.laws.rows().blocks[1].gap;
  now.state.joint_angles = {JointArray{4 * std::numbers::pi + 0.1}};
  now.kinematics.update(motion.model, now.state);
  now.laws.find(now.kinematics);
  EXPECT_NEAR(now.laws.rows().blocks[1].gap, gap - 4 * std::numbers::pi, 1e-13);
}

TEST(JointLaws, what_rests_has_no_laws_of_joints) {
  const RandomMotion motion = jointed(JointKind::hinge, limited(-0.7, 0.9), 13);
  Found now(motion);
  now.laws.leave_out({0, 1});
  now.laws.find(now.kinematics);
  EXPECT_TRUE(now.laws.rows().blocks.empty());
}

}  // namespace joint_laws_test
}  // namespace catena
