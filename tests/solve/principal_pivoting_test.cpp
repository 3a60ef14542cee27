// Principal pivoting on bounded problems: against Lemke's answers, from guesses, and where rows depend on each other.
#include "catena/solve/principal_pivoting.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "solve/random_problems.h"

namespace catena::solve {
namespace principal_pivoting_test {

// Rows come and go 2000 times; the factorisation solves with what is there to the condition of the matrix (about 1e3) times rounding.
TEST(UpdatableLdlt, SolvesWithTheRowsThatAreThere) {
  testing_problems::Random random(3);
  const int n = 40;
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, n, n);
  const Eigen::MatrixXd A = B * B.transpose() / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
  UpdatableLdlt ldlt;
  ldlt.reserve(n);
  std::vector<int> rows;
  for (int step = 0; step < 2000; ++step) {
    const int row = testing_problems::between(random, 0, n - 1);
    const auto at = std::find(rows.begin(), rows.end(), row);
    if (at != rows.end()) {
      ldlt.remove(static_cast<int>(at - rows.begin()));
      rows.erase(at);
    } else {
      Vector a(static_cast<int>(rows.size()));
      for (int k = 0; k < a.size(); ++k) a[k] = A(rows[k], row);
      ASSERT_TRUE(ldlt.append(a, A(row, row), 0));
      rows.push_back(row);
    }
    if (step % 50 != 0 || rows.empty()) continue;
    const int k = static_cast<int>(rows.size());
    Eigen::MatrixXd sub(k, k);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < k; ++j) sub(i, j) = A(rows[i], rows[j]);
    const Vector r = testing_problems::random_matrix(random, k, 1);
    Vector x = r;
    ldlt.solve(x);
    EXPECT_LE((sub * x - r).norm(), 1e-11 * r.norm());
  }
}

TEST(UpdatableLdlt, RefusesADependentRow) {
  UpdatableLdlt ldlt;
  ldlt.reserve(2);
  ASSERT_TRUE(ldlt.append(Vector(0), 4, 1e-12));
  EXPECT_FALSE(ldlt.append(Vector::Constant(1, 2), 1, 1e-12));  // (2, 1)ᵀ(2, 1)
  EXPECT_EQ(ldlt.size(), 1);
}

Problem boxed(testing_problems::Random& random, int size, int rank) {
  const Eigen::MatrixXd B = testing_problems::random_matrix(random, size, rank);
  Problem problem{Eigen::MatrixXd(B * B.transpose()), B * testing_problems::random_matrix(random, rank, 1),
                  complementary_rows(size)};
  for (Block& block : problem.blocks) {
    const int law = testing_problems::between(random, 0, 3);
    if (law == 0) block.law = Law::free;
    if (law >= 2) {
      block.law = Law::boxed;
      block.lower = -0.1 * testing_problems::between(random, 0, 5);
      block.upper = 0.1 * testing_problems::between(random, 0, 5);
    }
  }
  return problem;
}

// b in the reach of A: w is unique where A is semidefinite (z is not), so two methods agree in w to rounding times the condition.
TEST(PrincipalPivoting, AgreesWithLemkeOnBoxes) {
  testing_problems::Random random(17);
  for (int i = 0; i < 400; ++i) {
    const int size = testing_problems::between(random, 1, 40);
    const Problem problem = boxed(random, size, testing_problems::between(random, 1, size));
    const Solution a = principal_pivoting(problem), b = lemke(problem);
    ASSERT_EQ(a.certificate.status, Status::exact) << i << " residual " << a.certificate.residual;
    ASSERT_EQ(b.certificate.status, Status::exact) << i << " residual " << b.certificate.residual;
    EXPECT_LE((a.w - b.w).norm(), 1e-8 * (problem.b.norm() + a.w.norm())) << i;
  }
}

// From the answer of a neighbour a solve takes a few pivots where a cold one takes dozens.
TEST(PrincipalPivoting, AGuessSavesPivots) {
  testing_problems::Random random(23);
  const Problem problem = testing_problems::random_problem(random, testing_problems::Kind::spd, 120);
  const Solution cold = principal_pivoting(problem);
  Problem next = problem;
  for (int i = 0; i < next.size(); ++i) next.b[i] += 1e-6 * testing_problems::normal(random);
  const Solution warm = principal_pivoting(next, {}, &cold.z);
  EXPECT_EQ(warm.certificate.status, Status::exact);
  EXPECT_LE(warm.certificate.iterations, cold.certificate.iterations + 5);
  PrincipalPivoting method;
  const Eigen::MatrixXd A = to_dense(next.A);
  const Vector lower = Vector::Zero(120), upper = Vector::Constant(120, std::numeric_limits<double>::infinity());
  Vector z = warm.z;
  int inside = 0;
  for (int i = 0; i < 120; ++i) inside += z[i] > 0 ? 1 : 0;
  EXPECT_EQ(method.solve(A, next.b, lower, upper, 1000, z), PrincipalPivoting::End::solution);
  EXPECT_EQ(method.pivots(), inside);  // the guess's rows enter, and nothing else happens
}

// |z_t| ≤ friction z_n with the normal's z unknown too. One body of unit mass on a floor, pushed sideways: sticks or slides as Coulomb says.
TEST(PrincipalPivoting, BoundsThatFollowAnotherRow) {
  for (const double push : {0.5, 3.0}) {
    Problem problem{Eigen::MatrixXd(Eigen::Matrix2d::Identity()), Eigen::Vector2d(-2, push), {}};
    problem.blocks = {{.law = Law::complementary, .first = 0, .size = 1},
                      {.law = Law::bounded_by, .first = 1, .size = 1, .parent = 0, .friction = {0.5, 0}}};
    const Solution solution = principal_pivoting(problem), other = lemke(problem);
    EXPECT_EQ(solution.certificate.status, Status::exact);
    EXPECT_NEAR(solution.z[0], 2, 1e-15);
    EXPECT_NEAR(solution.z[1], push > 1 ? -1 : -push, 1e-15);
    EXPECT_LE((solution.z - other.z).norm(), 1e-14);
  }
}

// A box on four feet: four contacts, three of them independent. And a problem without a solution says so.
TEST(PrincipalPivoting, RedundantContactsAndNoSolution) {
  Eigen::MatrixXd J(4, 3);  // height, roll, pitch
  J << 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1;
  const Eigen::MatrixXd A = J * J.transpose();
  const Solution rest = principal_pivoting({A, J * Eigen::Vector3d(-1, 0.1, 0.2), complementary_rows(4)});
  EXPECT_EQ(rest.certificate.status, Status::exact);
  EXPECT_LE(rest.w.lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_NEAR(rest.z.sum(), 1, 1e-14);  // the whole momentum

  Eigen::MatrixXd pinched(2, 2);
  pinched << 1, -1, -1, 1;  // one body between two walls that come together
  const Solution none = principal_pivoting({pinched, Vector::Constant(2, -1), complementary_rows(2)});
  EXPECT_EQ(none.certificate.status, Status::ray);
}

TEST(PrincipalPivoting, SaysWhereItDoesNotApply) {
  Eigen::MatrixXd A(2, 2);
  A << 1, 2, 0, 1;
  EXPECT_FALSE(pivoting_applies({A, Vector::Zero(2), complementary_rows(2)}));
  EXPECT_FALSE(pivoting_applies(
      {Eigen::MatrixXd(Eigen::Matrix3d::Identity()), Vector::Zero(3), friction_cones(Vector::Ones(1), 3)}));
  EXPECT_TRUE(pivoting_applies({Eigen::MatrixXd(Eigen::Matrix3d::Identity()), Vector::Zero(3), complementary_rows(3)}));
}

}  // namespace principal_pivoting_test
}  // namespace catena::solve
