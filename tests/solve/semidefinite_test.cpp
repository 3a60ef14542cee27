#include "catena/solve/semidefinite.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <random>
#include <vector>

namespace catena {
namespace semidefinite_test {

Eigen::MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd A(rows, columns);
  for (double& x : A.reshaped()) x = uniform(engine);
  return A;
}

// n x n of the given rank; singular values of the factor are of order 1.
Eigen::MatrixXd gram(int n, int rank, unsigned seed) {
  const Eigen::MatrixXd B = random_matrix(n, rank, seed);
  return B * B.transpose();
}

Eigen::VectorXd solve(SemidefiniteSolver& solver, const Eigen::VectorXd& r) {
  Eigen::VectorXd z(r.size());
  solver.solve(r, z);
  return z;
}

// Errors of a Cholesky solution are about condition times rounding: the matrices here have conditions below 1e6.
constexpr double kTolerance = 1e-9;

TEST(SemidefiniteSolver, a_regular_matrix_is_solved_like_any_other) {
  for (const int n : {1, 2, 5, 20, 60}) {
    const Eigen::MatrixXd W = gram(n, n, static_cast<unsigned>(n)) + 0.1 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd r = random_matrix(n, 1, 99);
    SemidefiniteSolver solver;
    solver.factor(W, W.diagonal());
    EXPECT_EQ(solver.rank(), n);
    EXPECT_TRUE(solver.redundant().empty());
    EXPECT_LE((solve(solver, r) - W.ldlt().solve(r)).norm(), kTolerance * r.norm());
  }
}

TEST(SemidefiniteSolver, only_the_lower_triangle_is_read) {
  Eigen::MatrixXd W = gram(6, 6, 3) + Eigen::MatrixXd::Identity(6, 6);
  const Eigen::VectorXd r = random_matrix(6, 1, 4), wanted = W.ldlt().solve(r);
  W.triangularView<Eigen::StrictlyUpper>().setConstant(1e10);
  SemidefiniteSolver solver;
  solver.factor(W, W.diagonal());
  EXPECT_LE((solve(solver, r) - wanted).norm(), kTolerance);
}

TEST(SemidefiniteSolver, a_singular_matrix_gives_the_solution_of_least_norm) {
  for (const auto& [n, rank] : {std::pair{3, 1}, {6, 4}, {20, 13}, {50, 47}, {30, 29}}) {
    SCOPED_TRACE(n);
    const Eigen::MatrixXd W = gram(n, rank, static_cast<unsigned>(7 * n));
    const Eigen::VectorXd r = W * random_matrix(n, 1, 5);  // consistent
    SemidefiniteSolver solver;
    solver.factor(W, W.diagonal());
    EXPECT_EQ(solver.rank(), rank);
    EXPECT_EQ(static_cast<int>(solver.redundant().size()), n - rank);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> pseudo_inverse;
    pseudo_inverse.setThreshold(1e-9);
    pseudo_inverse.compute(W);
    const Eigen::VectorXd wanted = pseudo_inverse.solve(r);
    EXPECT_LE((solve(solver, r) - wanted).norm(), kTolerance * std::max(1.0, wanted.norm()));
  }
}

// Rows in different units: metres and radians, grams and tonnes.
TEST(SemidefiniteSolver, the_rank_does_not_depend_on_the_units_of_the_rows) {
  const int n = 12, rank = 9;
  Eigen::MatrixXd W = gram(n, rank, 21);
  Eigen::VectorXd units(n);
  for (int i = 0; i < n; ++i) units[i] = std::pow(10.0, i % 7 - 3);
  W = units.asDiagonal() * W * units.asDiagonal();
  SemidefiniteSolver solver;
  solver.factor(W, W.diagonal());
  EXPECT_EQ(solver.rank(), rank);
}

TEST(SemidefiniteSolver, a_duplicate_row_is_named_and_the_load_is_shared) {
  // Rows 1 and 3 are the same.
  Eigen::MatrixXd J = random_matrix(4, 6, 8);
  J.row(3) = J.row(1);
  const Eigen::MatrixXd W = J * J.transpose();
  const Eigen::VectorXd r = W * random_matrix(4, 1, 9);
  SemidefiniteSolver solver;
  solver.factor(W, W.diagonal());
  ASSERT_EQ(solver.redundant().size(), 1u);
  EXPECT_TRUE(solver.redundant()[0] == 1 || solver.redundant()[0] == 3);
  const Eigen::VectorXd z = solve(solver, r);
  EXPECT_NEAR(z[1], z[3], 1e-12);
  EXPECT_LE((W * z - r).norm(), 1e-12 * r.norm());
}

TEST(SemidefiniteSolver, a_row_of_zeros_gets_no_force) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(5, 5);
  W.topLeftCorner(3, 3) = gram(3, 3, 2) + Eigen::MatrixXd::Identity(3, 3);
  Eigen::VectorXd size = W.diagonal();
  size[4] = 1;  // a row that is zero because what it was made of cancelled
  W(4, 4) = 1e-16;
  SemidefiniteSolver solver;
  solver.factor(W, size);
  EXPECT_EQ(solver.rank(), 3);
  std::vector<int> named(solver.redundant().begin(), solver.redundant().end());
  std::ranges::sort(named);
  EXPECT_EQ(named, (std::vector<int>{3, 4}));
  const Eigen::VectorXd z = solve(solver, Eigen::VectorXd::Ones(5));
  EXPECT_EQ(z[3], 0);
  EXPECT_EQ(z[4], 0);
  EXPECT_LE((W.topLeftCorner(3, 3) * z.head(3) - Eigen::VectorXd::Ones(3)).norm(), 1e-13);
}

TEST(SemidefiniteSolver, a_smaller_system_after_a_larger_one_is_solved_as_if_it_were_the_first) {
  SemidefiniteSolver used, fresh;
  const Eigen::MatrixXd large = gram(15, 11, 1), small = gram(6, 4, 2);
  used.factor(large, large.diagonal());
  used.factor(small, small.diagonal());
  fresh.factor(small, small.diagonal());
  const Eigen::VectorXd r = small * random_matrix(6, 1, 3);
  EXPECT_EQ(used.rank(), 4);
  EXPECT_EQ(used.redundant().size(), 2u);
  EXPECT_EQ(solve(used, r), solve(fresh, r));
}

TEST(SemidefiniteSolver, nothing_is_a_system_too) {
  SemidefiniteSolver solver;
  solver.factor(Eigen::MatrixXd(0, 0), Eigen::VectorXd(0));
  EXPECT_EQ(solver.rank(), 0);
  EXPECT_EQ(solve(solver, Eigen::VectorXd(0)).size(), 0);
}

}  // namespace semidefinite_test
}  // namespace catena
