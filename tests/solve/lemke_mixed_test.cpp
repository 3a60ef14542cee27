// Lemke's method with free rows and bounds, by way of the LCP form.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "catena/solve/lemke.h"
#include "solve/random_problems.h"

namespace catena::solve {
namespace lemke_mixed_test {

// Equalities stated twice, and their sum once more: dropped, not divided by. An equality that contradicts them is a ray.
TEST(LemkeMixed, FreeRowsThatDependOnOthers) {
  testing_problems::Random random(5);
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, 3, 6);
  Eigen::MatrixXd rows(6, 6);
  rows << B, B.row(0), B.row(1), B.row(0) + B.row(2);
  const Eigen::MatrixXd A = rows * rows.transpose();
  Problem problem{A, rows * testing_problems::random_matrix(random, 6, 1), complementary_rows(6)};
  for (const int i : {0, 1, 3, 4, 5}) problem.blocks[i].law = Law::free;
  const Solution solution = lemke(problem);
  EXPECT_EQ(solution.certificate.status, Status::exact);
  EXPECT_LE(solution.certificate.residual, 1e-12);
  problem.b[3] += 1;
  EXPECT_EQ(lemke(problem).certificate.status, Status::ray);
}

// A saddle with free rows whose own block is zero: A_ff = 0 must be left in the path, not eliminated.
TEST(LemkeMixed, FreeRowsWithoutADiagonal) {
  Eigen::MatrixXd A(3, 3);
  A << 0, 1, 2, -1, 2, 0, -2, 0, 3;  // row 0 free: z₁ + 2 z₂ = 3
  Vector b(3);
  b << -3, 1, 1;
  Problem problem{A, b, complementary_rows(3)};
  problem.blocks[0].law = Law::free;
  const Solution solution = lemke(problem);
  EXPECT_EQ(solution.certificate.status, Status::exact);
  EXPECT_NEAR(solution.z[1] + 2 * solution.z[2], 3, 1e-13);
}

// Every law that has an LCP form, all in one problem: the answer obeys each by the natural map, which knows nothing of pivots.
TEST(LemkeMixed, AnswersObeyFreeComplementaryBoxedAndBoundedRowsTogether) {
  testing_problems::Random random(11);
  int bounded = 0;
  for (int trial = 0; trial < 50; ++trial) {
    constexpr int n = 12;
    const Eigen::MatrixXd B = testing_problems::random_matrix(random, n, n);
    Problem problem{Eigen::MatrixXd(B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n)),
                    3 * testing_problems::random_matrix(random, n, 1), complementary_rows(n)};
    for (int i = 0; i < n; ++i) {
      Block& block = problem.blocks[static_cast<std::size_t>(i)];
      if (i % 4 == 0) block.law = Law::free;
      if (i % 4 == 2) block.law = Law::boxed, block.lower = -0.3, block.upper = 0.2;
      if (i % 4 == 3) block.law = Law::bounded_by, block.parent = i - 2, block.friction[0] = 0.4;
    }
    check(problem);
    const Solution solution = lemke(problem);
    EXPECT_EQ(solution.certificate.status, Status::exact);
    const Vector w = to_dense(problem.A) * solution.z + problem.b;
    EXPECT_LE(natural_residual(problem, solution.z, w, matrix_scale(problem.A)).value, 1e-11);
    for (int i = 3; i < n; i += 4)
      bounded += std::abs(solution.z[i]) > 0.39 * solution.z[i - 2] && solution.z[i - 2] > 0 ? 1 : 0;
  }
  EXPECT_GT(bounded, 10);
}

}  // namespace lemke_mixed_test
}  // namespace catena::solve
