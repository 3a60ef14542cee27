// Sparse LDLᵀ of a symmetric quasi-definite matrix: SuiteSparse's AMD for the order and LDL for the numbers.
// The pattern is analysed once; factor and solve do not allocate.
#pragma once

#include <span>
#include <vector>

namespace catena {

// Both triangles of a symmetric matrix, by columns.
struct SparseSymmetric {
  int size = 0;
  std::vector<int> start;  // of each column                        (size + 1)
  std::vector<int> row;    // ascending within a column
  std::vector<double> value;
};

class SparseLdlt {
 public:
  void analyse(const SparseSymmetric& A);
  // False when a pivot is exactly zero.
  bool factor(const SparseSymmetric& A);
  void solve(std::span<double> x) const;  // x holds the right-hand side on entry

  // Multiplications of one factorisation, counted from the pattern.
  double flops() const { return flops_; }
  int entries() const { return L_start_.empty() ? 0 : L_start_.back(); }

 private:
  int size_ = 0;
  double flops_ = 0;
  std::vector<int> order_, inverse_order_;
  std::vector<int> parent_, L_count_, L_start_, L_row_;
  std::vector<double> L_value_, D_;
  std::vector<double> work_value_;
  std::vector<int> work_pattern_, work_flag_;
  mutable std::vector<double> permuted_;
};

}  // namespace catena
