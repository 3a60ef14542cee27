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
  for (const Follower& follower : states_.followers) {
    if (follower.parent != j) continue;
    const double* const own = A_ + follower.row * size_;
    for (std::size_t i = 0; i < size_; ++i) out[i] += follower.factor * own[i];
  }
  if (states_.role[j] == Role::held) {
    for (std::size_t i = 0; i < size_; ++i) out[i] += a[i];
    return;
  }
  const Slip& slip = states_.slip[static_cast<std::size_t>(states_.block_of[j])];
  const double *const b = a + size_, *const c = b + size_;
  if (states_.role[j] == Role::across) {  // at the first tangent: a and b are the tangents' columns
    for (std::size_t i = 0; i < size_; ++i) out[i] += slip.e[0] * b[i] - slip.e[1] * a[i];
  } else if (states_.role[j + 1] == Role::along) {  // one tangent
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
  system_.M.resize(n * n);
  system_.full.resize(size_);
  for (std::size_t j = 0; j < n; ++j) {
    double* const to = system_.M.data() + j * n;
    const std::size_t row = unknown_[j].row;
    const bool plain = states_.role[row] == Role::held && states_.followers.empty();
    if (!plain) column(j, system_.full.data());
    const double* const from = plain ? A_ + row * size_ : system_.full.data();
    for (std::size_t i = lower ? j : 0; i < n; ++i) to[i] = from[unknown_[i].row];
    for (const std::size_t i : across_) to[i] = row_of(i, from);
    to[j] +=
        states_.role[row] == Role::across ? states_.slip[static_cast<std::size_t>(states_.block_of[row])].stiffness : 0;
    to[j] += soft_.over_scale * scale_;
  }
}

namespace {

CATENA_INLINE void subtract(double* __restrict to, double u, const double* a, std::size_t first, std::size_t n) {
  for (std::size_t i = first; i < n; ++i) to[i] -= u * a[i];
}

// to ← to − Σ u_c column_c from row `first` on, of four columns n numbers apart: each number by the same operations as one column after the other.
CATENA_INLINE void subtract_four(double* __restrict to, const double (&u)[4], const double* __restrict columns,
                                 std::size_t first, std::size_t n) {
  const double* __restrict const a = columns, * __restrict const b = a + n, * __restrict const c = b + n, * __restrict const d = c + n;
  const double s = u[0], t = u[1], v = u[2], w = u[3];
  for (std::size_t i = first; i < n; ++i) to[i] = (((to[i] - s * a[i]) - t * b[i]) - v * c[i]) - w * d[i];
}

constexpr std::size_t kPanel = 4;  // columns that are eliminated together

}  // namespace

// Cholesky's factorisation of the lower triangle, four columns at a time. False: rounding has made it indefinite.
CATENA_DISPATCH bool StateNewton::factor_symmetric() {
  const std::size_t n = unknown_.size();
  double* const M = system_.M.data();
  for (std::size_t k = 0; k < n; k += kPanel) {
    for (std::size_t c = k; c < std::min(k + kPanel, n); ++c) {
      double* const own = M + c * n;
      for (std::size_t b = k; b < c; ++b) subtract(own, M[b * n + c], M + b * n, c, n);
      if (!(own[c] > 0)) return false;
      const double inverse = 1 / std::sqrt(own[c]);
      for (std::size_t i = c; i < n; ++i) own[i] *= inverse;
    }
    const double* const panel = M + k * n;
    for (std::size_t j = k + kPanel; j < n; ++j)
      subtract_four(M + j * n, {panel[j], panel[n + j], panel[2 * n + j], panel[3 * n + j]}, panel, j, n);
  }
  return true;
}

// LU with partial pivoting, four columns at a time: columns of what slips make the matrix unsymmetric. Rows are exchanged in a column when it is
// eliminated from, and no longer once its panel is done: substitute() exchanges panel by panel.
CATENA_DISPATCH bool StateNewton::factor() {
  const std::size_t n = unknown_.size();
  system_.pivot.resize(n);
  double* const M = system_.M.data();
  for (std::size_t k = 0; k < n; k += kPanel) {
    for (std::size_t c = k; c < std::min(k + kPanel, n); ++c) {
      double* const own = M + c * n;
      for (std::size_t b = k; b < c; ++b) std::swap(own[b], own[system_.pivot[b]]);
      for (std::size_t b = k; b < c; ++b) subtract(own, own[b], M + b * n, b + 1, n);
      std::size_t p = c;
      for (std::size_t i = c + 1; i < n; ++i)
        if (std::abs(own[i]) > std::abs(own[p])) p = i;
      if (!(std::abs(own[p]) > 0)) return false;
      system_.pivot[c] = p;
      for (std::size_t b = k; b <= c; ++b) std::swap(M[b * n + c], M[b * n + p]);
      const double inverse = 1 / own[c];
      for (std::size_t i = c + 1; i < n; ++i) own[i] *= inverse;
    }
    const double* const panel = M + k * n;
    for (std::size_t j = k + kPanel; j < n; ++j) {
      double* const other = M + j * n;
      for (std::size_t c = k; c < k + kPanel; ++c) std::swap(other[c], other[system_.pivot[c]]);
      other[k + 1] -= other[k] * panel[k + 1];
      other[k + 2] = (other[k + 2] - other[k] * panel[k + 2]) - other[k + 1] * panel[n + k + 2];
      other[k + 3] = ((other[k + 3] - other[k] * panel[k + 3]) - other[k + 1] * panel[n + k + 3]) -
                     other[k + 2] * panel[2 * n + k + 3];
      subtract_four(other, {other[k], other[k + 1], other[k + 2], other[k + 3]}, panel, k + kPanel, n);
    }
  }
  return true;
}

// x ← M⁻¹x by the factors.
CATENA_DISPATCH void StateNewton::substitute() {
  const std::size_t n = unknown_.size();
  const double* const M = system_.M.data();
  double* const x = system_.x.data();
  if (system_.symmetric) {
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
  for (std::size_t k = 0; k < n; k += kPanel) {
    const std::size_t end = std::min(k + kPanel, n);
    for (std::size_t c = k; c < end; ++c) std::swap(x[c], x[system_.pivot[c]]);
    for (std::size_t c = k; c < end; ++c) subtract(x, x[c], M + c * n, c + 1, n);
  }
  for (std::size_t k = n; k-- > 0;) {
    x[k] /= M[k * n + k];
    subtract(x, x[k], M + k * n, 0, k);
  }
}

}  // namespace catena::solve
