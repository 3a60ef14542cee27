#include "catena/solve/sparse_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "catena/math/dispatch.h"
#include "catena/math/lanes.h"
#include "catena/math/scalar.h"

namespace catena {
namespace {

constexpr auto kNowhere = static_cast<std::size_t>(-1);
constexpr int kWidth = SparseCholesky::Half::kWidth;
static_assert(sizeof(catena::Quad) == kWidth * sizeof(double) && Front::kLanes == kWidth);

using catena::load_quad;
using catena::store_quad;

// The numbers of a front, by columns of `stride` (elimination_fronts.h): L₁₁ from 0 on, L₂₁ from `lead` on, and T = L₁₁⁻ᵀ from `end` on, which falls
// out where the identity is eliminated along. With it no solve waits for one number after the other.
template <class Number>
struct Panel {
  Panel(const Front& front, std::span<Number> all)
      : numbers(all.data() + front.panel),
        width(front.width),
        lead(front.lead()),
        end(front.lead() + front.low()),
        stride(front.stride()) {}
  Number* column(int k) const { return numbers + k * stride; }
  Number* numbers;
  int width, lead, end, stride;
};

// Column k −= the columns before it times their numbers in row k, for the places from `from` to `to`, both multiples of four.
CATENA_INLINE void subtract_columns(const Panel<double>& P, int k, int from, int to) {
  constexpr int kTogether = 4;  // fours: of tall panels each column is then read a line at a time
  const double* __restrict before = P.numbers;
  double* __restrict column = P.column(k);
  int i = from;
  for (; i + kTogether * kWidth <= to; i += kTogether * kWidth) {
    catena::Quad sum[kTogether];
    for (int c = 0; c < kTogether; ++c) sum[c] = load_quad(column + i + c * kWidth);
    for (int j = 0; j < k; ++j) {
      const double own = before[j * P.stride + k];
      for (int c = 0; c < kTogether; ++c) sum[c] -= own * load_quad(before + j * P.stride + i + c * kWidth);
    }
    for (int c = 0; c < kTogether; ++c) store_quad(sum[c], column + i + c * kWidth);
  }
  for (; i < to; i += kWidth) {
    catena::Quad sum = load_quad(column + i);
    for (int j = 0; j < k; ++j) sum -= before[j * P.stride + k] * load_quad(before + j * P.stride + i);
    store_quad(sum, column + i);
  }
}

// The panel becomes its columns of L and T; U −= L₂₁ L₂₁ᵀ below the diagonal.
CATENA_DISPATCH bool eliminate(const Panel<double>& P, double* __restrict U) {
  for (int k = 0; k < P.width; ++k) {
    double* column = P.column(k);
    const int first = k / kWidth * kWidth, last = P.end + first + kWidth;
    column[P.end + k] = 1;
    subtract_columns(P, k, first, last);
    if (!(column[k] > 0)) return false;
    const double scale = 1 / std::sqrt(column[k]);
    for (int i = first; i < last; i += kWidth) store_quad(scale * load_quad(column + i), column + i);
  }
  const double* __restrict L = P.numbers + P.lead;
  const int low = P.end - P.lead;
  for (int j = 0; j < low; j += kWidth)
    for (int i = j; i < low; i += kWidth) {
      catena::Quad sum[kWidth];
      for (int c = 0; c < kWidth; ++c) sum[c] = load_quad(U + (j + c) * low + i);
      for (int k = 0; k < P.width; ++k) {
        const catena::Quad own = load_quad(L + k * P.stride + i);
        for (int c = 0; c < kWidth; ++c) sum[c] -= L[k * P.stride + j + c] * own;
      }
      for (int c = 0; c < kWidth; ++c) store_quad(sum[c], U + (j + c) * low + i);
    }
  return true;
}

// Σ a_i b_i, for a multiple of four.
CATENA_INLINE double product_of(const double* a, const double* b, int count) {
  catena::Quad sum{};
  for (int i = 0; i < count; i += kWidth) sum += load_quad(a + i) * load_quad(b + i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Numbers that have just been written one by one are read one by one: a processor waits where it must put four of them together itself.
CATENA_INLINE catena::Quad gather(const double* x, const int* rows) {
  return catena::Quad{x[rows[0]], x[rows[1]], x[rows[2]], x[rows[3]]};
}

// x_own ← L₁₁⁻¹ x_own, x_below −= L₂₁ x_own. `rows`: where its padded rows are in x; `own`: room for lead.
CATENA_DISPATCH void forward(const Panel<const double>& P, const int* rows, double* __restrict x,
                             double* __restrict own) {
  for (int i = 0; i < P.lead; i += kWidth) store_quad(gather(x, rows + i), own + i);
  for (int k = 0; k < P.width; ++k) x[rows[k]] = product_of(P.column(k) + P.end, own, k / kWidth * kWidth + kWidth);
  const double* x_own = x + rows[0];
  for (int i = P.lead; i < P.end; i += kWidth) {
    catena::Quad sum{};
    for (int k = 0; k < P.width; ++k) sum += x_own[k] * load_quad(P.column(k) + i);
    for (int c = 0; c < kWidth; ++c) x[rows[i + c]] -= sum[c];
  }
}

// x_own ← L₁₁⁻ᵀ (x_own − L₂₁ᵀ x_below). `below`: room for what is below, padded.
CATENA_DISPATCH void backward(const Panel<const double>& P, const int* rows, double* __restrict x,
                              double* __restrict below) {
  double* x_own = x + rows[0];
  for (int i = P.lead; i < P.end; i += kWidth) store_quad(gather(x, rows + i), below + i - P.lead);
  for (int k = 0; k < P.width; ++k) x_own[k] -= product_of(P.column(k) + P.lead, below, P.end - P.lead);
  for (int i = 0; i < P.lead; i += kWidth) {
    catena::Quad sum{};
    for (int k = i; k < P.width; ++k) sum += x_own[k] * load_quad(P.column(k) + P.end + i);
    for (int c = 0; c < kWidth && i + c < P.width; ++c) x_own[i + c] = sum[c];
  }
}

// forward() on kWidth right-hand sides side by side, none of them padded.
CATENA_DISPATCH void forward_wide(const Panel<const double>& P, double* __restrict x, double* __restrict below) {
  for (int k = P.width - 1; k >= 0; --k) {
    catena::Quad sum{};
    for (int i = 0; i <= k; ++i) sum += P.column(k)[P.end + i] * load_quad(x + i * kWidth);
    store_quad(sum, x + k * kWidth);
  }
  for (int i = P.lead; i < P.end; ++i) {
    catena::Quad sum{};
    for (int k = 0; k < P.width; ++k) sum += P.column(k)[i] * load_quad(x + k * kWidth);
    store_quad(sum, below + (i - P.lead) * kWidth);
  }
}

CATENA_DISPATCH void add_product(const double* __restrict a, const double* __restrict b, int rows,
                                 double* __restrict out) {
  catena::Quad sum[kWidth] = {};
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < kWidth; ++i) sum[i] += a[r * kWidth + i] * load_quad(b + r * kWidth);
  for (int i = 0; i < kWidth; ++i) store_quad(load_quad(out + i * kWidth) + sum[i], out + i * kWidth);
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
      place_[at(p)] = front.panel + at(k - front.first) * at(front.stride()) +
                      at(front.place(static_cast<int>(found - front.rows.begin())));
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
    const std::size_t size = at(front.low()) * at(front.low());
    highest = std::max(highest, top + size);
    top = kept_[s] + size;
    tallest = std::max(tallest, front.stride());
  }
  panels_.assign(fronts_.numbers, 0);
  stack_.assign(highest, 0);
  pad_rows();
  x_.assign(at(A.size) + 1, 0);
  t_.assign(at(tallest), 0);
  wide_.assign(at(A.size) * kWidth, 0);
  sum_.assign(at(tallest) * kWidth, 0);
  reached_.assign(count, 0);
}

void SparseCholesky::pad_rows() {
  const auto nowhere = static_cast<int>(fronts_.order.size());
  rows_.clear();
  rows_start_.clear();
  for (const Front& front : fronts_.fronts) {
    rows_start_.push_back(rows_.size());
    rows_.resize(rows_.size() + at(front.lead() + front.low()), nowhere);
    for (int i = 0; i < front.height(); ++i) rows_[rows_start_.back() + at(front.place(i))] = front.rows[at(i)];
  }
}

// What a child leaves, added where its rows are in the parent's block.
void SparseCholesky::take_from(int child, Front& front) {
  const Front& from = fronts_.fronts[at(child)];
  const auto s = static_cast<std::size_t>(&front - fronts_.fronts.data());
  const int below = from.below(), stride = from.low();
  const double* update = stack_.data() + kept_[at(child)];
  double *panel = panels_.data() + front.panel, *rest = stack_.data() + top_[s];
  const int* to = from.above.data();
  // Rows below come after the parent's own, so both parts are runs.
  const int own = static_cast<int>(std::lower_bound(to, to + below, front.width) - to);
  const int shift = front.lead() - front.width;
  for (int j = 0; j < below; ++j) {
    const double* column = update + j * stride;
    if (j < own) {
      double* target = panel + to[j] * front.stride();
      for (int i = j; i < own; ++i) target[to[i]] += column[i];
      for (int i = own; i < below; ++i) target[to[i] + shift] += column[i];
    } else {
      double* target = rest + (to[j] - front.width) * front.low() - front.width;
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
    const std::size_t size = at(front.low()) * at(front.low());
    double* update = stack_.data() + top_[s];
    std::fill(update, update + size, 0.0);
    for (const int child : children_[s]) take_from(child, front);
    if (!eliminate({front, std::span(panels_)}, update)) return false;
    if (kept_[s] != top_[s]) std::copy(update, update + size, stack_.data() + kept_[s]);
  }
  return true;
}

void SparseCholesky::solve(std::span<double> x) const {
  for (std::size_t k = 0; k < x.size(); ++k) x_[k] = x[at(fronts_.order[k])];
  x_.back() = 0;
  const std::span panels(panels_);
  for (std::size_t s = 0; s < fronts_.fronts.size(); ++s)
    forward({fronts_.fronts[s], panels}, rows_.data() + rows_start_[s], x_.data(), t_.data());
  for (std::size_t s = fronts_.fronts.size(); s-- > 0;)
    backward({fronts_.fronts[s], panels}, rows_.data() + rows_start_[s], x_.data(), t_.data());
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
    forward_wide({front, std::span<const double>(panels_)}, own, sum_.data());
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
