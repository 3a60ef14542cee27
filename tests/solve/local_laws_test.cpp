#include "catena/solve/local_laws.h"

#include <gtest/gtest.h>

#include "catena/solve/natural_map.h"
#include "solve/solve_testing.h"

namespace catena::solve {
namespace local_laws_test {

using namespace testing_solve;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The natural map of the block alone, relative to the numbers that w = D (z − λ) + r is computed from.
double miss(const Block& block, const Eigen::MatrixXd& D, const Vector& r, const Vector& lambda, const Vector& z) {
  const Vector w = r + D * (z - lambda);
  const double scale = D.diagonal().maxCoeff();
  Vector out(block.size);
  natural_map(block, z, w.data(), 1 / scale, out.data());
  return out.norm() / (z.norm() + lambda.norm() + r.norm() / scale);
}

TEST(LocalLaws, the_inverse_of_a_regular_block_is_its_inverse) {
  Random random(1);
  for (int n = 1; n <= 8; ++n) {
    const Eigen::MatrixXd D = random.positive(n, 0.5);
    Eigen::MatrixXd work(n, n), inverse(n, n);
    invert_semidefinite(n, D.data(), work.data(), inverse.data());
    EXPECT_LE((D * inverse - Eigen::MatrixXd::Identity(n, n)).norm(), 1e-12) << n;
  }
}

// D X D = D is what makes X a generalised inverse: whatever D can answer, X answers.
TEST(LocalLaws, the_inverse_of_a_singular_block_answers_what_can_be_answered) {
  Random random(2);
  for (int rank = 0; rank <= 5; ++rank) {
    Eigen::MatrixXd B(6, rank);
    for (double& x : B.reshaped()) x = random(-1, 1);
    const Eigen::MatrixXd D = B * B.transpose();
    Eigen::MatrixXd work(6, 6), X(6, 6);
    invert_semidefinite(6, D.data(), work.data(), X.data());
    EXPECT_LE((D * X * D - D).norm(), 1e-9 * (1 + D.norm())) << rank;
  }
}

TEST(LocalLaws, a_bounded_row_without_an_answer_goes_to_the_bound_it_is_pushed_to) {
  EXPECT_EQ(solve_bounded(2, 4, 1, -kInfinity, kInfinity), -1);
  EXPECT_EQ(solve_bounded(2, 4, 1, 0, kInfinity), 0);
  EXPECT_EQ(solve_bounded(0, 4, 1, -3, 5), -3);
  EXPECT_EQ(solve_bounded(0, -4, 1, -3, 5), 5);
  EXPECT_EQ(solve_bounded(0, -4, 1, 0, kInfinity), 1);
  EXPECT_EQ(solve_bounded(0, 0, 1, 0, kInfinity), 1);
}

TEST(LocalLaws, up_to_three_complementary_rows_are_solved_exactly) {
  Random random(3);
  for (int i = 0; i < 9000; ++i) {
    const int n = 1 + i % 3;
    const Eigen::MatrixXd D = random.positive(n, 0.1);
    const Vector r = random.vector(n), lambda = random.vector(n).cwiseAbs();
    Vector z(n);
    solve_complementary(n, D.data(), r.data(), lambda.data(), z.data());
    ASSERT_LE(miss({.law = Law::complementary, .size = n}, D, r, lambda, z), 1e-12) << i;
  }
}

// Eigenvalues from 0.1 to about 3 and friction up to 1.5: every sticking, corner and side occurs.
TEST(LocalLaws, facets_are_solved_exactly) {
  Random random(4);
  for (int i = 0; i < 9000; ++i) {
    const int n = 2 + i % 2;
    const Eigen::MatrixXd D = random.positive(n, 0.1);
    const Vector r = random.vector(n), lambda = random.vector(n);
    const double friction = i % 7 == 0 ? 0 : random(0, 1.5);
    const Block block{.law = Law::facets,
                      .size = n,
                      .friction = {friction, friction},
                      .facets = n == 2 ? 2 : 4 + 2 * random.below(6)};
    Vector z(n);
    solve_facets(block, D.data(), r.data(), lambda.data(), z.data());
    ASSERT_LE(miss(block, D, r, lambda, z), 1e-12) << i << " friction " << friction << " facets " << block.facets;
  }
}

}  // namespace local_laws_test
}  // namespace catena::solve
