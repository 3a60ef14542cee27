// Sparse Cholesky A = L Lᵀ of a symmetric positive definite matrix by fronts (elimination_fronts.h): each is a dense block that is eliminated as
// one, and hands what it leaves to its parent (the multifrontal method). The pattern is analysed once; factor and solve do not allocate.
#pragma once

#include <span>
#include <vector>

#include "catena/solve/elimination_fronts.h"

namespace catena {

class SparseCholesky {
 public:
  void analyse(const SparseSymmetric& A);
  // False when a pivot is not positive.
  bool factor(const SparseSymmetric& A);
  void solve(std::span<double> x) const;  // x holds the right-hand side on entry

  // L⁻¹ B of a few columns B with few rows, where it is not zero: front by front up to the root, kWidth numbers a row (those past the
  // columns of B are zero).
  struct Half {
    static constexpr int kWidth = 4;
    std::vector<int> fronts;
    std::vector<double> numbers;
  };
  // B: kWidth numbers for each of `rows`.
  void half_solve(std::span<const int> rows, std::span<const double> B, Half& out);
  // out = aᵀ b, kWidth x kWidth by rows: BᵀA⁻¹B of their columns.
  void product(const Half& a, const Half& b, std::span<double> out) const;

  double flops() const { return fronts_.flops; }  // multiplications of one factorisation

 private:
  void pad_rows();
  void take_from(int child, Front& front);

  Fronts fronts_;
  std::vector<std::size_t> place_;  // in the panels, of each number of A; kNowhere above the diagonal
  std::vector<std::size_t> top_;    // where a front's update is made on the stack, and where it is kept
  std::vector<std::size_t> kept_;   //
  std::vector<std::vector<int>> children_;
  std::vector<double> panels_;
  std::vector<double> stack_;            // updates on their way to the parents
  std::vector<int> rows_;                // of each front's panel, a place after the last where there is none
  std::vector<std::size_t> rows_start_;  //                                                  (fronts)
  mutable std::vector<double> x_, t_;    // permuted right-hand side, and what a front gathers of it
  std::vector<double> wide_, sum_;       // of half_solve
  std::vector<char> reached_;            // fronts
};

}  // namespace catena
