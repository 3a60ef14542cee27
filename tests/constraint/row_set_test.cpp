#include "catena/constraint/row_set.h"

#include <gtest/gtest.h>

#include "constraint/row_testing.h"

namespace catena {
namespace row_set_test {

using namespace testing_rows;

// Rigid bodies in general position and joints of the kinds given, every third of them to the ground.
struct Mechanism {
  Model model;
  State state;

  Mechanism(std::initializer_list<JointKind> kinds, unsigned seed) {
    Random random(seed);
    for (int i = 0; i < 6; ++i) add_body(model, state, BodyKind::rigid, random);
    int number = 0;
    for (const JointKind kind : kinds) {
      Joint joint;
      joint.name = "joint" + std::to_string(number);
      joint.kind = kind;
      if (number % 3 != 2 || number == 2) joint.a = BodyId(number % 6);
      if (number != 2) joint.b = BodyId((number + 1) % 6);
      joint.anchor_a = random.vector(0.5), joint.anchor_b = random.vector(0.5);
      joint.frame_a = random.rotation(), joint.frame_b = random.rotation();
      joint.index = number++;
      model.joints.push_back(joint);
    }
  }
  RowSet all() const {
    std::vector<JointId> joints;
    for (std::size_t j = 0; j < model.joints.size(); ++j) joints.emplace_back(j);
    return {model, joints};
  }
};

constexpr JointKind kHinge = JointKind::hinge, kBall = JointKind::ball;

TEST(RowSet, rows_of_four_pivots_have_the_bits_of_one) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Mechanism mechanism({kHinge, kHinge, kHinge, kBall, kHinge, kHinge, kHinge, kHinge, kHinge, kHinge, kBall}, seed);
    if (seed % 2 == 1)  // four hinges between two bodies each come first
      for (std::size_t j = 0; j < 4; ++j)
        mechanism.model.joints[j].kind = kHinge, mechanism.model.joints[j].a = BodyId(0),
        mechanism.model.joints[j].b = BodyId(j + 1);
    Kinematics kinematics(mechanism.model);
    kinematics.update(mechanism.model, mechanism.state);
    RowSet all = mechanism.all();
    all.evaluate(mechanism.model, kinematics);
    RowSet gaps = mechanism.all();
    gaps.evaluate_phi(mechanism.model, kinematics);
    std::size_t row = 0, term = 0;
    for (std::size_t j = 0; j < mechanism.model.joints.size(); ++j) {
      RowSet own(mechanism.model, {JointId(j)});
      own.evaluate(mechanism.model, kinematics);
      for (std::size_t i = 0; i < own.phi.size(); ++i, ++row) {
        EXPECT_EQ(all.phi[row], own.phi[i]) << j << ' ' << i;
        EXPECT_EQ(all.c[row], own.c[i]) << j << ' ' << i;
      }
      for (std::size_t t = 0; t < own.J.size(); ++t, ++term) {
        EXPECT_EQ(all.J[term].linear, own.J[t].linear) << j << ' ' << t;
        EXPECT_EQ(all.J[term].angular, own.J[t].angular) << j << ' ' << t;
      }
      own.evaluate_phi(mechanism.model, kinematics);
      for (std::size_t i = 0; i < own.phi.size(); ++i)
        EXPECT_EQ(gaps.phi[row - own.phi.size() + i], own.phi[i]) << j << ' ' << i;
    }
  }
}

TEST(RowSet, universal_joints_and_sliders_have_the_rows_of_their_kind) {
  const Mechanism mechanism({JointKind::universal, JointKind::slider, JointKind::universal, JointKind::slider,
                             JointKind::slider, JointKind::universal},
                            5);
  Kinematics kinematics(mechanism.model);
  kinematics.update(mechanism.model, mechanism.state);
  RowSet all = mechanism.all(), parts = mechanism.all();
  all.evaluate(mechanism.model, kinematics);
  parts.evaluate_places(mechanism.model, kinematics);
  parts.evaluate_rates(mechanism.model, kinematics);
  std::size_t row = 0;
  constexpr double kSame = 1e-13;
  for (const Joint& joint : mechanism.model.joints) {
    Rows rows;
    joint_rows(mechanism.model, joint, kinematics, rows);
    for (int i = 0; i < rows.count; ++i, ++row) {
      EXPECT_NEAR(all.phi[row], rows[i].phi, kSame);
      EXPECT_NEAR(all.c[row], rows[i].c, kSame);
      EXPECT_EQ(all.c[row], parts.c[row]);
      auto term = static_cast<std::size_t>(all.start[row]);
      const auto same = [&](const BodyVector& own) {
        const BodyVector& J = all.J[term++];
        EXPECT_LT(norm(J.linear - own.linear) + norm(J.angular - own.angular), kSame) << joint.name << ' ' << i;
      };
      if (joint.a.valid()) same(rows[i].a);
      if (joint.b.valid()) same(rows[i].b);
    }
  }
  ASSERT_EQ(row, all.phi.size());
}

}  // namespace row_set_test
}  // namespace catena
