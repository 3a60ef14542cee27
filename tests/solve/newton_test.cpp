// The last digits of an answer another method has begun.
#include "catena/solve/newton.h"

#include <gtest/gtest.h>

#include "solve/random_problems.h"

namespace catena::solve {
namespace newton_test {

Solution near_by(const Problem& problem, const Vector& answer, testing_problems::Random& random, double by) {
  Solution out;
  out.z = answer + by * testing_problems::random_matrix(random, problem.size(), 1);
  certify(problem, matrix_scale(problem.A), 1e-10, out);
  return out;
}

TEST(Newton, ends_at_the_answer_from_near_it_and_is_never_worse_than_where_it_began) {
  testing_problems::Random random(8);
  int exact = 0;
  for (int trial = 0; trial < 30; ++trial) {
    constexpr int kContacts = 5;
    const Eigen::MatrixXd J = testing_problems::random_matrix(random, 3 * kContacts, 3 * kContacts + 2);
    const Problem problem{Eigen::MatrixXd(J * J.transpose()),
                          J * testing_problems::random_matrix(random, 3 * kContacts + 2, 1),
                          friction_cones(Vector::Constant(kContacts, 0.4), 3)};
    const Solution answer = interior_point(problem);
    if (answer.certificate.status != Status::exact) continue;
    for (const double by : {1e-6, 1e-2, 1.0}) {
      Solution solution = near_by(problem, answer.z, random, by);
      const double before = solution.certificate.residual;
      newton(problem, {.tolerance = 1e-13}, solution);
      EXPECT_LE(solution.certificate.residual, before);
      const Vector w = to_dense(problem.A) * solution.z + problem.b;
      EXPECT_NEAR(natural_residual(problem, solution.z, w, matrix_scale(problem.A)).value,
                  solution.certificate.residual, 1e-14)
          << "its certificate is that of its answer";
      if (by < 1e-5) exact += solution.certificate.residual <= 1e-12 ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 15);
}

TEST(Newton, a_mixed_problem_is_solved_from_a_guess_without_cones) {
  testing_problems::Random random(9);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr int n = 10;
    const Eigen::MatrixXd B = testing_problems::random_matrix(random, n, n);
    Problem problem{Eigen::MatrixXd(B * B.transpose() / n + 0.5 * Eigen::MatrixXd::Identity(n, n)),
                    testing_problems::random_matrix(random, n, 1), complementary_rows(n)};
    for (int i = 0; i < n; i += 3) problem.blocks[static_cast<std::size_t>(i)].law = Law::free;
    for (int i = 1; i < n; i += 3) {
      Block& block = problem.blocks[static_cast<std::size_t>(i)];
      block.law = Law::boxed, block.lower = -0.5, block.upper = 0.3;
    }
    Solution solution;
    solution.z = Vector::Constant(n, 0.1);
    certify(problem, matrix_scale(problem.A), 1e-10, solution);
    newton(problem, {.tolerance = 1e-13}, solution);
    EXPECT_LE(solution.certificate.residual, 1e-12);
    for (int i = 1; i < n; i += 3) EXPECT_TRUE(solution.z[i] >= -0.5 - 1e-12 && solution.z[i] <= 0.3 + 1e-12);
  }
}

TEST(Newton, problems_with_other_laws_are_left_alone) {
  testing_problems::Random random(10);
  const Problem problem = testing_problems::random_problem(random, testing_problems::Kind::friction, 12);  // pyramids
  Solution solution;
  solution.z = Vector::Constant(problem.size(), 0.25);
  certify(problem, matrix_scale(problem.A), 1e-10, solution);
  newton(problem, {}, solution);
  EXPECT_EQ(solution.z, Vector(Vector::Constant(problem.size(), 0.25)));
}

}  // namespace newton_test
}  // namespace catena::solve
