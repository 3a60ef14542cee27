// The sparse Cholesky factorisation by fronts against Eigen's dense one, on patterns with and without fill.
#include "catena/solve/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace catena {
namespace sparse_cholesky_test {

using Pattern = std::vector<std::pair<int, int>>;  // i < j

SparseSymmetric random_matrix(int n, const Pattern& pattern, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n), there = Eigen::MatrixXd::Identity(n, n);
  // A sum of (e_i − s e_j)(e_i − s e_j)ᵀ is positive semidefinite; the diagonal makes it definite, its condition about 1e3.
  for (const auto& [i, j] : pattern) {
    const double s = uniform(rng);
    A(i, i) += 1, A(j, j) += s * s;
    A(i, j) -= s, A(j, i) -= s;
    there(i, j) = there(j, i) = 1;
  }
  A.diagonal().array() += 1e-2;
  SparseSymmetric out;
  out.size = n;
  out.start.push_back(0);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i)
      if (there(i, j) != 0) out.row.push_back(i), out.value.push_back(A(i, j));
    out.start.push_back(static_cast<int>(out.row.size()));
  }
  return out;
}

Eigen::MatrixXd dense(const SparseSymmetric& A) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(A.size, A.size);
  for (int j = 0; j < A.size; ++j)
    for (int p = A.start[static_cast<std::size_t>(j)]; p < A.start[static_cast<std::size_t>(j) + 1]; ++p)
      out(A.row[static_cast<std::size_t>(p)], j) = A.value[static_cast<std::size_t>(p)];
  return out;
}

Pattern grid(int n) {
  Pattern out;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      if (c + 1 < n) out.emplace_back(r * n + c, r * n + c + 1);
      if (r + 1 < n) out.emplace_back(r * n + c, (r + 1) * n + c);
    }
  return out;
}

Pattern star(int n) {
  Pattern out;
  for (int i = 1; i < n; ++i) out.emplace_back(0, i);
  return out;
}

Pattern scattered(int n, int count, std::mt19937& rng) {
  Pattern out;
  for (int k = 0; k < count; ++k) {
    const int i = static_cast<int>(rng() % static_cast<unsigned>(n)),
              j = static_cast<int>(rng() % static_cast<unsigned>(n));
    if (i != j) out.emplace_back(std::min(i, j), std::max(i, j));
  }
  return out;
}

struct Case {
  int n;
  Pattern pattern;
};

std::vector<Case> cases(std::mt19937& rng) {
  return {{1, {}},
          {5, {}},
          {36, grid(6)},
          {144, grid(12)},
          {40, star(40)},
          {80, scattered(80, 100, rng)},
          {60, scattered(60, 600, rng)}};
}

// Cholesky is backward stable: the error is about the condition, here below 1e4, times 1e-16, with a factor for the size.
constexpr double kTolerance = 1e-11;

TEST(SparseCholesky, SolvesLikeTheDenseOne) {
  std::mt19937 rng(3);
  for (const Case& c : cases(rng)) {
    SparseCholesky cholesky;
    SparseSymmetric A = random_matrix(c.n, c.pattern, rng);
    cholesky.analyse(A);
    for (int again = 0; again < 2; ++again) {
      A.value = random_matrix(c.n, c.pattern, rng).value;  // numbers change, the pattern stays
      ASSERT_TRUE(cholesky.factor(A));
      const Eigen::VectorXd b = Eigen::VectorXd::Random(c.n);
      Eigen::VectorXd x = b;
      cholesky.solve({x.data(), static_cast<std::size_t>(c.n)});
      const Eigen::VectorXd expected = dense(A).llt().solve(b);
      EXPECT_LE((x - expected).norm(), kTolerance * expected.norm()) << c.n;
    }
  }
}

TEST(SparseCholesky, HalvesMultiplyToTheInverseBetweenAFewRows) {
  std::mt19937 rng(4);
  constexpr int kWidth = SparseCholesky::Half::kWidth;
  for (const Case& c : cases(rng)) {
    if (c.n < 5) continue;
    SparseCholesky cholesky;
    const SparseSymmetric A = random_matrix(c.n, c.pattern, rng);
    cholesky.analyse(A);
    ASSERT_TRUE(cholesky.factor(A));
    const Eigen::MatrixXd inverse = dense(A).inverse();
    std::vector<SparseCholesky::Half> halves(4);
    std::vector<Eigen::MatrixXd> B;
    for (SparseCholesky::Half& half : halves) {
      std::vector<int> rows{static_cast<int>(rng() % 2), 2 + static_cast<int>(rng() % 3)};
      if (c.n > 10) rows.push_back(c.n - 1 - static_cast<int>(rng() % 5));
      Eigen::Matrix<double, Eigen::Dynamic, kWidth, Eigen::RowMajor> numbers =
          Eigen::Matrix<double, Eigen::Dynamic, kWidth, Eigen::RowMajor>::Random(static_cast<Eigen::Index>(rows.size()),
                                                                                 kWidth);
      B.push_back(Eigen::MatrixXd::Zero(c.n, kWidth));
      for (std::size_t i = 0; i < rows.size(); ++i) B.back().row(rows[i]) = numbers.row(static_cast<Eigen::Index>(i));
      cholesky.half_solve(rows, {numbers.data(), static_cast<std::size_t>(numbers.size())}, half);
    }
    for (std::size_t i = 0; i < halves.size(); ++i)
      for (std::size_t k = 0; k < halves.size(); ++k) {
        Eigen::Matrix<double, kWidth, kWidth, Eigen::RowMajor> got;
        cholesky.product(halves[i], halves[k], {got.data(), static_cast<std::size_t>(got.size())});
        const Eigen::MatrixXd expected = B[i].transpose() * inverse * B[k];
        EXPECT_LE((got - expected).norm(), kTolerance * inverse.norm()) << c.n;
      }
  }
}

TEST(SparseCholesky, SaysWhenTheMatrixIsNotPositive) {
  std::mt19937 rng(5);
  SparseSymmetric A = random_matrix(36, grid(6), rng);
  SparseCholesky cholesky;
  cholesky.analyse(A);
  EXPECT_TRUE(cholesky.factor(A));
  A.value[static_cast<std::size_t>(std::find(A.row.begin() + A.start[7], A.row.end(), 7) - A.row.begin())] = -1;
  EXPECT_FALSE(cholesky.factor(A));
}

// What fronts are for: a tridiagonal matrix has no fill, a grid has n log n; either must not cost more than a few times that.
TEST(SparseCholesky, CostsWhatThePatternAsksFor) {
  std::mt19937 rng(6);
  const auto flops = [&](int n, const Pattern& pattern) {
    SparseCholesky cholesky;
    cholesky.analyse(random_matrix(n, pattern, rng));
    return cholesky.flops();
  };
  Pattern chain;
  for (int i = 0; i + 1 < 400; ++i) chain.emplace_back(i, i + 1);
  EXPECT_LE(flops(400, chain), 400 * 20);
  // Nested dissection of a k x k grid takes about 10 k³ multiplications (George 1973: 829/84 k³); minimum degree is no worse here.
  EXPECT_LE(flops(400, grid(20)), 10 * 20 * 20 * 20);
}

}  // namespace sparse_cholesky_test
}  // namespace catena
