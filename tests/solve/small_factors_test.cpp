#include "catena/solve/small_factors.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "solve/random_problems.h"

namespace catena::solve {
namespace small_factors_test {

using namespace testing_problems;

void write(const Eigen::MatrixXd& A, SmallFactors& factors) {
  const auto n = static_cast<std::size_t>(A.rows());
  factors.resize(n);
  for (std::size_t j = 0; j < n; ++j) std::copy_n(A.data() + j * n, n, factors.column(j));
}

// Relative to the condition of the matrix, 1e-13 a row: rounding of an elimination with pivots.
TEST(SmallFactors, SolveAsEigenDoes) {
  Random random(1);
  SmallFactors factors;
  for (int n = 1; n <= 40; ++n)
    for (const bool symmetric : {true, false}) {
      Eigen::MatrixXd A = random_matrix(random, n, n);
      if (symmetric) A = Eigen::MatrixXd(A * A.transpose() + Eigen::MatrixXd::Identity(n, n));
      const Eigen::VectorXd b = random_matrix(random, n, 1);
      write(A, factors);
      ASSERT_TRUE(symmetric ? factors.factor_symmetric() : factors.factor()) << n;
      Eigen::VectorXd x = b;
      factors.substitute(x.data());
      const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
      EXPECT_LE((A * x - b).norm(), 1e-13 * n / lu.rcond() * b.norm()) << n << (symmetric ? " symmetric" : "");
      EXPECT_LE((x - lu.solve(b)).norm(), 1e-13 * n / lu.rcond() * x.norm()) << n;
    }
}

TEST(SmallFactors, SayWhereAMatrixCannotBeFactored) {
  SmallFactors factors;
  Eigen::Matrix3d M;
  M << 1, 2, 3, 2, 1, 0, 3, 0, 1;  // indefinite
  write(M, factors);
  EXPECT_FALSE(factors.factor_symmetric());
  M << 1, 2, 3, 2, 4, 6, 1, 0, 1;  // the second row twice the first
  write(M, factors);
  EXPECT_FALSE(factors.factor());
}

}  // namespace small_factors_test
}  // namespace catena::solve
