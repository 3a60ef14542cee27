// front_elimination.h: the rank of a front's rows, and what they are solved for.
#include <algorithm>
#include <cmath>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

namespace {

constexpr double kVanished = 1e-13;  // coefficients of rows whose combination with others is not worth looking for

// Gauss–Jordan elimination with complete pivoting of w.R. A row that is solved for column pivot[p] becomes row p; those solved for freedoms come
// first, then those solved for the boundary, then the rows that vanish. E, the product of all steps, is kept by the columns that are not those of the
// identity, one a pivot, so that right-hand sides and multipliers can follow. Rows that vanish from the beginning, as most do that many children
// hand up for the same reason, are put last and take no part.
// kQuads: quadruples in a row; 0: any number.
template <int kQuads, class Work>
class RowReduction {
 public:
  CATENA_INLINE RowReduction(Work& work, int stride_e, double* room)
      : w(work),
        quads(kQuads ? kQuads : w.row_stride / kLane),
        stride(kLane * quads),
        lde(stride_e),
        R(w.R),
        E(w.E),
        rows(w.rows),
        size(room) {
    w.solved = w.handed = 0;
    for (int k = 0; k < w.rows; ++k) w.row_id[k] = k;
    for (int i = 0; i < rows;) {
      if (vanishes(i)) swap_rows(i, --rows);
      else ++i;
    }
    for (int c = 0; c < quads; ++c) {
      Quad most{};
      for (int i = 0; i < rows; ++i) most = larger(most, quad(R + i * stride + kLane * c));
      put(most, size + kLane * c);
    }
  }

  // Whether some coefficient of row i, times the factor, is larger than the limit.
  CATENA_INLINE bool exceeds(int i, double factor, double limit) const {
    Quad most{};
    for (int c = 0; c < quads; ++c) most = larger(most, quad(R + i * stride + kLane * c));
    return any(LanesMask<1>{{factor * most > limit}});
  }
  CATENA_INLINE bool vanishes(int i) const { return !exceeds(i, 1, kVanished); }

  // The largest coefficient in columns from … to of the rows that are left, and where.
  CATENA_INLINE double largest(int from, int to, int& row, int& column) const {
    column = from;
    for (int c = from + 1; c < to; ++c) column = size[c] > size[column] ? c : column;
    const double most = from < to ? size[column] : 0;
    row = 0;
    if (most == 0) return 0;
    double best = -1;
    for (int r = w.pivots(); r < rows; ++r) {
      const double x = std::abs(R[r * stride + column]);
      row = x > best ? r : row;
      best = x > best ? x : best;
    }
    return most;
  }

  // With what E says of them.
  CATENA_INLINE void swap_rows(int a, int b) {
    if (a == b) return;
    for (int c = 0; c < quads; ++c) {
      const Quad x = quad(R + a * stride + kLane * c), y = quad(R + b * stride + kLane * c);
      put(y, R + a * stride + kLane * c), put(x, R + b * stride + kLane * c);
    }
    std::swap(w.row_id[a], w.row_id[b]);
    for (int l = 0; l < w.pivots(); ++l) std::swap(E[l * lde + a], E[l * lde + b]);
  }
  CATENA_INLINE void swap_pivots(int a, int b) {
    if (a == b) return;
    swap_rows(a, b);
    std::swap_ranges(E + a * lde, E + (a + 1) * lde, E + b * lde);
    std::swap(w.pivot[a], w.pivot[b]);
  }

  // Row k, one of those left, is solved for `column`: as the last pivot.
  CATENA_INLINE void take(int k, int column, int& count) {
    const int p = w.pivots();
    swap_rows(k, p);
    double* e = E + p * lde;
    const double inverse = step(p, column, p + 1, e);
    for (int l = 0; l < p; ++l) follow(E + l * lde, e, p, inverse);
    for (int i = 0; i < padded(rows); i += kLane) put(-inverse * quad(e + i), e + i);
    e[p] = inverse;
    w.pivot[p] = column;
    ++count;
  }
  // Pivot p is solved for `column` instead.
  CATENA_INLINE void change(int p, int column) {
    double* e = E + w.pivots() * lde;
    const double inverse = step(p, column, w.pivots(), e);
    for (int l = 0; l < w.pivots(); ++l) follow(E + l * lde, e, p, inverse);
    w.pivot[p] = column;
  }

  // Row k is solved for `column`, which leaves all others; l: what they had of it. Rows from `left` on are not solved yet.
  CATENA_INLINE double step(int k, int column, int left, double* l) {
    double* own = R + k * stride;
    const double inverse = 1 / own[column];
    for (int i = rows; i < padded(rows); ++i) l[i] = 0;
    zero(l + padded(rows), padded(w.rows) - padded(rows));
    for (int c = 0; c < quads; ++c) put(inverse * quad(own + kLane * c), own + kLane * c);
    own[column] = 1;  // so that l − l · 1 leaves zeros in the column
    if constexpr (kQuads > 0) {
      Quad row[kQuads], most[kQuads];
      for (int c = 0; c < kQuads; ++c) row[c] = quad(own + kLane * c), most[c] = Quad{};
      const auto leave = [&](int i, auto&& note) {
        double* other = R + i * stride;
        const double x = l[i] = other[column];
        for (int c = 0; c < kQuads; ++c) {
          const Quad y = quad(other + kLane * c) - x * row[c];
          put(y, other + kLane * c);
          note(c, y);
        }
      };
      const auto forget = [](int, const Quad&) {};
      for (int i = 0; i < k; ++i) leave(i, forget);
      for (int i = k + 1; i < left; ++i) leave(i, forget);
      for (int i = left; i < rows; ++i) leave(i, [&](int c, const Quad& y) { most[c] = larger(most[c], y); });
      for (int c = 0; c < kQuads; ++c) put(most[c], size + kLane * c);
    } else {
      zero(size, stride);
      for (int i = 0; i < rows; ++i) {
        if (i == k) continue;
        double* other = R + i * stride;
        const double x = l[i] = other[column];
        for (int c = 0; c < stride; c += kLane) {
          const Quad y = quad(other + c) - x * quad(own + c);
          put(y, other + c);
          if (i >= left) put(larger(quad(size + c), y), size + c);
        }
      }
    }
    l[k] = 0;
    size[column] = 0;
    return inverse;
  }
  // The same step for a column of E.
  CATENA_INLINE void follow(double* e, const double* l, int k, double inverse) const {
    const double x = e[k] * inverse;
    add_scaled(e, l, -x, padded(rows));
    e[k] = x;
  }

  Work& w;
  const int quads, stride, lde;
  double *const R, *const E;
  int rows;            // that do not vanish
  double* const size;  // largest coefficient of each column in the rows that are left
};

// Freedoms that rows do not solve for.
template <class Work>
CATENA_INLINE void list_free(Work& w) {
  w.left = 0;
  for (int c = 0; c < w.freedoms; ++c)
    if (std::find(w.pivot, w.pivot + w.solved, c) == w.pivot + w.solved) w.free[w.left++] = c;
}

struct RankLimits {
  double least, near;  // smallest pivot; beyond the expected number of them
  int expected;
  double threshold;
  int most_delayed;
};

template <int kQuads, class Work>
CATENA_INLINE void find_rank(RowReduction<kQuads, Work>& reduction, const RankLimits& limits, double& least_pivot,
                             double& largest_null) {
  Work& w = reduction.w;
  while (w.pivots() < reduction.rows) {
    const double least = limits.expected < 0 || w.pivots() < limits.expected ? limits.least : limits.near;
    int row = 0, column = 0;
    const double q = reduction.largest(0, w.freedoms, row, column);
    if (q > least && !reduction.exceeds(row, limits.threshold, q)) {
      reduction.take(row, column, w.solved);
      reduction.swap_pivots(w.solved - 1, w.pivots() - 1);
      least_pivot = std::min(least_pivot, q);
      continue;
    }
    const double b = reduction.largest(w.freedoms, w.row_width, row, column);
    if (!(b > least)) {
      largest_null = std::max({largest_null, q, b});
      break;
    }
    reduction.take(row, column, w.handed);
    least_pivot = std::min(least_pivot, b);
  }
}

// Freedoms that rows on their way up touch are delayed. If they are too many, the row that touches one most is solved for it after all.
template <int kQuads, class Work>
CATENA_INLINE void delay(RowReduction<kQuads, Work>& reduction, const RankLimits& limits, double& least_pivot) {
  Work& w = reduction.w;
  const auto touch = [&](int column, int& pivot) {
    double most = 0;
    for (int p = w.solved; p < w.pivots(); ++p)
      if (const double x = std::abs(w.row(p)[column]); x > most) most = x, pivot = p;
    return most;
  };
  while (w.handed > 0 && w.left > 0) {
    int touched = 0, pivot = 0, best_pivot = 0, best_column = 0;
    double most = 0;
    for (int k = 0; k < w.left; ++k) {
      const double x = touch(w.free[k], pivot);
      touched += x > limits.least ? 1 : 0;
      if (x > most) most = x, best_pivot = pivot, best_column = w.free[k];
    }
    if (touched <= limits.most_delayed) break;
    reduction.change(best_pivot, best_column);
    reduction.swap_pivots(best_pivot, w.solved);
    ++w.solved, --w.handed;
    list_free(w);
    least_pivot = std::min(least_pivot, most);
  }
  w.delayed = 0;
  for (int k = w.left, pivot = 0; w.handed > 0 && k-- > 0;) {
    if (touch(w.free[k], pivot) > limits.least) {
      std::swap(w.free[k], w.free[--w.left]);
      ++w.delayed;
    } else {
      for (int p = w.solved; p < w.pivots(); ++p) w.row(p)[w.free[k]] = 0;
    }
  }
}

template <int kQuads, class Work>
CATENA_INLINE void reduce_rows(Work& w, int stride_e, double* room, const RankLimits& limits, double& least_pivot,
                               double& largest_null) {
  RowReduction<kQuads, Work> reduction(w, stride_e, room);
  find_rank(reduction, limits, least_pivot, largest_null);
  list_free(w);
  delay(reduction, limits, least_pivot);
}

}  // namespace

CATENA_DISPATCH void FrontElimination::eliminate_rows(const BodyFront& F, Work& w, bool closed) {
  w.solved = w.handed = w.delayed = 0;
  if (w.rows == 0) return list_free(w);
  const int stride_e = w.column_stride();
  const RankLimits limits{kRankTolerance, closed ? kRegainTolerance : kNearTolerance, w.expected, kDelayThreshold,
                          F.most.delayed};
  switch (w.row_stride / kLane) {
    case 1: reduce_rows<1>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null); break;
    case 2: reduce_rows<2>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null); break;
    case 3: reduce_rows<3>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null); break;
    case 4: reduce_rows<4>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null); break;
    case 5: reduce_rows<5>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null); break;
    default: reduce_rows<0>(w, stride_e, scratch_.row, limits, found_.least_pivot, found_.largest_null);
  }
  if (closed) w.expected = w.pivots();
  found_.redundant += w.rows - w.pivots();
}

// Row k of a front's R began as its row row_id[k]: one of a closing joint, or one that a child handed up, and so on down.
void FrontElimination::redundant_rows(const RowSet& /*rows*/, std::vector<int>& out) const {
  out.clear();
  const auto name = [this](std::size_t front, int row) {
    for (;;) {
      const BodyFront& F = plan_.fronts[front];
      int id = work_[front].row_id[row];
      for (const ClosingJoint& closing : F.closing) {
        if (id < closing.rows) return numbering_.row_start[closing.joint] + id;
        id -= closing.rows;
      }
      for (const FrontChild& child : F.children) {
        const Work& c = work_[at(child.front)];
        if (id < c.handed) {
          front = at(child.front);
          row = c.solved + id;
          break;
        }
        id -= c.handed;
      }
    }
  };
  for (std::size_t i = 0; i < work_.size(); ++i)
    for (int k = work_[i].pivots(); k < work_[i].rows; ++k) out.push_back(name(i, k));
}

std::vector<int> FrontElimination::handed_rows() const {
  std::vector<int> handed(model_->bodies.size(), 0);
  for (std::size_t i = 0; i < work_.size(); ++i)
    for (int k = plan_.fronts[i].boundary; k < plan_.fronts[i].local(); ++k)
      handed[plan_.fronts[i].bodies[at(k)].body] = work_[i].handed;
  return handed;
}

}  // namespace catena
