#include "catena/solve/lemke.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace catena::solve {
namespace {

// Entries of a column below this, relative to its largest, do not block: they are what rounding leaves of a zero.
constexpr double kZero = 1e-11;
// Ratios closer than this are taken for equal and decided by the lexicographic rule.
constexpr double kTie = 1e-12;
// The dictionary is built anew when its answer misses the equations by this.
constexpr double kDrift = 1e-10;
constexpr int kDriftInterval = 16;

}  // namespace

// Variables are numbered w: 0…n−1, z: n…2n−1, z0: 2n. The constant is a column of its own that never moves.
void Lemke::start(const Eigen::MatrixXd& M, const Vector& q, const Vector& cover) {
  M_ = &M;
  q_ = &q;
  size_ = static_cast<int>(q.size());
  pivots_ = 0;
  proved_ = false;
  ray_.resize(0);
  cover_ = cover;
  dictionary_.basic.resize(size_);
  dictionary_.nonbasic.resize(size_ + 2);
  std::iota(dictionary_.basic.begin(), dictionary_.basic.end(), 0);
  std::iota(dictionary_.nonbasic.begin(), dictionary_.nonbasic.end(), size_);
  dictionary_.D.resize(size_, size_ + 2);
  dictionary_.D << M, cover_, q;
  column_of_.assign(2 * size_ + 2, -1);
  for (int c = 0; c < size_ + 2; ++c) column_of_[dictionary_.nonbasic[c]] = c;
}

// [1 −M −cover] x = q: basic = B⁻¹ (q − N nonbasic).
void Lemke::rebuild() {
  const auto coefficients = [&](int variable) -> Vector {
    if (variable < size_) return Vector::Unit(size_, variable);
    if (variable < 2 * size_) return -M_->col(variable - size_);
    return -cover_;
  };
  Eigen::MatrixXd B(size_, size_), N(size_, size_ + 2);
  for (int i = 0; i < size_; ++i) B.col(i) = coefficients(dictionary_.basic[i]);
  for (int c = 0; c < size_ + 1; ++c) N.col(c) = -coefficients(dictionary_.nonbasic[c]);
  N.col(size_ + 1) = *q_;
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(B);
  dictionary_.D = lu.solve(N);
  dictionary_.D += lu.solve(N - B * dictionary_.D);
}

bool Lemke::drifted() const {
  Vector x = Vector::Zero(2 * size_ + 1);
  for (int i = 0; i < size_; ++i) x[dictionary_.basic[i]] = dictionary_.D(i, size_ + 1);
  const auto w = x.head(size_), z = x.segment(size_, size_);
  const Vector miss = w - *M_ * z - cover_ * x[2 * size_] - *q_;
  const double size = q_->lpNorm<Eigen::Infinity>() + (M_->cwiseAbs() * z.cwiseAbs()).lpNorm<Eigen::Infinity>();
  return !(miss.lpNorm<Eigen::Infinity>() <= kDrift * size);
}

// Rows of the ε-perturbed constant: q_i is followed by the coefficients of ε, ε², …: those of B⁻¹.
bool Lemke::lexicographically_less(int i, double pivot_i, int j, double pivot_j) const {
  const auto coefficient = [&](int row, int w) {
    if (dictionary_.basic[row] == w) return 1.0;
    return column_of_[w] >= 0 ? -dictionary_.D(row, column_of_[w]) : 0.0;
  };
  for (int w = 0; w < size_; ++w) {
    const double a = coefficient(i, w) / pivot_i, b = coefficient(j, w) / pivot_j;
    if (std::abs(a - b) > kTie * std::max({1.0, std::abs(a), std::abs(b)})) return a < b;
  }
  return false;
}

// The basic variable that reaches zero first as the entering one grows; −1: none does. z0 is preferred: it ends the search.
int Lemke::leaving_row(int column) const {
  const auto& D = dictionary_.D;
  const double zero = kZero * std::max(1e-300, D.col(column).lpNorm<Eigen::Infinity>());
  const double q_size = std::max(1e-300, D.col(size_ + 1).lpNorm<Eigen::Infinity>());
  int best = -1;
  double best_ratio = 0;
  for (int i = 0; i < size_; ++i) {
    const double pivot = -D(i, column);
    if (!(pivot > zero)) continue;
    const double ratio = std::max(D(i, size_ + 1), 0.0) / pivot;
    if (best < 0) {
      best = i;
      best_ratio = ratio;
      continue;
    }
    const double slack = kTie * (std::max(ratio, best_ratio) + q_size);
    if (ratio < best_ratio - slack) {
      best = i;
      best_ratio = ratio;
    } else if (ratio <= best_ratio + slack && dictionary_.basic[best] != 2 * size_) {
      if (dictionary_.basic[i] == 2 * size_ || lexicographically_less(i, pivot, best, -D(best, column))) {
        best = i;
        best_ratio = std::min(ratio, best_ratio);
      }
    }
  }
  return best;
}

Lemke::End Lemke::solve(const Eigen::MatrixXd& M, const Vector& q, const Vector& cover, int max_pivots) {
  start(M, q, cover);
  active_.clear();
  if (size_ == 0 || q.minCoeff() >= 0) return End::solution;

  // z0 enters just large enough to make every row feasible; the last row to become so leaves.
  int row = 0;
  for (int i = 1; i < size_; ++i) {
    const double a = q[i] / cover_[i], b = q[row] / cover_[row];
    if (a < b) row = i;
  }
  int column = size_;
  int last_rebuild = 0;
  for (;;) {
    const int left = dictionary_.basic[row];
    column_of_[left] = column;
    column_of_[dictionary_.nonbasic[column]] = -1;
    dictionary_.exchange(row, column);
    ++pivots_;
    if (left == 2 * size_) break;
    if (pivots_ >= max_pivots) return End::too_many_pivots;
    if (pivots_ % kDriftInterval == 0 && drifted()) {
      rebuild();
      last_rebuild = pivots_;
    }
    // The complement of what left enters.
    column = column_of_[left < size_ ? left + size_ : left - size_];
    row = leaving_row(column);
    if (row < 0 && last_rebuild != pivots_) {
      rebuild();
      last_rebuild = pivots_;
      row = leaving_row(column);
    }
    if (row < 0) {
      find_ray(column);
      return End::ray;
    }
  }
  for (const int variable : dictionary_.basic)
    if (variable >= size_) active_.push_back(variable - size_);
  std::sort(active_.begin(), active_.end());
  return End::solution;
}

// The direction z takes along the ray. x = that direction proves infeasibility when Mᵀx ≤ 0 and qᵀx < 0 (Farkas): each row of Mᵀx beside
// its own terms, or a large row would hide that a small one is positive.
void Lemke::find_ray(int column) {
  ray_ = Vector::Zero(size_);
  const int entering = dictionary_.nonbasic[column];
  if (entering >= size_ && entering < 2 * size_) ray_[entering - size_] = 1;
  for (int i = 0; i < size_; ++i) {
    const int variable = dictionary_.basic[i];
    if (variable >= size_ && variable < 2 * size_) ray_[variable - size_] = std::max(0.0, dictionary_.D(i, column));
  }
  const double most = ray_.lpNorm<Eigen::Infinity>();
  if (!(most > 0)) return;
  ray_ /= most;
  constexpr double kProof = 1e-9;
  const Vector t = M_->transpose() * ray_, size = M_->transpose().cwiseAbs() * ray_;
  proved_ = (t.array() <= kProof * size.array()).all() && q_->dot(ray_) < -kProof * q_->cwiseAbs().dot(ray_);
}

}  // namespace catena::solve
