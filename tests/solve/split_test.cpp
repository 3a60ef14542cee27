// Problems that are several side by side.
#include "catena/solve/split.h"

#include <gtest/gtest.h>

#include <random>

#include "catena/solve/solve.h"

namespace catena::solve {
namespace split_test {

constexpr int kBodies = 12;

// Contacts between bodies 0 and 3, 3 and 6, …; 1 and 4, …; 2 and 5, …: three chains, their contacts in turn.
Problem three_chains(bool as_product) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  ProductBuilder builder;
  for (int body = 0; body < kBodies; ++body) {
    double Minv[9] = {};
    for (int i = 0; i < 3; ++i) Minv[4 * i] = 1.0 + body % 3;
    builder.node(3, Minv);
  }
  std::vector<double> G(9);
  int contacts = 0;
  for (int body = 0; body + 3 < kBodies; ++body, ++contacts) {
    builder.rows(std::vector<double>(3, 1e-3));
    for (const int node : {body, body + 3}) {
      for (double& g : G) g = normal(engine);
      builder.entry(node, G);
    }
  }
  Problem problem{builder.build(), Vector::NullaryExpr(3 * contacts, [&] { return normal(engine); }),
                  friction_cones(Vector::Constant(contacts, 0.4), 3)};
  if (as_product) return problem;
  const Eigen::MatrixXd A = to_dense(problem.A);
  std::vector<int> cut;
  std::vector<Triplet> entries;
  for (int k = 0; k <= contacts; ++k) cut.push_back(3 * k);
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) entries.push_back({i, j, A(i, j)});
  problem.A = block_sparse(cut, entries);
  return problem;
}

class Split : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Forms, Split, testing::Bool(), [](const auto& p) { return p.param ? "product" : "sparse"; });

// Every number of the whole is in a part, and what is between parts is zero.
TEST_P(Split, PartsHaveTheNumbersOfTheWhole) {
  const Problem whole = three_chains(GetParam());
  const Eigen::MatrixXd A = to_dense(whole.A);
  Eigen::MatrixXd left = A;
  const std::vector<Part> parts = split(whole);
  ASSERT_EQ(parts.size(), 3U);
  for (const Part& part : parts) {
    check(part.problem);
    const Eigen::MatrixXd own = to_dense(part.problem.A);
    for (int i = 0; i < part.problem.size(); ++i) {
      EXPECT_EQ(part.problem.b[i], whole.b[part.rows[i]]);
      for (int j = 0; j < part.problem.size(); ++j) {
        EXPECT_NEAR(own(i, j), A(part.rows[i], part.rows[j]), 1e-15 * A.cwiseAbs().maxCoeff());
        left(part.rows[i], part.rows[j]) = 0;
      }
    }
  }
  EXPECT_EQ(left.cwiseAbs().maxCoeff(), 0);
}

TEST_P(Split, TheAnswerIsThatOfTheWhole) {
  const Problem whole = three_chains(GetParam());
  const Solution by_parts = solve(whole);
  EXPECT_EQ(by_parts.certificate.status, Status::exact);
  EXPECT_LE(by_parts.certificate.residual, 1e-10);
  const Solution at_once = solve(Problem{to_dense(whole.A), whole.b, whole.blocks});
  ASSERT_EQ(at_once.certificate.status, Status::exact);
  // Σ > 0 makes the answer unique; its condition is below 1e4.
  EXPECT_LE((by_parts.z - at_once.z).lpNorm<Eigen::Infinity>(), 1e-6 * at_once.z.lpNorm<Eigen::Infinity>());
}

TEST(Split, OnePartOrADenseMatrixIsLeftWhole) {
  const Problem whole = three_chains(true);
  EXPECT_TRUE(split(Problem{to_dense(whole.A), whole.b, whole.blocks}).empty());
  EXPECT_TRUE(split(Problem{block_sparse(std::vector<int>{0, 1}, std::vector<Triplet>{{0, 0, 1.0}}), Vector::Ones(1),
                            complementary_rows(1)})
                  .empty());
}

// A row that no answer satisfies is found in its part, and proves that the whole has none.
TEST(Split, APartWithoutAnAnswerLeavesTheWholeWithoutOne) {
  const std::vector<int> cut{0, 1, 2};
  const Problem problem{block_sparse(cut, std::vector<Triplet>{{0, 0, 1.0}, {1, 1, -1.0}}), Vector::Constant(2, -1.0),
                        complementary_rows(2)};
  const Solution solution = solve(problem);
  ASSERT_EQ(solution.certificate.status, Status::ray);
  EXPECT_TRUE(solution.certificate.proved);
  ASSERT_EQ(solution.ray.size(), 2);
  EXPECT_EQ(solution.ray[0], 0);
  EXPECT_GT(solution.ray[1], 0);
}

}  // namespace split_test
}  // namespace catena::solve
