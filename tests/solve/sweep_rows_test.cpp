// The rows of a problem as a sweep reads them: what they say is A λ + b, whatever form the matrix has and however it is cut.
#include "catena/solve/sweep_rows.h"

#include <gtest/gtest.h>

#include "catena/solve/natural_map.h"
#include "solve/solve_testing.h"

namespace catena::solve {
namespace sweep_rows_test {

// r_k = b_k + Σ_k λ_k + Σ_s B_s x_s of all blocks, x built up by x_b += Ĝᵀ λ_k where it is not λ itself.
Vector residual(const SweepRows& rows, const Vector& lambda) {
  Vector x = lambda;
  const auto strip_of = [&](const SweepRows::Row& row, int s) -> const SweepRows::Strip& {
    return rows.strips[static_cast<std::size_t>(row.strip + s)];
  };
  if (rows.product) {
    x = Vector::Zero(rows.place_start.back());
    for (const SweepRows::Row& row : rows.rows)
      for (int s = 0; s < row.strips; ++s) {
        const SweepRows::Strip& strip = strip_of(row, s);
        for (int i = 0; i < row.size; ++i)
          for (int j = 0; j < strip.width; ++j)
            x[strip.start + j] +=
                rows.values[static_cast<std::size_t>(strip.value + i * strip.width + j)] * lambda[row.first + i];
      }
  }
  Vector r(lambda.size());
  for (const SweepRows::Row& row : rows.rows)
    for (int i = 0; i < row.size; ++i) {
      double sum = rows.b(row)[i] + rows.sigma(row)[i] * lambda[row.first + i];
      for (int s = 0; s < row.strips; ++s) {
        const SweepRows::Strip& strip = strip_of(row, s);
        for (int j = 0; j < strip.width; ++j)
          sum += rows.values[static_cast<std::size_t>(strip.value + i * strip.width + j)] * x[strip.start + j];
      }
      r[row.first + i] = sum;
    }
  return r;
}

TEST(SweepRows, say_A_lambda_plus_b_of_a_dense_a_block_sparse_and_a_product_matrix) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    testing_solve::Random random(seed);
    const std::vector<int> sizes{3, 1, 2, 3, 1, 3};
    const Product product = testing_solve::random_product(random, 4, {6, 3, 7}, sizes, 0.3);
    const Eigen::MatrixXd dense = to_dense(Matrix(product));
    Problem problem{product, random.vector(static_cast<int>(dense.rows())), {}};
    int first = 0;
    for (const int size : sizes) {
      problem.blocks.push_back({.law = size == 3 ? Law::cone
                                     : size == 2 ? Law::free
                                                 : Law::complementary,
                                .first = first,
                                .size = size,
                                .friction = {0.4, 0.4}});
      first += size;
    }
    const Vector lambda = random.vector(problem.size()), wanted = dense * lambda + problem.b;
    SweepRowsBuilder builder;
    SweepRows rows;
    for (const Matrix& A :
         {Matrix(product), Matrix(testing_solve::to_block_sparse(dense, product.cut)), Matrix(dense)}) {
      problem.A = A;
      builder.build(problem, true, rows);
      EXPECT_EQ(rows.product, std::holds_alternative<Product>(A));
      EXPECT_LE((residual(rows, lambda) - wanted).cwiseAbs().maxCoeff(), 1e-12 * (1 + wanted.cwiseAbs().maxCoeff()));
      EXPECT_NEAR(rows.scale, matrix_scale(A), 1e-12 * rows.scale);
    }
  }
}

}  // namespace sweep_rows_test
}  // namespace catena::solve
