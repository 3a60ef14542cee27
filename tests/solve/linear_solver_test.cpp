// The matrix of Newton steps, dense or sparse, against Eigen's LU with complete pivots.
#include "catena/solve/linear_solver.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "solve/random_problems.h"

namespace catena::solve {
namespace linear_solver_test {

// A band of blocks, and what is added to the diagonal ones.
SparseRows banded(testing_problems::Random& random, int blocks) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * blocks, 3 * blocks);
  for (int k = 0; k < blocks; ++k)
    for (int l = std::max(0, k - 1); l <= std::min(blocks - 1, k + 1); ++l)
      A.block(3 * k, 3 * l, 3, 3) = testing_problems::random_matrix(random, 3, 3);
  return A.sparseView();
}

TEST(NewtonMatrix, solves_with_what_was_added_to_its_diagonal_blocks_and_with_what_comes_after_a_reset) {
  testing_problems::Random random(4);
  for (const int blocks : {5, 60}) {
    const SparseRows A = banded(random, blocks);
    EXPECT_EQ(worth_sparse(A), blocks == 60) << "small ones are dense";
    std::vector<int> cut;
    for (int k = 0; k <= blocks; ++k) cut.push_back(3 * k);
    NewtonMatrix matrix;
    matrix.analyse(A, cut);
    for (int round = 0; round < 2; ++round) {
      Eigen::MatrixXd K = A;
      matrix.reset();
      for (int k = 0; k < blocks; ++k)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) {
            const double value = testing_problems::normal(random) + (i == j ? 8 : 0);
            K(3 * k + i, 3 * k + j) += value;
            matrix.add(3 * k + i, 3 * k + j, value);
          }
      ASSERT_TRUE(matrix.factor());
      const Vector r = testing_problems::random_matrix(random, 3 * blocks, 1);
      const Vector wanted = K.fullPivLu().solve(r);
      // Conditions of such matrices are below 1e4; one refinement is included.
      EXPECT_LE((matrix.solve(r) - wanted).norm(), 1e-11 * wanted.norm());
    }
  }
}

}  // namespace linear_solver_test
}  // namespace catena::solve
