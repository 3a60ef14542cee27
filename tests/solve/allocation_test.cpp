// Repeated solves allocate nothing.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "catena/solve/gauss_seidel.h"
#include "solve/solve_testing.h"

namespace catena::solve {
namespace allocation_test {

using namespace testing_solve;
using Algorithm = GaussSeidelOptions::Algorithm;

std::vector<Block> mixed_blocks() {
  return {{.law = Law::free, .first = 0, .size = 6},
          {.law = Law::complementary, .first = 6, .size = 4},
          {.law = Law::cone, .first = 10, .size = 3, .friction = {0.6, 0.3}},
          {.law = Law::facets, .first = 13, .size = 3, .friction = {0.6, 0.6}, .facets = 6},
          {.law = Law::complementary, .first = 16, .size = 3},
          {.law = Law::boxed, .first = 19, .size = 1, .lower = -0.1, .upper = 0.2},
          {.law = Law::bounded_by, .first = 20, .size = 1, .parent = 16, .friction = {0.5, 0}}};
}

TEST(Allocation, a_repeated_gauss_seidel_solve_does_not_allocate) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP();
  Random random(1);
  const Product A = random_product(random, 7, {6, 3}, {6, 4, 3, 3, 3, 1, 1}, 0.5);
  const Vector b = random.vector(A.size()), b2 = random.vector(A.size());
  const Eigen::MatrixXd dense = to_dense(A);
  for (const Matrix& form : {Matrix(A), Matrix(to_block_sparse(dense, A.cut)), Matrix(dense)})
    for (const auto algorithm : {Algorithm::kept_residual, Algorithm::monitored, Algorithm::plain}) {
      GaussSeidel solver({.algorithm = algorithm,
                          .order = GaussSeidelOptions::Order::random,
                          .relaxation = 1.1,
                          .warm_start = true,
                          .max_sweeps = 25});
      Problem problem{form, b, mixed_blocks()};
      Solution solution;
      solver.solve(problem, solution);
      problem.b = b2;
      const long before = allocations;
      solver.solve(problem, solution);
      EXPECT_EQ(allocations - before, 0) << "form " << form.index() << " algorithm " << static_cast<int>(algorithm);
    }
}

TEST(Allocation, a_repeated_coloured_solve_does_not_allocate) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP();
  Random random(2);
  const Product A = random_product(random, 40, {6}, std::vector<int>(60, 3), 0.5);
  Problem problem{A, random.vector(A.size()), friction_cones(Vector::Constant(60, 0.5), 3)};
  GaussSeidel solver({.order = GaussSeidelOptions::Order::coloured, .max_sweeps = 25});
  Solution solution;
  solver.solve(problem, solution);
  problem.b = random.vector(A.size());
  const long before = allocations;
  solver.solve(problem, solution);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace allocation_test
}  // namespace catena::solve
