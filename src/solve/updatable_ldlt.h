// LDLᵀ of a symmetric positive definite matrix that grows and shrinks by one row at a time, O(k²) each.
#pragma once

#include <Eigen/Core>

namespace catena::solve {

class UpdatableLdlt {
 public:
  void reserve(int size) {
    if (L_.rows() >= size) return;
    L_.resize(size, size);
    D_.resize(size);
    y_.resize(size);
    size_ = 0;
  }
  void clear() { size_ = 0; }
  int size() const { return size_; }

  // Appends a row: `a` against the rows that are there, `diagonal` with itself. False, and nothing is appended, when the row depends on
  // the others: its pivot is at most `least`.
  bool append(const Eigen::Ref<const Eigen::VectorXd>& a, double diagonal, double least) {
    auto y = y_.head(size_);
    y = a;
    L_.topLeftCorner(size_, size_).triangularView<Eigen::UnitLower>().solveInPlace(y);
    double pivot = diagonal;
    for (int i = 0; i < size_; ++i) {
      const double l = y[i] / D_[i];
      pivot -= l * y[i];
      L_(size_, i) = l;
    }
    if (!(pivot > least)) return false;
    D_[size_++] = pivot;
    return true;
  }

  // Removes row k: the rows behind it close up, and what it had taken from them is given back (a rank-one update).
  void remove(int k) {
    const int behind = size_ - k - 1;
    auto v = y_.head(behind);
    v = L_.col(k).segment(k + 1, behind);
    double alpha = D_[k];
    for (int i = k; i + 1 < size_; ++i) {
      L_.row(i).head(k) = L_.row(i + 1).head(k);
      for (int j = k; j < i; ++j) L_(i, j) = L_(i + 1, j + 1);
      D_[i] = D_[i + 1];
    }
    --size_;
    for (int j = 0; j < behind; ++j) {
      const int row = k + j;
      const double p = v[j], before = D_[row];
      D_[row] = before + alpha * p * p;
      const double beta = alpha * p / D_[row];
      alpha *= before / D_[row];
      for (int i = j + 1; i < behind; ++i) {
        v[i] -= p * L_(k + i, row);
        L_(k + i, row) += beta * v[i];
      }
    }
  }

  void solve(Eigen::Ref<Eigen::VectorXd> x) const {
    const auto L = L_.topLeftCorner(size_, size_).triangularView<Eigen::UnitLower>();
    L.solveInPlace(x);
    x.array() /= D_.head(size_).array();
    L.transpose().solveInPlace(x);
  }

 private:
  int size_ = 0;
  Eigen::MatrixXd L_;
  Eigen::VectorXd D_, y_;
};

}  // namespace catena::solve
