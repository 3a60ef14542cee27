// K x = r for the Newton steps of the cone solvers: dense or sparse LU, whichever suits the pattern. Both triangles are given.
#pragma once

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>

#include "catena/solve/matrix.h"

namespace catena::solve {

// Sparse where it pays: large, and few entries.
bool worth_sparse(const SparseRows& A);

// A matrix whose pattern does not change: A plus a block diagonal.
class NewtonMatrix {
 public:
  // The pattern of A and of the diagonal blocks cut at `cut`.
  void analyse(const SparseRows& A, const std::vector<int>& cut);
  // K = A; then blocks are added by add(), then factored.
  void reset();
  void add(int row, int column, double value);
  bool factor();
  // One step of refinement included.
  Vector solve(const Vector& r) const;

 private:
  using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor>;

  bool sparse_ = false;
  SparseColumns A_, K_;
  Eigen::MatrixXd dense_A_, dense_K_;
  Eigen::SparseLU<SparseColumns, Eigen::AMDOrdering<int>> sparse_lu_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_lu_;
};

}  // namespace catena::solve
