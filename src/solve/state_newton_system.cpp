// The linear system of one of Newton's steps: what its unknowns do to w, and its factors.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/solve/state_newton.h"

namespace catena::solve {

// What one unit of an unknown does to w.
void StateNewton::column(std::size_t unknown, double* out) const {
  const auto j = static_cast<std::size_t>(unknown_[unknown]);
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
  const auto i = static_cast<std::size_t>(unknown_[unknown]);
  if (role_[i] != Role::across) return v[i];
  const Slip& slip = slip_[static_cast<std::size_t>(block_of_[i])];
  return slip.e[0] * v[i + 1] - slip.e[1] * v[i];
}

void StateNewton::fill() {
  const std::size_t n = unknown_.size();
  M_.resize(n * n);
  full_.resize(size_);
  for (std::size_t j = 0; j < n; ++j) {
    column(j, full_.data());
    double* const to = M_.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) to[i] = row_of(i, full_.data());
    const auto row = static_cast<std::size_t>(unknown_[j]);
    to[j] += role_[row] == Role::across ? slip_[static_cast<std::size_t>(block_of_[row])].stiffness : 0;
    to[j] += soft_ * scale_;
  }
}

// Cholesky's factorisation of the lower triangle. False: rounding has made it indefinite.
CATENA_DISPATCH bool StateNewton::factor_symmetric() {
  const std::size_t n = unknown_.size();
  double* const M = M_.data();
  for (std::size_t k = 0; k < n; ++k) {
    double* const own = M + k * n;
    if (!(own[k] > 0)) return false;
    const double inverse = 1 / std::sqrt(own[k]);
    for (std::size_t i = k; i < n; ++i) own[i] *= inverse;
    for (std::size_t j = k + 1; j < n; ++j) {
      double* const other = M + j * n;
      const double u = own[j];
      for (std::size_t i = j; i < n; ++i) other[i] -= u * own[i];
    }
  }
  return true;
}

// LU with partial pivoting: columns of what slips make the matrix unsymmetric.
CATENA_DISPATCH bool StateNewton::factor() {
  const std::size_t n = unknown_.size();
  pivot_.resize(n);
  double* const M = M_.data();
  for (std::size_t k = 0; k < n; ++k) {
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
    for (std::size_t j = k + 1; j < n; ++j) {
      double* const other = M + j * n;
      const double u = other[k];
      if (u == 0) continue;
      for (std::size_t i = k + 1; i < n; ++i) other[i] -= u * own[i];
    }
  }
  return true;
}

// x ← M⁻¹x by the factors.
CATENA_DISPATCH void StateNewton::substitute() {
  const std::size_t n = unknown_.size();
  const double* const M = M_.data();
  if (symmetric_) {
    for (std::size_t k = 0; k < n; ++k) {
      x_[k] /= M[k * n + k];
      for (std::size_t i = k + 1; i < n; ++i) x_[i] -= x_[k] * M[k * n + i];
    }
    for (std::size_t k = n; k-- > 0;) {
      double sum = x_[k];
      for (std::size_t i = k + 1; i < n; ++i) sum -= M[k * n + i] * x_[i];
      x_[k] = sum / M[k * n + k];
    }
    return;
  }
  for (std::size_t k = 0; k < n; ++k) std::swap(x_[k], x_[static_cast<std::size_t>(pivot_[k])]);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) x_[i] -= x_[k] * M[k * n + i];
  for (std::size_t k = n; k-- > 0;) {
    x_[k] /= M[k * n + k];
    for (std::size_t i = 0; i < k; ++i) x_[i] -= x_[k] * M[k * n + i];
  }
}

}  // namespace catena::solve
