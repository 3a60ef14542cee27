// W z = r for a symmetric positive semidefinite W that may be singular: rank-revealing Cholesky with diagonal pivoting, and the
// solution of least norm.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace catena {

class SemidefiniteSolver {
 public:
  // Pivots at or below this, relative to the size of their row, are taken for zero. Rounding leaves about 1e-15 where a row depends on
  // the others. A linkage near a singular pose has pivots of the square of its distance from it: within 3e-5 rad the row is left
  // out for that instant, which loses less than dividing rounding errors by the pivot would (tests/step: the N-four-bar
  // passes its flat poses to eight digits).
  static constexpr double kRankTolerance = 1e-9;
  // Inside a step a state is a little off its joints, and rows that depend on each other only when the joints are closed (a Bennett
  // linkage) have pivots of the square of that error. Where so many dependent rows are expected, they are still taken for dependent.
  static constexpr double kNearTolerance = 1e-4;

  void reserve(int size);

  // Factors the lower triangle of W, O(k³/3). `size` is what the diagonal of W was computed from: the size its rounding errors are
  // relative to. Does not allocate for sizes up to the reserved one.
  // `expected` dependent rows are known from a nearby matrix: for the last so many pivots kNearTolerance decides.
  void factor(const Eigen::Ref<const Eigen::MatrixXd>& W, const Eigen::Ref<const Eigen::VectorXd>& size,
              int expected = 0);

  // z of least norm among those that solve W z = r (r consistent) or come nearest on the independent rows.
  void solve(const Eigen::Ref<const Eigen::VectorXd>& r, Eigen::Ref<Eigen::VectorXd> z);

  int size() const { return size_; }
  int rank() const { return rank_; }
  // Rows that depend on the others, in the order they were found; which of a dependent set is named follows the pivoting.
  std::span<const int> redundant() const {
    return std::span<const int>(order_).subspan(static_cast<std::size_t>(rank_),
                                                static_cast<std::size_t>(size_ - rank_));
  }

 private:
  void build_null_space();

  int size_ = 0, rank_ = 0;
  std::vector<int> order_;  // pivot order
  Eigen::VectorXd scale_;   // 1/sqrt(size)
  Eigen::MatrixXd L_;       // of the equilibrated, permuted matrix; rank_ columns
  Eigen::MatrixXd N_;       // null space in the unscaled unknowns, permuted   (size x (size − rank))
  Eigen::MatrixXd gram_;    // Cholesky factor of NᵀN
  Eigen::VectorXd x_, t_;
};

}  // namespace catena
