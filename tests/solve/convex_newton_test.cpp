#include "catena/solve/convex_newton.h"

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "catena/solve/solve.h"
#include "catena/solve/state_newton.h"
#include "solve/random_problems.h"

namespace catena::solve {
namespace convex_newton_test {

using namespace testing_problems;

constexpr double kTolerance = 1e-10;

// Without friction the problem that is solved is that of A + R, whose residual the last step, of at most 1e-9 of the velocities, leaves at
// 1e-9 times what a residual weighs z more than velocities: the ratio of the largest entry of A to its least eigenvalue with R, 1e3 here.
TEST(ConvexNewton, WithoutFrictionItSolvesTheProblemWithCompliance) {
  Random random(2);
  ConvexNewton method;
  constexpr double kCompliance = 1e-3;
  for (const Kind kind : {Kind::spd, Kind::semidefinite, Kind::duplicated})
    for (int k = 0; k < 50; ++k) {
      Problem problem = random_problem(random, kind, 5 + k % 25);
      if (problem.blocks.size() == 1) problem.blocks = complementary_rows(problem.size());
      std::vector<Block> rows;
      for (const Block& block : problem.blocks)
        for (int i = 0; i < block.size; ++i) rows.push_back({.law = block.law, .first = block.first + i});
      for (std::size_t i = 0; i + 1 < rows.size(); i += 5)
        rows[i] = {.law = Law::boxed, .first = rows[i].first, .lower = -0.2, .upper = 0.3};
      problem.blocks = rows;
      ASSERT_TRUE(ConvexNewton::takes(problem));
      Vector z = Vector::Zero(problem.size());
      ASSERT_TRUE(method.solve(problem, {kCompliance, 1e-9, 50}, z)) << "problem " << k;
      Problem soft = problem;
      auto& A = std::get<Eigen::MatrixXd>(soft.A);
      A.diagonal() *= 1 + kCompliance;
      Solution solution;
      solution.z = z;
      certify(soft, matrix_scale(soft.A), kTolerance, solution);
      EXPECT_LE(solution.certificate.residual, 1e-6) << "problem " << k;
    }
}

// Piles with friction from no guess: it comes to where Newton's method on states finds the answer, mostly also where that finds none by itself.
TEST(ConvexNewton, LeadsToAnswersWithFriction) {
  Random random(7);
  ConvexNewton method;
  StateNewton states;
  int alone = 0, after = 0;
  constexpr int kProblems = 200;
  for (int k = 0; k < kProblems; ++k) {
    Problem problem = random_pile(random, 3, 8, 0.1 + 0.1 * (k % 6), 10);
    problem.A = to_dense(problem.A);
    Solution solution;
    solution.z.setZero(problem.size());
    alone += states.solve(problem, kTolerance, 1e-8, solution) ? 1 : 0;
    solution.z.setZero(problem.size());
    method.solve(problem, {}, solution.z);
    if (!states.solve(problem, kTolerance, 1e-8, solution)) continue;
    ++after;
    EXPECT_LE(solution.certificate.residual, 1e-8);
  }
  EXPECT_GE(after, kProblems * 9 / 10);
  EXPECT_LT(alone, after) << "the problems are to be ones that need it";
}

TEST(ConvexNewton, ARepeatedSolveDoesNotAllocate) {
  if (!CATENA_COUNTS_ALLOCATIONS) GTEST_SKIP();
  Random random(3);
  Problem problem = random_pile(random, 3, 8, 0.5, 10);
  problem.A = to_dense(problem.A);
  ConvexNewton method;
  Vector z = Vector::Zero(problem.size());
  method.solve(problem, {}, z);
  problem.b *= 1.5;
  const long before = allocations;
  method.solve(problem, {}, z);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace convex_newton_test
}  // namespace catena::solve
