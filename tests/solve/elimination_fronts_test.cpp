// The fronts of a sparse Cholesky factorisation against the fill of the same order, eliminated on a dense pattern.
#include "catena/solve/elimination_fronts.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <set>

#include "solve/random_problems.h"

namespace catena {
namespace elimination_fronts_test {

using PatternMatrix = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;

PatternMatrix random_pattern(solve::testing_problems::Random& random, int n, int links) {
  PatternMatrix out = PatternMatrix::Constant(n, n, false);
  out.diagonal().setConstant(true);
  for (int k = 0; k < links; ++k) {
    const int i = solve::testing_problems::between(random, 0, n - 1),
              j = solve::testing_problems::between(random, 0, n - 1);
    out(i, j) = out(j, i) = true;
  }
  return out;
}

SparseSymmetric sparse(const PatternMatrix& pattern) {
  SparseSymmetric out;
  out.size = static_cast<int>(pattern.rows());
  out.start.push_back(0);
  for (int j = 0; j < out.size; ++j) {
    for (int i = 0; i < out.size; ++i)
      if (pattern(i, j)) out.row.push_back(i), out.value.push_back(1);
    out.start.push_back(static_cast<int>(out.row.size()));
  }
  return out;
}

TEST(EliminationFronts, hold_every_number_of_the_factor_and_hand_every_row_below_to_their_parent) {
  solve::testing_problems::Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    const int n = 5 + 2 * trial;
    const PatternMatrix A = random_pattern(random, n, n + trial);
    const Fronts fronts = elimination_fronts(sparse(A));
    std::vector<int> sorted = fronts.order;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
      EXPECT_EQ(fronts.place[static_cast<std::size_t>(fronts.order[static_cast<std::size_t>(i)])], i);
    }
    // Fill: the neighbours of a column that goes become neighbours of each other.
    PatternMatrix L(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        L(i, j) = A(fronts.order[static_cast<std::size_t>(i)], fronts.order[static_cast<std::size_t>(j)]);
    for (int k = 0; k < n; ++k)
      for (int i = k + 1; i < n; ++i)
        for (int j = k + 1; j < n; ++j)
          if (L(i, k) && L(j, k)) L(i, j) = true;
    int next = 0;
    for (std::size_t f = 0; f < fronts.fronts.size(); ++f) {
      const Front& front = fronts.fronts[f];
      EXPECT_EQ(front.first, next) << "every column is of one front";
      next += front.width;
      const std::set<int> rows(front.rows.begin(), front.rows.end());
      ASSERT_EQ(rows.size(), front.rows.size());
      EXPECT_TRUE(std::is_sorted(front.rows.begin(), front.rows.end()));
      for (int k = front.first; k < front.first + front.width; ++k) {
        EXPECT_EQ(fronts.front_of[static_cast<std::size_t>(k)], static_cast<int>(f));
        for (int i = k; i < n; ++i)
          if (L(i, k)) {
            EXPECT_TRUE(rows.contains(i)) << i << ' ' << k;
          }
      }
      if (front.below() == 0) continue;
      ASSERT_GT(front.parent, static_cast<int>(f)) << "children come before their parents";
      const Front& parent = fronts.fronts[static_cast<std::size_t>(front.parent)];
      ASSERT_EQ(static_cast<int>(front.above.size()), front.below());
      for (int i = 0; i < front.below(); ++i)
        EXPECT_EQ(parent.rows[static_cast<std::size_t>(front.above[static_cast<std::size_t>(i)])],
                  front.rows[static_cast<std::size_t>(front.width + i)]);
    }
    EXPECT_EQ(next, n);
  }
}

// A band is eliminated in linear time, whatever order its rows are given in.
TEST(EliminationFronts, a_chain_twice_as_long_costs_twice_as_much) {
  const auto flops = [](int n) {
    PatternMatrix A = PatternMatrix::Constant(n, n, false);
    A.diagonal().setConstant(true);
    const auto name = [&](int i) { return (7 * i) % n; };
    for (int i = 0; i + 1 < n; ++i) A(name(i), name(i + 1)) = A(name(i + 1), name(i)) = true;
    return elimination_fronts(sparse(A)).flops;
  };
  EXPECT_LE(flops(400), 2.1 * flops(200));
}

}  // namespace elimination_fronts_test
}  // namespace catena
