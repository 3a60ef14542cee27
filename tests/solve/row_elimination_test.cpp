#include "catena/solve/row_elimination.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

namespace catena {
namespace row_elimination_test {

struct Pair {
  SmallMatrix D, D_parent;
  SmallVector f, f_parent;
  RowElimination e;
};

SmallMatrix random_block(std::mt19937_64& engine, int rows, int columns) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  SmallMatrix A(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < columns; ++k) A(i, k) = uniform(engine);
  return A;
}

Pair random_pair(int d, int d_parent, int m, double sigma) {
  std::mt19937_64 engine(static_cast<unsigned>(100 * d + 10 * d_parent + m));
  const auto definite = [&](int n) {
    const SmallMatrix B = random_block(engine, n, n);
    SmallMatrix D = B * B.transpose();
    D.diagonal().array() += 1;
    return D;
  };
  Pair p{definite(d), definite(d_parent), random_block(engine, d, 1), random_block(engine, d_parent, 1), {}};
  p.e.J = random_block(engine, m, d);
  p.e.J_parent = random_block(engine, m, d_parent);
  p.e.sigma = SmallVector::Constant(m, sigma);
  p.e.b = random_block(engine, m, 1);
  return p;
}

// A body, its parent and the rows between them: [D 0 −Jᵀ; 0 D_p −J_pᵀ; J J_p Σ] [y; y_p; λ] = [f; f_p; b].
TEST(RowElimination, a_body_its_parent_and_the_rows_between_them_are_solved_like_their_KKT_matrix) {
  for (const auto& [d, p, m] : {std::array{6, 6, 5}, {3, 6, 3}, {7, 6, 1}, {6, 7, 6}, {3, 3, 2}})
    for (const double sigma : {0.0, 0.3}) {
      SCOPED_TRACE(d * 100 + p * 10 + m);
      Pair pair = random_pair(d, p, m, sigma);
      Eigen::MatrixXd H = Eigen::MatrixXd::Zero(d + p + m, d + p + m);
      H.block(0, 0, d, d) = pair.D;
      H.block(d, d, p, p) = pair.D_parent;
      H.block(0, d + p, d, m) = -pair.e.J.transpose();
      H.block(d, d + p, p, m) = -pair.e.J_parent.transpose();
      H.block(d + p, 0, m, d) = pair.e.J;
      H.block(d + p, d, m, p) = pair.e.J_parent;
      H.block(d + p, d + p, m, m).diagonal().setConstant(sigma);
      Eigen::VectorXd rhs(d + p + m);
      rhs << pair.f, pair.f_parent, pair.e.b;
      const Eigen::VectorXd wanted = H.fullPivLu().solve(rhs);

      ASSERT_TRUE(pair.e.eliminate(pair.D));
      const SmallMatrix D_parent = pair.D_parent + pair.e.parent_block();
      SmallVector y = pair.f;
      const SmallVector f_parent = pair.f_parent + pair.e.up(y);
      const SmallVector y_parent = D_parent.llt().solve(f_parent);
      const SmallVector lambda = pair.e.down(y_parent, y);
      EXPECT_LE((y - wanted.head(d)).norm(), 1e-12 * wanted.norm());
      EXPECT_LE((y_parent - wanted.segment(d, p)).norm(), 1e-12 * wanted.norm());
      EXPECT_LE((lambda - wanted.tail(m)).norm(), 1e-12 * wanted.norm());
    }
}

TEST(RowElimination, a_body_on_the_ground_has_no_parent_to_wait_for) {
  Pair pair = random_pair(6, 0, 5, 0);
  ASSERT_TRUE(pair.e.eliminate(pair.D));
  SmallVector y = pair.f;
  EXPECT_EQ(pair.e.up(y).size(), 0);
  const SmallVector lambda = pair.e.down({}, y);
  EXPECT_LE((pair.e.J * y - pair.e.b).norm(), 1e-12);
  EXPECT_LE((pair.D * y - pair.e.J.transpose() * lambda - pair.f).norm(), 1e-11);
}

TEST(RowElimination, rows_that_depend_on_each_other_are_refused) {
  Pair pair = random_pair(6, 6, 3, 0);
  pair.e.J.row(2) = pair.e.J.row(0) - 2 * pair.e.J.row(1);
  // Rounding may leave a positive pivot of its own size: an exact zero row is always seen.
  pair.e.J.row(1).setZero();
  EXPECT_FALSE(pair.e.eliminate(pair.D));
}

}  // namespace row_elimination_test
}  // namespace catena
