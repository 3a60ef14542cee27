#include "catena/solve/sparse_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "catena/math/dispatch.h"
#include "catena/solve/lanes.h"

namespace catena {
namespace {

constexpr auto kNowhere = static_cast<std::size_t>(-1);
constexpr int kWidth = SparseCholesky::Half::kWidth;
static_assert(sizeof(solve::Quad) == kWidth * sizeof(double));

std::size_t at(int i) { return static_cast<std::size_t>(i); }

CATENA_INLINE solve::Quad quad(const double* x) {
  solve::Quad out;
  std::memcpy(&out, x, sizeof out);
  return out;
}
CATENA_INLINE void put(solve::Quad x, double* to) { std::memcpy(to, &x, sizeof x); }

// y[i] −= Σ_k s_k x_k[i] for the columns k of a panel, four at a time.
CATENA_INLINE void subtract_columns(const double* __restrict x, int stride, int count, const double* s, int s_stride,
                                    int n, double* __restrict y) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *x0 = x + k * stride, *x1 = x0 + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    const double s0 = s[k * s_stride], s1 = s[(k + 1) * s_stride], s2 = s[(k + 2) * s_stride],
                 s3 = s[(k + 3) * s_stride];
    for (int i = 0; i < n; ++i) y[i] -= (s0 * x0[i] + s1 * x1[i]) + (s2 * x2[i] + s3 * x3[i]);
  }
  for (; k < count; ++k) {
    const double* x0 = x + k * stride;
    const double s0 = s[k * s_stride];
    for (int i = 0; i < n; ++i) y[i] -= s0 * x0[i];
  }
}

// The panel P (height x width, by columns) becomes its columns of L; U −= L₂₁ L₂₁ᵀ below the diagonal.
CATENA_DISPATCH bool eliminate(double* __restrict P, int height, int width, double* __restrict U) {
  for (int k = 0; k < width; ++k) {
    double* column = P + k * height;
    subtract_columns(P + k, height, k, P + k, height, height - k, column + k);
    if (!(column[k] > 0)) return false;
    const double pivot = std::sqrt(column[k]), scale = 1 / pivot;
    column[k] = pivot;
    for (int i = k + 1; i < height; ++i) column[i] *= scale;
  }
  const int below = height - width;
  for (int j = 0; j < below; ++j) {
    const int row = width + j;
    subtract_columns(P + row, height, width, P + row, height, below - j, U + j * below + j);
  }
  return true;
}

// x_own ← L₁₁⁻¹ x_own, t = −L₂₁ x_own.
CATENA_DISPATCH void forward(const double* __restrict P, int height, int width, double* __restrict x,
                             double* __restrict t) {
  for (int k = 0; k < width; ++k) {
    const double* column = P + k * height;
    x[k] /= column[k];
    for (int i = k + 1; i < width; ++i) x[i] -= column[i] * x[k];
  }
  std::fill(t, t + (height - width), 0.0);
  subtract_columns(P + width, height, width, x, 1, height - width, t);
}

// x_own ← L₁₁⁻ᵀ (x_own − L₂₁ᵀ t).
CATENA_DISPATCH void backward(const double* __restrict P, int height, int width, double* __restrict x,
                              const double* __restrict t) {
  for (int k = width - 1; k >= 0; --k) {
    const double* column = P + k * height;
    solve::Quad sums{};
    const double* low = column + width;
    const int below = height - width;
    int i = 0;
    for (; i + 4 <= below; i += 4) sums += quad(low + i) * quad(t + i);
    for (; i < below; ++i) sums[0] += low[i] * t[i];
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (i = k + 1; i < width; ++i) sum += column[i] * x[i];
    x[k] = (x[k] - sum) / column[k];
  }
}

// forward() on kWidth right-hand sides side by side, with t = L₂₁ x.
CATENA_DISPATCH void forward_wide(const double* __restrict P, int height, int width, double* __restrict x,
                                  double* __restrict t) {
  for (int k = 0; k < width; ++k) {
    const double* column = P + k * height;
    const solve::Quad own = quad(x + k * kWidth) * (1 / column[k]);
    put(own, x + k * kWidth);
    for (int i = k + 1; i < width; ++i) put(quad(x + i * kWidth) - column[i] * own, x + i * kWidth);
  }
  for (int i = width; i < height; ++i) {
    solve::Quad sum{};
    for (int k = 0; k < width; ++k) sum += P[k * height + i] * quad(x + k * kWidth);
    put(sum, t + (i - width) * kWidth);
  }
}

CATENA_DISPATCH void add_product(const double* __restrict a, const double* __restrict b, int rows,
                                 double* __restrict out) {
  solve::Quad sum[kWidth] = {};
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < kWidth; ++i) sum[i] += a[r * kWidth + i] * quad(b + r * kWidth);
  for (int i = 0; i < kWidth; ++i) put(quad(out + i * kWidth) + sum[i], out + i * kWidth);
}

}  // namespace

void SparseCholesky::analyse(const SparseSymmetric& A) {
  fronts_ = elimination_fronts(A);
  place_.assign(A.row.size(), kNowhere);
  int tallest = 0;
  for (int column = 0; column < A.size; ++column) {
    const int k = fronts_.place[at(column)];
    const Front& front = fronts_.fronts[at(fronts_.front_of[at(k)])];
    for (int p = A.start[at(column)]; p < A.start[at(column) + 1]; ++p) {
      const int row = fronts_.place[at(A.row[at(p)])];
      if (row < k) continue;
      const auto found = std::lower_bound(front.rows.begin(), front.rows.end(), row);
      place_[at(p)] =
          front.panel + at(k - front.first) * at(front.height()) + static_cast<std::size_t>(found - front.rows.begin());
    }
  }
  const std::size_t count = fronts_.fronts.size();
  children_.assign(count, {});
  top_.resize(count);
  kept_.resize(count);
  std::size_t top = 0, highest = 0;
  for (std::size_t s = 0; s < count; ++s) {
    const Front& front = fronts_.fronts[s];
    if (front.parent >= 0) children_[at(front.parent)].push_back(static_cast<int>(s));
    top_[s] = top;
    kept_[s] = children_[s].empty() ? top : kept_[at(children_[s].front())];
    const std::size_t size = at(front.below()) * at(front.below());
    highest = std::max(highest, top + size);
    top = kept_[s] + size;
    tallest = std::max(tallest, front.height());
  }
  panels_.assign(fronts_.numbers, 0);
  stack_.assign(highest, 0);
  x_.assign(at(A.size), 0);
  t_.assign(at(tallest), 0);
  wide_.assign(at(A.size) * kWidth, 0);
  sum_.assign(at(tallest) * kWidth, 0);
  reached_.assign(count, 0);
}

// What a child leaves, added where its rows are in the parent's block.
void SparseCholesky::take_from(int child, Front& front) {
  const Front& from = fronts_.fronts[at(child)];
  const std::size_t s = static_cast<std::size_t>(&front - fronts_.fronts.data());
  const int below = from.below(), height = front.height(), own_below = front.below();
  const double* update = stack_.data() + kept_[at(child)];
  double *panel = panels_.data() + front.panel, *rest = stack_.data() + top_[s];
  const int* to = from.above.data();
  for (int j = 0; j < below; ++j) {
    const double* column = update + j * below;
    if (to[j] < front.width) {
      double* target = panel + to[j] * height;
      for (int i = j; i < below; ++i) target[to[i]] += column[i];
    } else {
      double* target = rest + (to[j] - front.width) * own_below - front.width;
      for (int i = j; i < below; ++i) target[to[i]] += column[i];
    }
  }
}

bool SparseCholesky::factor(const SparseSymmetric& A) {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  for (std::size_t p = 0; p < place_.size(); ++p)
    if (place_[p] != kNowhere) panels_[place_[p]] = A.value[p];
  for (std::size_t s = 0; s < fronts_.fronts.size(); ++s) {
    Front& front = fronts_.fronts[s];
    const std::size_t size = at(front.below()) * at(front.below());
    double* update = stack_.data() + top_[s];
    std::fill(update, update + size, 0.0);
    for (const int child : children_[s]) take_from(child, front);
    if (!eliminate(panels_.data() + front.panel, front.height(), front.width, update)) return false;
    if (kept_[s] != top_[s]) std::copy(update, update + size, stack_.data() + kept_[s]);
  }
  return true;
}

void SparseCholesky::solve(std::span<double> x) const {
  for (std::size_t k = 0; k < x.size(); ++k) x_[k] = x[at(fronts_.order[k])];
  for (const Front& front : fronts_.fronts) {
    forward(panels_.data() + front.panel, front.height(), front.width, x_.data() + front.first, t_.data());
    const int* rows = front.rows.data() + front.width;
    for (int i = 0; i < front.below(); ++i) x_[at(rows[i])] += t_[at(i)];
  }
  for (auto front = fronts_.fronts.rbegin(); front != fronts_.fronts.rend(); ++front) {
    const int* rows = front->rows.data() + front->width;
    for (int i = 0; i < front->below(); ++i) t_[at(i)] = x_[at(rows[i])];
    backward(panels_.data() + front->panel, front->height(), front->width, x_.data() + front->first, t_.data());
  }
  for (std::size_t k = 0; k < x.size(); ++k) x[at(fronts_.order[k])] = x_[k];
}

void SparseCholesky::half_solve(std::span<const int> rows, std::span<const double> B, Half& out) {
  out.fronts.clear();
  out.numbers.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int k = fronts_.place[at(rows[i])];
    std::copy_n(B.data() + i * kWidth, kWidth, wide_.data() + at(k) * kWidth);
    for (int s = fronts_.front_of[at(k)]; s != -1 && !reached_[at(s)]; s = fronts_.fronts[at(s)].parent) {
      reached_[at(s)] = 1;
      out.fronts.push_back(s);
    }
  }
  std::sort(out.fronts.begin(), out.fronts.end());
  for (const int s : out.fronts) {
    const Front& front = fronts_.fronts[at(s)];
    reached_[at(s)] = 0;
    double* own = wide_.data() + at(front.first) * kWidth;
    forward_wide(panels_.data() + front.panel, front.height(), front.width, own, sum_.data());
    for (int i = 0; i < front.below(); ++i)
      for (int lane = 0; lane < kWidth; ++lane)
        wide_[at(front.rows[at(front.width + i)]) * kWidth + at(lane)] -= sum_[at(i * kWidth + lane)];
    out.numbers.insert(out.numbers.end(), own, own + front.width * kWidth);
    std::fill(own, own + front.width * kWidth, 0.0);
  }
}

void SparseCholesky::product(const Half& a, const Half& b, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  const double *in_a = a.numbers.data(), *in_b = b.numbers.data();
  const auto numbers_of = [&](int s) { return fronts_.fronts[at(s)].width * kWidth; };
  for (std::size_t i = 0, k = 0; i < a.fronts.size() && k < b.fronts.size();) {
    const int front_a = a.fronts[i], front_b = b.fronts[k];
    if (front_a == front_b) add_product(in_a, in_b, fronts_.fronts[at(front_a)].width, out.data());
    if (front_a <= front_b) in_a += numbers_of(front_a), ++i;
    if (front_b <= front_a) in_b += numbers_of(front_b), ++k;
  }
}

}  // namespace catena
