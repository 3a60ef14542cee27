// Targets that rows cannot meet all at once, and the nearest they can.
#include "catena/solve/consistent.h"

#include <gtest/gtest.h>

namespace catena::solve {
namespace consistent_test {

// Two contacts that stick on one body along one line: their first tangents are the same row twice.
Problem twins(double difference) {
  Eigen::MatrixXd J(6, 3);  // normal, along, across of either; a body of three freedoms
  J << 0, 1, 0.1, 1, 0, 0, 0, 0.2, 1, 0, 1, -0.1, 1, 0, 0, 0, 0.2, -1;
  Problem problem;
  problem.A = Eigen::MatrixXd(J * J.transpose());
  problem.b = J * Eigen::Vector3d(-0.1, -1, 0.01);
  problem.b[1] += difference / 2;
  problem.b[4] -= difference / 2;
  problem.blocks = friction_cones(Vector::Constant(2, 0.8), 3);
  return problem;
}

TEST(Consistent, rows_that_agree_are_left_alone) {
  Problem problem = twins(0);
  const Vector b = problem.b, z = (Vector(6) << 0.5, 0.05, 0, 0.5, 0.05, 0).finished();
  EXPECT_EQ(held_rows(problem, z).size(), 6u);
  EXPECT_LT(make_consistent(z, problem), 1e-14);
  EXPECT_LT((problem.b - b).norm(), 1e-14);
}

TEST(Consistent, rows_that_contradict_each_other_meet_half_way) {
  constexpr double kDifference = 1e-3;
  Problem problem = twins(kDifference);
  const Vector z = (Vector(6) << 0.5, 0.05, 0, 0.5, 0.05, 0).finished();
  EXPECT_NEAR(make_consistent(z, problem), kDifference / 2, 1e-12);
  EXPECT_LT((problem.b - twins(0).b).norm(), 1e-12);
}

TEST(Consistent, rows_that_slip_or_are_open_do_not_count) {
  Problem problem = twins(1e-3);
  const Vector b = problem.b;
  const Vector slips = (Vector(6) << 0.5, 0.4, 0, 0.5, 0.4, 0).finished();  // on the cone
  EXPECT_EQ(held_rows(problem, slips), (std::vector<int>{0, 3}));
  EXPECT_LT(make_consistent(slips, problem), 1e-14);
  EXPECT_TRUE(held_rows(problem, Vector::Zero(6)).empty());
  EXPECT_EQ(make_consistent(Vector::Zero(6), problem), 0);
  EXPECT_LT((problem.b - b).norm(), 1e-14);
}

// Rolling friction of the two, about one axis: the same row twice, bounded by either normal.
TEST(Consistent, rolling_that_holds_counts_and_rolling_at_its_bound_does_not) {
  constexpr double kDifference = 1e-3, kLever = 0.1;
  const auto rolling = [&](double difference) {
    Problem problem = twins(0);
    Eigen::MatrixXd J(8, 3);
    J << 0, 1, 0.1, 1, 0, 0, 0, 0.2, 1, 0, 1, -0.1, 1, 0, 0, 0, 0.2, -1, 0.3, 0, 0.5, 0.3, 0, 0.5;
    problem.A = Eigen::MatrixXd(J * J.transpose());
    problem.b = J * Eigen::Vector3d(-0.1, -1, 0.01);
    problem.b[6] += difference / 2;
    problem.b[7] -= difference / 2;
    for (int k = 0; k < 2; ++k) {
      Block turn{.law = Law::bounded_by, .first = 6 + k, .size = 1};
      turn.friction[0] = kLever;
      turn.parent = 3 * k;
      problem.blocks.push_back(turn);
    }
    return problem;
  };
  const auto pushing = [](double turn) { return (Vector(8) << 0.5, 0.05, 0, 0.5, 0.05, 0, turn, turn).finished(); };
  Problem held = rolling(kDifference);
  EXPECT_EQ(held_rows(held, pushing(0.01)).size(), 8u);
  EXPECT_NEAR(make_consistent(pushing(0.01), held), kDifference / 2, 1e-12);
  EXPECT_LT((held.b - rolling(0).b).norm(), 1e-12);
  Problem rolls = rolling(kDifference);
  EXPECT_EQ(held_rows(rolls, pushing(kLever * 0.5)).size(), 6u);
  EXPECT_LT(make_consistent(pushing(kLever * 0.5), rolls), 1e-14);
}

}  // namespace consistent_test
}  // namespace catena::solve
