#include "catena/solve/linear_solver.h"

namespace catena::solve {

bool worth_sparse(const SparseRows& A) {
  const auto n = static_cast<double>(A.rows());
  return A.rows() > 90 && static_cast<double>(A.nonZeros()) < 0.15 * n * n;
}

void NewtonMatrix::analyse(const SparseRows& A, const std::vector<int>& cut) {
  sparse_ = worth_sparse(A);
  if (!sparse_) {
    dense_A_ = A;
    return;
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < A.outerSize(); ++i)
    for (SparseRows::InnerIterator at(A, i); at; ++at) entries.emplace_back(i, at.col(), at.value());
  for (std::size_t k = 0; k + 1 < cut.size(); ++k)
    for (int i = cut[k]; i < cut[k + 1]; ++i)
      for (int j = cut[k]; j < cut[k + 1]; ++j) entries.emplace_back(i, j, 0.0);
  A_.resize(A.rows(), A.cols());
  A_.setFromTriplets(entries.begin(), entries.end());
  A_.makeCompressed();
  K_ = A_;
  sparse_lu_.isSymmetric(true);
  // The block diagonal outweighs the rest where it matters: pivots stay on the diagonal as long as they can.
  sparse_lu_.setPivotThreshold(0.01);
  sparse_lu_.analyzePattern(K_);
}

void NewtonMatrix::reset() {
  if (sparse_) K_ = A_;
  else dense_K_ = dense_A_;
}

void NewtonMatrix::add(int row, int column, double value) {
  if (sparse_) K_.coeffRef(row, column) += value;
  else dense_K_(row, column) += value;
}

bool NewtonMatrix::factor() {
  if (sparse_) {
    sparse_lu_.factorize(K_);
    return sparse_lu_.info() == Eigen::Success;
  }
  dense_lu_.compute(dense_K_);
  return true;
}

Vector NewtonMatrix::solve(const Vector& r) const {
  if (sparse_) {
    Vector x = sparse_lu_.solve(r);
    x += sparse_lu_.solve(r - K_ * x);
    return x;
  }
  Vector x = dense_lu_.solve(r);
  x += dense_lu_.solve(r - dense_K_ * x);
  return x;
}

}  // namespace catena::solve
