// The linear system of one of Newton's steps: what its unknowns do to w, and its factors.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/solve/state_newton.h"

namespace catena::solve {

// What one unit of an unknown does to w.
void StateNewton::column(std::size_t unknown, double* out) const {
  const std::size_t j = unknown_[unknown].row;
  const double* const a = A_ + j * size_;
  std::fill(out, out + size_, 0.0);
  for (const Follower& follower : followers_) {
    if (follower.parent != j) continue;
    const double* const own = A_ + follower.row * size_;
    for (std::size_t i = 0; i < size_; ++i) out[i] += follower.factor * own[i];
  }
  if (role_[j] == Role::held) {
    for (std::size_t i = 0; i < size_; ++i) out[i] += a[i];
    return;
  }
  const Slip& slip = slip_[static_cast<std::size_t>(block_of_[j])];
  const double *const b = a + size_, *const c = b + size_;
  if (role_[j] == Role::across) {  // at the first tangent: a and b are the tangents' columns
    for (std::size_t i = 0; i < size_; ++i) out[i] += slip.e[0] * b[i] - slip.e[1] * a[i];
  } else if (role_[j + 1] == Role::along) {  // one tangent
    for (std::size_t i = 0; i < size_; ++i) out[i] += a[i] + slip.friction * slip.e[0] * b[i];
  } else {
    for (std::size_t i = 0; i < size_; ++i) out[i] += a[i] + slip.friction * (slip.e[0] * b[i] + slip.e[1] * c[i]);
  }
}

// The component of a vector of all rows that belongs to an unknown.
double StateNewton::row_of(std::size_t unknown, const double* v) const {
  const Unknown& x = unknown_[unknown];
  return x.is_across ? x.e[0] * v[x.row + 1] - x.e[1] * v[x.row] : v[x.row];
}

// `lower`: where nothing slips the matrix is symmetric, and its lower triangle is all that is asked for.
CATENA_DISPATCH void StateNewton::fill(bool lower) {
  const std::size_t n = unknown_.size();
  M_.resize(n * n);
  full_.resize(size_);
  for (std::size_t j = 0; j < n; ++j) {
    double* const to = M_.data() + j * n;
    const std::size_t row = unknown_[j].row;
    const bool plain = role_[row] == Role::held && followers_.empty();
    if (plain) {
      const double* const a = A_ + row * size_;
      for (std::size_t i = lower ? j : 0; i < n; ++i) to[i] = 0.0 + row_of(i, a);
    } else {
      column(j, full_.data());
      for (std::size_t i = 0; i < n; ++i) to[i] = row_of(i, full_.data());
    }
    to[j] += role_[row] == Role::across ? slip_[static_cast<std::size_t>(block_of_[row])].stiffness : 0;
    to[j] += soft_.over_scale * scale_;
  }
}

namespace {

// to ← (to − u a) − v b from row `first` on: two columns of a factorisation at once, each number by the same operations as one after the other.
CATENA_INLINE void subtract_two(double* __restrict to, double u, const double* a, double v, const double* b,
                                std::size_t first, std::size_t n) {
  for (std::size_t i = first; i < n; ++i) to[i] = (to[i] - u * a[i]) - v * b[i];
}
CATENA_INLINE void subtract(double* __restrict to, double u, const double* a, std::size_t first, std::size_t n) {
  for (std::size_t i = first; i < n; ++i) to[i] -= u * a[i];
}

}  // namespace

// Cholesky's factorisation of the lower triangle, two columns at a time. False: rounding has made it indefinite.
CATENA_DISPATCH bool StateNewton::factor_symmetric() {
  const std::size_t n = unknown_.size();
  double* const M = M_.data();
  const auto scale = [n](double* own, std::size_t k) {
    if (!(own[k] > 0)) return false;
    const double inverse = 1 / std::sqrt(own[k]);
    for (std::size_t i = k; i < n; ++i) own[i] *= inverse;
    return true;
  };
  for (std::size_t k = 0; k < n; k += 2) {
    double *const own = M + k * n, *const next = own + n;
    if (!scale(own, k)) return false;
    if (k + 1 == n) return true;
    subtract(next, own[k + 1], own, k + 1, n);
    if (!scale(next, k + 1)) return false;
    for (std::size_t j = k + 2; j < n; ++j) subtract_two(M + j * n, own[j], own, next[j], next, j, n);
  }
  return true;
}

// LU with partial pivoting, two columns at a time: columns of what slips make the matrix unsymmetric.
CATENA_DISPATCH bool StateNewton::factor() {
  const std::size_t n = unknown_.size();
  pivot_.resize(n);
  double* const M = M_.data();
  // Chooses the pivot of column k and divides by it; the rows of all columns are exchanged.
  const auto eliminate = [&](std::size_t k) {
    double* const own = M + k * n;
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(own[i]) > std::abs(own[p])) p = i;
    if (!(std::abs(own[p]) > 0)) return false;
    pivot_[k] = static_cast<int>(p);
    if (p != k)
      for (std::size_t j = 0; j < n; ++j) std::swap(M[j * n + k], M[j * n + p]);
    const double inverse = 1 / own[k];
    for (std::size_t i = k + 1; i < n; ++i) own[i] *= inverse;
    return true;
  };
  for (std::size_t k = 0; k < n; k += 2) {
    double *const own = M + k * n, *const next = own + n;
    if (!eliminate(k)) return false;
    if (k + 1 == n) return true;
    if (const double u = next[k]; u != 0) subtract(next, u, own, k + 1, n);
    if (!eliminate(k + 1)) return false;
    for (std::size_t j = k + 2; j < n; ++j) {
      double* const other = M + j * n;
      const double u = other[k];
      if (u != 0) other[k + 1] -= u * own[k + 1];
      const double v = other[k + 1];
      if (u != 0 && v != 0) subtract_two(other, u, own, v, next, k + 2, n);
      else if (u != 0) subtract(other, u, own, k + 2, n);
      else if (v != 0) subtract(other, v, next, k + 2, n);
    }
  }
  return true;
}

// x ← M⁻¹x by the factors.
CATENA_DISPATCH void StateNewton::substitute() {
  const std::size_t n = unknown_.size();
  const double* const M = M_.data();
  double* const x = x_.data();
  if (symmetric_) {
    for (std::size_t k = 0; k < n; ++k) {
      x[k] /= M[k * n + k];
      subtract(x, x[k], M + k * n, k + 1, n);
    }
    for (std::size_t k = n; k-- > 0;) {
      double sum = x[k];
      for (std::size_t i = k + 1; i < n; ++i) sum -= M[k * n + i] * x[i];
      x[k] = sum / M[k * n + k];
    }
    return;
  }
  for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[static_cast<std::size_t>(pivot_[k])]);
  for (std::size_t k = 0; k < n; ++k) subtract(x, x[k], M + k * n, k + 1, n);
  for (std::size_t k = n; k-- > 0;) {
    x[k] /= M[k * n + k];
    subtract(x, x[k], M + k * n, 0, k);
  }
}

}  // namespace catena::solve
