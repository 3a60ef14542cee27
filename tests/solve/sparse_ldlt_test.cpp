#include "catena/solve/sparse_ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace catena {
namespace sparse_ldlt_test {

SparseSymmetric sparse(const Eigen::MatrixXd& A) {
  SparseSymmetric out;
  out.size = static_cast<int>(A.rows());
  out.start.push_back(0);
  for (int j = 0; j < out.size; ++j) {
    for (int i = 0; i < out.size; ++i)
      if (A(i, j) != 0) {
        out.row.push_back(i);
        out.value.push_back(A(i, j));
      }
    out.start.push_back(static_cast<int>(out.row.size()));
  }
  return out;
}

// [M −Jᵀ; −J −ε], with a third of J's entries not zero: quasi-definite.
Eigen::MatrixXd saddle(int n, int m, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n + m, n + m);
  for (int i = 0; i < n; ++i) H(i, i) = 1.5 + uniform(engine);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      if (uniform(engine) > 0.3) H(n + i, j) = H(j, n + i) = uniform(engine);
    H(n + i, n + i) = -0.1;
  }
  return H;
}

Eigen::VectorXd solve(const SparseLdlt& ldlt, Eigen::VectorXd x) {
  ldlt.solve(std::span<double>(x.data(), static_cast<std::size_t>(x.size())));
  return x;
}

TEST(SparseLdlt, it_solves_what_a_dense_factorisation_solves) {
  for (const int n : {1, 4, 12, 40}) {
    const Eigen::MatrixXd H = saddle(n, n / 2, static_cast<unsigned>(n));
    const SparseSymmetric A = sparse(H);
    SparseLdlt ldlt;
    ldlt.analyse(A);
    ASSERT_TRUE(ldlt.factor(A));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(H.rows(), -1, 2);
    const Eigen::VectorXd wanted = H.fullPivLu().solve(b);
    EXPECT_LE((solve(ldlt, b) - wanted).norm(), 1e-11 * wanted.norm());
  }
}

TEST(SparseLdlt, one_analysis_serves_many_factorisations_of_the_same_pattern) {
  const Eigen::MatrixXd first = saddle(10, 4, 5);
  Eigen::MatrixXd second = first;
  for (double& x : second.reshaped()) x *= 1.5;
  second.diagonal() *= 2;
  SparseLdlt ldlt;
  ldlt.analyse(sparse(first));
  ASSERT_TRUE(ldlt.factor(sparse(first)));
  ASSERT_TRUE(ldlt.factor(sparse(second)));
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(14), wanted = second.fullPivLu().solve(b);
  EXPECT_LE((solve(ldlt, b) - wanted).norm(), 1e-12 * wanted.norm());
}

TEST(SparseLdlt, a_zero_pivot_is_reported) {
  Eigen::MatrixXd A(2, 2);
  A << 1, 1, 1, 1;
  const SparseSymmetric S = sparse(A);
  SparseLdlt ldlt;
  ldlt.analyse(S);
  EXPECT_FALSE(ldlt.factor(S));
}

// An arrow: with the hub first everything fills in, with the hub last nothing does.
TEST(SparseLdlt, the_order_keeps_an_arrow_free_of_fill) {
  const int n = 200;
  Eigen::MatrixXd A = 4 * Eigen::MatrixXd::Identity(n, n);
  A.row(0).setConstant(0.01);
  A.col(0).setConstant(0.01);
  A(0, 0) = 4;
  SparseLdlt ldlt;
  ldlt.analyse(sparse(A));
  EXPECT_EQ(ldlt.entries(), n - 1);
  EXPECT_EQ(ldlt.flops(), 3 * (n - 1));  // one entry a column: 1·(1 + 2)
}

}  // namespace sparse_ldlt_test
}  // namespace catena
