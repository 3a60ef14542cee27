// One matrix in three forms.
#include "catena/solve/matrix.h"

#include <gtest/gtest.h>

#include "solve/solve_testing.h"

namespace catena::solve {
namespace matrix_test {

struct Forms {
  Eigen::MatrixXd dense;
  std::vector<Matrix> all;

  explicit Forms(unsigned seed) {
    testing_solve::Random random(seed);
    const std::vector<int> sizes{3, 1, 2, 3, 1};
    const Product product = testing_solve::random_product(random, 4, {6, 3, 7}, sizes, 0.3);
    // G M⁻¹ Gᵀ + Σ, put together by its own definition.
    Eigen::MatrixXd G = Eigen::MatrixXd::Zero(product.size(), product.components()),
                    Minv = Eigen::MatrixXd::Zero(product.components(), product.components());
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (int n = 0; n < product.nodes(); ++n) {
      const int at = product.node_cut[static_cast<std::size_t>(n)],
                d = product.node_cut[static_cast<std::size_t>(n) + 1] - at;
      Minv.block(at, at, d, d) =
          Eigen::Map<const Rows>(product.Minv.data() + product.inverse[static_cast<std::size_t>(n)], d, d);
    }
    for (int b = 0; b < product.blocks(); ++b) {
      const auto k = static_cast<std::size_t>(b);
      const int first = product.cut[k], size = product.cut[k + 1] - first;
      for (int e = product.entry_start[k]; e < product.entry_start[k + 1]; ++e) {
        const Product::Entry& entry = product.entries[static_cast<std::size_t>(e)];
        const auto n = static_cast<std::size_t>(entry.node);
        const int at = product.node_cut[n], d = product.node_cut[n + 1] - at;
        G.block(first, at, size, d) += Eigen::Map<const Rows>(product.G.data() + entry.value, size, d);
      }
    }
    dense = G * Minv * G.transpose();
    for (int i = 0; i < dense.rows(); ++i) dense(i, i) += product.sigma[static_cast<std::size_t>(i)];
    all = {dense, testing_solve::to_block_sparse(dense, product.cut), product};
  }
};

TEST(Matrix, products_and_entries_are_the_same_whatever_the_form) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Forms forms(seed);
    const Vector z = Vector::LinSpaced(forms.dense.rows(), -1.3, 2.1);
    const double size = forms.dense.cwiseAbs().maxCoeff();
    for (const Matrix& A : forms.all) {
      EXPECT_EQ(size_of(A), forms.dense.rows());
      Vector w, again, work;
      multiply(A, z, w);
      multiply(A, z, again, work);
      EXPECT_LE((w - forms.dense * z).cwiseAbs().maxCoeff(), 1e-13 * size);
      EXPECT_EQ(w, again);
      EXPECT_LE((diagonal(A) - forms.dense.diagonal()).cwiseAbs().maxCoeff(), 1e-13 * size);
      EXPECT_LE((to_dense(A) - forms.dense).cwiseAbs().maxCoeff(), 1e-13 * size);
      EXPECT_LE((Eigen::MatrixXd(to_sparse(A)) - forms.dense).cwiseAbs().maxCoeff(), 1e-13 * size);
      EXPECT_NEAR(largest_entry(A), size, 1e-13 * size);
    }
  }
}

TEST(Matrix, triplets_of_the_same_place_are_added) {
  const std::vector<int> cut{0, 2, 3, 5};
  const std::vector<Triplet> triplets{{0, 0, 1.5}, {4, 1, 2}, {0, 0, 0.25}, {2, 2, -1}, {1, 0, 3}};
  const BlockSparse A = block_sparse(cut, triplets);
  Eigen::MatrixXd wanted = Eigen::MatrixXd::Zero(5, 5);
  for (const Triplet& t : triplets) wanted(t.row, t.column) += t.value;
  EXPECT_EQ((to_dense(A) - wanted).norm(), 0);
  Eigen::MatrixXd out(5, 5);
  out.setConstant(7);
  to_dense(A, out);
  EXPECT_EQ((out - wanted).norm(), 0);
}

}  // namespace matrix_test
}  // namespace catena::solve
