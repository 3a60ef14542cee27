#include "catena/solve/small_factors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "catena/math/dispatch.h"
#include "catena/math/lanes.h"

namespace catena::solve {
namespace {

// Columns that are eliminated together, and numbers of a vector: loops over rows begin and end at whole panels, what is beyond the matrix being zero.
constexpr std::size_t kPanel = 4;

CATENA_INLINE Quad all(double x) { return Quad{x, x, x, x}; }

CATENA_INLINE void subtract(double* to, double u, const double* a, std::size_t first, std::size_t end) {
  const Quad four = all(u);
  for (std::size_t i = first; i < end; i += kPanel) store_quad(load_quad(to + i) - four * load_quad(a + i), to + i);
}

// to ← to − Σ u_c column_c, of four columns: each number by the same operations as one column after the other.
CATENA_INLINE void subtract_four(double* to, const double* u, const double* columns, std::size_t stride,
                                 std::size_t first, std::size_t end) {
  const double *const a = columns, *const b = a + stride, *const c = b + stride, *const d = c + stride;
  const Quad s = all(u[0]), t = all(u[1]), v = all(u[2]), w = all(u[3]);
  for (std::size_t i = first; i < end; i += kPanel)
    store_quad((((load_quad(to + i) - s * load_quad(a + i)) - t * load_quad(b + i)) - v * load_quad(c + i)) -
                   w * load_quad(d + i),
               to + i);
}

CATENA_INLINE void scale(double* a, double factor, std::size_t first, std::size_t end) {
  const Quad four = all(factor);
  for (std::size_t i = first; i < end; i += kPanel) store_quad(four * load_quad(a + i), a + i);
}

// Whether none of a_first … a_{end − 1} is larger than `most`; `end` at whole panels.
CATENA_INLINE bool none_exceeds(double most, const double* a, std::size_t first, std::size_t end) {
  Quad largest = all(most);
  for (std::size_t i = first; i < end; i += kPanel) {
    const Quad x = load_quad(a + i), size = x < all(0) ? -x : x;
    largest = size > largest ? size : largest;
  }
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3])) <= most;
}

// The first of the largest among a_first … a_{end − 1}, which is a_first mostly. `below`: where whole panels after a_first begin, `padded`: where they end.
CATENA_INLINE std::size_t place_of_largest(const double* a, std::size_t first, std::size_t below, std::size_t end,
                                           std::size_t padded) {
  std::size_t place = first;
  for (std::size_t i = first + 1; i < std::min(below, end); ++i)
    if (std::abs(a[i]) > std::abs(a[place])) place = i;
  if (none_exceeds(std::abs(a[place]), a, below, padded)) return place;
  for (std::size_t i = below; i < end; ++i)
    if (std::abs(a[i]) > std::abs(a[place])) place = i;
  return place;
}

// Σ aᵢ xᵢ, in four sums that do not wait for each other.
CATENA_INLINE double product(const double* a, const double* x, std::size_t first, std::size_t end) {
  Quad sum = all(0);
  for (std::size_t i = first; i < end; i += kPanel) sum += load_quad(a + i) * load_quad(x + i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

void SmallFactors::resize(std::size_t n) {
  if (n == n_) return;
  n_ = n;
  stride_ = (n + kPanel - 1) / kPanel * kPanel;
  for (std::vector<double>* all_zero : {&inverse_, &x_}) all_zero->assign(stride_, 0.0);
  // All of the matrix is written before it is factored; columns beyond it are to be zero.
  M_.resize(std::max(M_.size(), stride_ * stride_));
  std::fill(M_.begin() + static_cast<std::ptrdiff_t>(n * stride_),
            M_.begin() + static_cast<std::ptrdiff_t>(stride_ * stride_), 0.0);
  pivot_.resize(stride_);
  exchanged_.resize(stride_ / kPanel);
}

void SmallFactors::clear_padding() {
  const std::size_t padding = stride_ - n_;
  if (padding == 0) return;
  for (std::size_t j = 0; j < n_; ++j) {  // at most three numbers: no call of memset
    double* const beyond = column(j) + n_;
    beyond[0] = 0;
    if (padding > 1) beyond[1] = 0;
    if (padding > 2) beyond[2] = 0;
  }
}

// Cholesky's factorisation of the lower triangle, four columns at a time.
CATENA_DISPATCH bool SmallFactors::factor_symmetric() {
  symmetric_ = true;
  clear_padding();
  const std::size_t n = n_, stride = stride_;
  double *const M = M_.data(), *const inverse = inverse_.data();
  for (std::size_t k = 0; k < n; k += kPanel) {
    const std::size_t below = k + kPanel;
    const double* const panel = M + k * stride;
    for (std::size_t c = k; c < std::min(below, n); ++c) {
      // From row k on: what is above the diagonal is not read.
      double* const own = M + c * stride;
      for (std::size_t b = k; b < c; ++b) subtract(own, M[b * stride + c], M + b * stride, k, stride);
      if (!(own[c] > 0)) return false;
      inverse[c] = 1 / std::sqrt(own[c]);
      scale(own, inverse[c], k, stride);
    }
    for (std::size_t j = below; j < n; ++j) {
      const double by[kPanel] = {panel[j], panel[stride + j], panel[2 * stride + j], panel[3 * stride + j]};
      subtract_four(M + j * stride, by, panel, stride, j / kPanel * kPanel, stride);
    }
  }
  return true;
}

// Four columns of which those before `first` have been eliminated, with the row exchanges found in them.
CATENA_INLINE bool SmallFactors::factor_panel(std::size_t first) {
  const std::size_t n = n_, stride = stride_, below = first + kPanel, end = std::min(below, n);
  double *const M = M_.data(), *const inverse = inverse_.data();
  std::size_t* const pivot = pivot_.data();
  double heads[kPanel][kPanel] = {};  // of the columns of L: rows of the panel, those on and above the diagonal zero
  bool exchanged = false;
  for (std::size_t c = first; c < end; ++c) {
    double* const own = M + c * stride;
    if (exchanged)
      for (std::size_t b = first; b < c; ++b) std::swap(own[b], own[pivot[b]]);
    for (std::size_t b = first; b < c; ++b) {
      const double u = own[b];
      store_quad(load_quad(own + first) - all(u) * load_quad(heads[b - first]), own + first);
      subtract(own, u, M + b * stride, below, stride);
    }
    const std::size_t p = place_of_largest(own, c, below, n, stride);
    if (!(std::abs(own[p]) > 0)) return false;
    pivot[c] = p;
    if (p != c) {
      exchanged = true;
      for (std::size_t b = first; b <= c; ++b) std::swap(M[b * stride + c], M[b * stride + p]);
      for (std::size_t b = first; b < c; ++b) {
        heads[b - first][c - first] = M[b * stride + c];
        if (p < below) heads[b - first][p - first] = M[b * stride + p];
      }
    }
    inverse[c] = 1 / own[c];
    scale(own, inverse[c], below, stride);
    for (std::size_t i = c + 1; i < end; ++i) heads[c - first][i - first] = own[i] *= inverse[c];
  }
  exchanged_[first / kPanel] = exchanged ? 1 : 0;
  return true;
}

// LU with partial pivoting, four columns at a time. Rows of a panel are exchanged in a column when it is eliminated from, and no longer once it is
// factored itself: substitute() exchanges panel by panel.
CATENA_DISPATCH bool SmallFactors::factor() {
  symmetric_ = false;
  clear_padding();
  const std::size_t n = n_, stride = stride_;
  for (std::size_t k = 0; k < n; k += kPanel) {
    if (!factor_panel(k)) return false;
    const bool exchanged = exchanged_[k / kPanel] != 0;
    const double* const panel = M_.data() + k * stride;
    const double *const a = panel + k, *const b = a + stride, *const c = b + stride;
    const double a1 = a[1], a2 = a[2], a3 = a[3], b2 = b[2], b3 = b[3], c3 = c[3];
    for (std::size_t j = k + kPanel; j < n; ++j) {
      double *const other = M_.data() + j * stride, *const u = other + k;
      if (exchanged)
        for (std::size_t i = k; i < k + kPanel; ++i) std::swap(other[i], other[pivot_[i]]);
      u[1] -= u[0] * a1;
      u[2] = (u[2] - u[0] * a2) - u[1] * b2;
      u[3] = ((u[3] - u[0] * a3) - u[1] * b3) - u[2] * c3;
      const double by[kPanel] = {u[0], u[1], u[2], u[3]};
      subtract_four(other, by, panel, stride, k + kPanel, stride);
    }
  }
  return true;
}

CATENA_DISPATCH void SmallFactors::substitute(double* out) {
  double* const x = x_.data();
  std::copy(out, out + n_, x);
  std::fill(x + n_, x + stride_, 0.0);
  if (symmetric_) {
    for (std::size_t k = 0; k < stride_; k += kPanel) reduce_symmetric(k, x);
    for (std::size_t below = stride_; below > 0; below -= kPanel) substitute_symmetric(below - kPanel, x);
  } else {
    for (std::size_t k = 0; k < stride_; k += kPanel) reduce(k, x);
    for (std::size_t below = stride_; below > 0; below -= kPanel) substitute_back(below - kPanel, x);
  }
  std::copy(x, x + n_, out);
}

// x ← L⁻¹x, the part of a panel. What is beyond the matrix is zero: columns, x and what it is multiplied by.
CATENA_INLINE void SmallFactors::reduce_symmetric(std::size_t k, double* x) const {
  const double *const a = M_.data() + k * stride_, *const b = a + stride_, *const c = b + stride_;
  const double* const inverse = inverse_.data() + k;
  double* const own = x + k;
  own[0] *= inverse[0];
  own[1] = (own[1] - own[0] * a[k + 1]) * inverse[1];
  own[2] = ((own[2] - own[0] * a[k + 2]) - own[1] * b[k + 2]) * inverse[2];
  own[3] = (((own[3] - own[0] * a[k + 3]) - own[1] * b[k + 3]) - own[2] * c[k + 3]) * inverse[3];
  subtract_four(x, own, a, stride_, k + kPanel, stride_);
}

// x ← L⁻ᵀx.
CATENA_INLINE void SmallFactors::substitute_symmetric(std::size_t k, double* x) const {
  const double *const a = M_.data() + k * stride_, *const b = a + stride_, *const c = b + stride_,
                      *const d = c + stride_;
  const double* const inverse = inverse_.data() + k;
  double* const own = x + k;
  const std::size_t below = k + kPanel;
  own[3] = (own[3] - product(d, x, below, stride_)) * inverse[3];
  own[2] = ((own[2] - product(c, x, below, stride_)) - own[3] * c[k + 3]) * inverse[2];
  own[1] = (((own[1] - product(b, x, below, stride_)) - own[3] * b[k + 3]) - own[2] * b[k + 2]) * inverse[1];
  own[0] = ((((own[0] - product(a, x, below, stride_)) - own[3] * a[k + 3]) - own[2] * a[k + 2]) - own[1] * a[k + 1]) *
           inverse[0];
}

// x ← L⁻¹ P x.
CATENA_INLINE void SmallFactors::reduce(std::size_t k, double* x) const {
  const double *const a = M_.data() + k * stride_, *const b = a + stride_, *const c = b + stride_;
  double* const own = x + k;
  if (exchanged_[k / kPanel] != 0)
    for (std::size_t i = k; i < std::min(k + kPanel, n_); ++i) std::swap(x[i], x[pivot_[i]]);
  own[1] -= own[0] * a[k + 1];
  own[2] = (own[2] - own[0] * a[k + 2]) - own[1] * b[k + 2];
  own[3] = ((own[3] - own[0] * a[k + 3]) - own[1] * b[k + 3]) - own[2] * c[k + 3];
  subtract_four(x, own, a, stride_, k + kPanel, stride_);
}

// x ← U⁻¹x.
CATENA_INLINE void SmallFactors::substitute_back(std::size_t k, double* x) const {
  const double *const a = M_.data() + k * stride_, *const b = a + stride_, *const c = b + stride_,
                      *const d = c + stride_;
  const double* const inverse = inverse_.data() + k;
  double* const own = x + k;
  own[3] *= inverse[3];
  own[2] = (own[2] - own[3] * d[k + 2]) * inverse[2];
  own[1] = ((own[1] - own[3] * d[k + 1]) - own[2] * c[k + 1]) * inverse[1];
  own[0] = (((own[0] - own[3] * d[k]) - own[2] * c[k]) - own[1] * b[k]) * inverse[0];
  subtract_four(x, own, a, stride_, 0, k);
}

}  // namespace catena::solve
