// What is refused at the door, and the three forms of a matrix.
#include "catena/solve/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "solve/random_problems.h"

namespace catena::solve {
namespace problem_test {

using ::testing::HasSubstr;

Problem two_rows() {
  Eigen::MatrixXd A(2, 2);
  A << 2, 1, 1, 2;
  return {A, Vector::Constant(2, -1), complementary_rows(2)};
}

std::string refusal(const Problem& problem) {
  try {
    check(problem);
  } catch (const ProblemError& error) {
    return error.what();
  }
  return "";
}

TEST(Problem, AcceptsAWellFormedOne) { EXPECT_EQ(refusal(two_rows()), ""); }

TEST(Problem, RefusesNumbersThatAreNotFiniteAndSaysWhere) {
  Problem problem = two_rows();
  std::get<Eigen::MatrixXd>(problem.A)(1, 0) = std::nan("");
  EXPECT_THAT(refusal(problem), HasSubstr("A[1][0]"));
  problem = two_rows();
  problem.b[1] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(problem), HasSubstr("b[1]"));
}

// ‖b‖² of such numbers overflows, and a residual relative to it says nothing.
TEST(Problem, RefusesNumbersWhoseSquaresOverflow) {
  Problem problem = two_rows();
  problem.b[1] = 1e308;
  EXPECT_THAT(refusal(problem), HasSubstr("b[1] is 1e+308; every number must be finite and at most 1e30"));
  problem = two_rows();
  std::get<Eigen::MatrixXd>(problem.A)(0, 1) = -1e200;
  EXPECT_THAT(refusal(problem), HasSubstr("A[0][1]"));
  problem = two_rows();
  problem.blocks[0] = {.law = Law::boxed, .first = 0, .size = 1, .lower = -1e300, .upper = 1};
  EXPECT_THAT(refusal(problem), HasSubstr("bound -1e+300"));
}

TEST(Problem, RefusesSizesThatDoNotFit) {
  Problem problem = two_rows();
  problem.b.resize(3);
  EXPECT_THAT(refusal(problem), HasSubstr("2 rows and b 3"));
  problem = two_rows();
  problem.blocks.pop_back();
  EXPECT_THAT(refusal(problem), HasSubstr("cover 1 rows of 2"));
  problem = two_rows();
  problem.blocks[1].first = 0;
  EXPECT_THAT(refusal(problem), HasSubstr("must follow"));
  problem = two_rows();
  problem.A = Eigen::MatrixXd::Zero(2, 3);
  EXPECT_THAT(refusal(problem), HasSubstr("square"));
}

TEST(Problem, RefusesBoundsAndFrictionThatCannotBe) {
  Problem problem = two_rows();
  problem.blocks[0] = {.law = Law::boxed, .first = 0, .size = 1, .lower = 2, .upper = 1};
  EXPECT_THAT(refusal(problem), HasSubstr("the lower must not exceed the upper"));
  problem = two_rows();
  problem.blocks[1] = {.law = Law::bounded_by, .first = 1, .size = 1, .parent = 5, .friction = {0.5, 0}};
  EXPECT_THAT(refusal(problem), HasSubstr("row 5"));
  problem.blocks[1].parent = 1;
  EXPECT_THAT(refusal(problem), HasSubstr("not complementary"));
  problem = two_rows();
  problem.blocks = {{.law = Law::cone, .first = 0, .size = 2, .friction = {-1, 0}}};
  EXPECT_THAT(refusal(problem), HasSubstr("not negative"));
}

// A product, its blocks and its dense form are one matrix: the largest difference is a few roundings of sums of 12 products.
TEST(Matrix, ThreeFormsMultiplyAlike) {
  testing_problems::Random random(11);
  const Problem pile = testing_problems::random_pile(random, 12, 20, 0.5, 10);
  const Eigen::MatrixXd dense = to_dense(pile.A);
  std::vector<int> cut;
  for (const Block& block : pile.blocks) cut.push_back(block.first);
  cut.push_back(pile.size());
  std::vector<Triplet> triplets;
  for (int i = 0; i < dense.rows(); ++i)
    for (int j = 0; j < dense.cols(); ++j)
      if (dense(i, j) != 0) triplets.push_back({i, j, dense(i, j)});
  const Matrix blocks = block_sparse(cut, triplets);
  const Vector z = testing_problems::random_matrix(random, pile.size(), 1);
  Vector by_product, by_blocks;
  multiply(pile.A, z, by_product);
  multiply(blocks, z, by_blocks);
  const double size = dense.cwiseAbs().maxCoeff() * z.lpNorm<1>();
  EXPECT_LE((by_product - dense * z).lpNorm<Eigen::Infinity>(), 1e-15 * size);
  EXPECT_LE((by_blocks - dense * z).lpNorm<Eigen::Infinity>(), 1e-15 * size);
  EXPECT_LE((to_dense(blocks) - dense).cwiseAbs().maxCoeff(), 0);
  EXPECT_LE((dense - dense.transpose()).cwiseAbs().maxCoeff(), 1e-14 * dense.cwiseAbs().maxCoeff());
}

TEST(Matrix, EntriesOfTheSamePlaceAreAdded) {
  const int cut[] = {0, 1, 3};
  const Triplet triplets[] = {{0, 0, 1}, {2, 1, 4}, {0, 0, 2}, {1, 0, 5}};
  const BlockSparse A = block_sparse(cut, triplets);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 3);
  expected(0, 0) = 3;
  expected(2, 1) = 4;
  expected(1, 0) = 5;
  EXPECT_EQ(to_dense(A), expected);
}

}  // namespace problem_test
}  // namespace catena::solve
