// Problems of a few rows, against the general methods.
#include "catena/solve/tiny.h"

#include <gtest/gtest.h>

#include "catena/solve/gauss_seidel.h"
#include "catena/solve/lemke.h"
#include "solve/random_problems.h"

namespace catena::solve {
namespace tiny_test {

// A positive definite LCP has one solution, so both must find it. 1e-10 is what the residual is held to; the condition of these matrices is
// below 1e4.
TEST(Tiny, PositiveDefiniteProblemsHaveTheAnswerOfLemke) {
  std::mt19937_64 engine(3);
  std::normal_distribution<double> normal;
  for (int n = 1; n <= 12; ++n)
    for (int k = 0; k < 50; ++k) {
      const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(engine); });
      Problem problem{Eigen::MatrixXd(B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n)),
                      Vector::NullaryExpr(n, [&] { return normal(engine); }), complementary_rows(n)};
      const auto tiny = solve_tiny(problem, 1e-10);
      ASSERT_TRUE(tiny.has_value()) << n << " rows, problem " << k;
      const Solution careful = lemke(problem);
      EXPECT_LE((tiny->z - careful.z).lpNorm<Eigen::Infinity>(), 1e-6 * (1 + careful.z.lpNorm<Eigen::Infinity>()));
    }
}

TEST(Tiny, OneConeHasTheAnswerOfGaussSeidel) {
  std::mt19937_64 engine(4);
  std::normal_distribution<double> normal;
  for (const int dimension : {2, 3})
    for (int k = 0; k < 200; ++k) {
      const Eigen::MatrixXd B = Eigen::MatrixXd::NullaryExpr(dimension, 6, [&] { return normal(engine); });
      const Problem problem{Eigen::MatrixXd(B * B.transpose()),
                            Vector::NullaryExpr(dimension, [&] { return normal(engine); }),
                            friction_cones(Vector::Constant(1, 0.3), dimension)};
      const auto tiny = solve_tiny(problem, 1e-10);
      ASSERT_TRUE(tiny.has_value()) << "problem " << k;
      Solution swept;
      GaussSeidel({.max_sweeps = 100, .tolerance = 1e-13}).solve(problem, swept);
      EXPECT_LE((tiny->z - swept.z).lpNorm<Eigen::Infinity>(), 1e-8 * (1 + swept.z.lpNorm<Eigen::Infinity>()));
    }
}

TEST(Tiny, WhatHasNoAnswerIsLeftToOthers) {
  const Problem none{Eigen::MatrixXd::Constant(1, 1, -1.0), Vector::Constant(1, -1.0), complementary_rows(1)};
  EXPECT_FALSE(solve_tiny(none, 1e-10).has_value());
  const Problem large{Eigen::MatrixXd(Eigen::MatrixXd::Identity(13, 13)), Vector::Constant(13, -1.0),
                      complementary_rows(13)};
  EXPECT_FALSE(solve_tiny(large, 1e-10).has_value());
}

}  // namespace tiny_test
}  // namespace catena::solve
