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

// Gauss–Jordan elimination with complete pivoting of w.R: rows that have been solved for freedoms come first, then those solved for the
// boundary, then the rest. Each step is kept in a column of w.L, so that right-hand sides and multipliers can follow. Rows that vanish from the
// beginning, as most do that many children hand up for the same reason, are the last and take no part.
// kQuads: quadruples in a row; 0: any number.
template <int kQuads, class Work>
class RowReduction {
 public:
  CATENA_INLINE RowReduction(Work& work, int stride_l, double* room)
      : w(work),
        quads(kQuads ? kQuads : w.row_stride / kLane),
        stride(kLane * quads),
        ldl(stride_l),
        rows(w.rows),
        size(room) {
    w.solved = w.handed = w.steps = 0;
    for (int k = 0; k < w.rows; ++k) w.row_id[k] = k;
    for (int i = 0; i < rows;) {
      if (vanishes(i)) swap_rows(i, --rows);
      else ++i;
    }
    for (int c = 0; c < quads; ++c) {
      Quad most{};
      for (int i = 0; i < rows; ++i) most = larger(most, quad(w.R + i * stride + kLane * c));
      put(most, size + kLane * c);
    }
  }

  CATENA_INLINE bool vanishes(int i) const {
    Quad most{};
    for (int c = 0; c < quads; ++c) most = larger(most, quad(w.R + i * stride + kLane * c));
    return most[0] <= kVanished && most[1] <= kVanished && most[2] <= kVanished && most[3] <= kVanished;
  }

  // The largest coefficient in columns from … to of the rows that are left, and where.
  CATENA_INLINE double largest(int from, int to, int& row, int& column) const {
    column = from;
    for (int c = from + 1; c < to; ++c) column = size[c] > size[column] ? c : column;
    const double most = from < to ? size[column] : 0;
    row = w.pivots();
    if (most == 0) return 0;
    for (int r = row + 1; r < rows; ++r)
      row = std::abs(w.R[r * stride + column]) > std::abs(w.R[row * stride + column]) ? r : row;
    return most;
  }

  CATENA_INLINE void swap_rows(int a, int b) {
    if (a == b) return;
    for (int c = 0; c < quads; ++c) {
      const Quad x = quad(w.R + a * stride + kLane * c), y = quad(w.R + b * stride + kLane * c);
      put(y, w.R + a * stride + kLane * c), put(x, w.R + b * stride + kLane * c);
    }
    std::swap(w.row_id[a], w.row_id[b]);
    std::swap(w.pivot[a], w.pivot[b]);
    for (int l = 0; l < w.steps; ++l) {
      std::swap(w.L[l * ldl + a], w.L[l * ldl + b]);
      w.position[l] = w.position[l] == a ? b : w.position[l] == b ? a : w.position[l];
    }
  }

  // Row k is solved for `column`, which leaves all others; rows from `left` on remain to be solved.
  CATENA_INLINE void step(int k, int column, int left) {
    double *own = w.R + k * stride, *L = w.L + w.steps * ldl;
    const double inverse = 1 / own[column];
    for (int i = rows; i < w.rows; ++i) L[i] = 0;
    for (int c = 0; c < quads; ++c) put(inverse * quad(own + kLane * c), own + kLane * c);
    own[column] = 1;  // so that l − l · 1 leaves zeros in the column
    if constexpr (kQuads > 0) {
      Quad row[kQuads], most[kQuads];
      for (int c = 0; c < kQuads; ++c) row[c] = quad(own + kLane * c), most[c] = Quad{};
      for (int i = 0; i < rows; ++i) {
        if (i == k) continue;
        double* other = w.R + i * stride;
        const double l = L[i] = other[column];
        for (int c = 0; c < kQuads; ++c) {
          const Quad x = quad(other + kLane * c) - l * row[c];
          put(x, other + kLane * c);
          if (i >= left) most[c] = larger(most[c], x);
        }
      }
      for (int c = 0; c < kQuads; ++c) put(most[c], size + kLane * c);
    } else {
      zero(size, stride);
      for (int i = 0; i < rows; ++i) {
        if (i == k) continue;
        double* other = w.R + i * stride;
        const double l = L[i] = other[column];
        for (int c = 0; c < stride; c += kLane) {
          const Quad x = quad(other + c) - l * quad(own + c);
          put(x, other + c);
          if (i >= left) put(larger(quad(size + c), x), size + c);
        }
      }
    }
    size[column] = 0;
    L[k] = inverse;
    w.pivot[k] = column;
    w.position[w.steps++] = k;
  }

  Work& w;
  const int quads, stride, ldl;
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
    bool for_freedom = q > least;
    for (int c = w.freedoms; for_freedom && c < w.row_width; ++c)
      for_freedom = q >= limits.threshold * std::abs(w.R[row * reduction.stride + c]);
    if (for_freedom) {
      const int next = w.pivots();
      reduction.swap_rows(row, next);
      reduction.swap_rows(next, w.solved);
      reduction.step(w.solved, column, next + 1);
      ++w.solved;
      least_pivot = std::min(least_pivot, q);
      continue;
    }
    const double b = reduction.largest(w.freedoms, w.row_width, row, column);
    if (!(b > least)) {
      largest_null = std::max({largest_null, q, b});
      break;
    }
    const int next = w.pivots();
    reduction.swap_rows(row, next);
    reduction.step(next, column, next + 1);
    ++w.handed;
    least_pivot = std::min(least_pivot, b);
  }
}

// Freedoms that rows on their way up touch are delayed. If they are too many, the row that touches one most is solved for it after all.
template <int kQuads, class Work>
CATENA_INLINE void delay(RowReduction<kQuads, Work>& reduction, const RankLimits& limits, double& least_pivot) {
  Work& w = reduction.w;
  const auto touch = [&](int column, int& row) {
    double most = 0;
    for (int k = w.solved; k < w.pivots(); ++k)
      if (const double x = std::abs(w.R[k * reduction.stride + column]); x > most) most = x, row = k;
    return most;
  };
  while (w.handed > 0 && w.left > 0) {
    int touched = 0, row = 0, best_row = 0, best_column = 0;
    double most = 0;
    for (int k = 0; k < w.left; ++k) {
      const double x = touch(w.free[k], row);
      touched += x > limits.least ? 1 : 0;
      if (x > most) most = x, best_row = row, best_column = w.free[k];
    }
    if (touched <= limits.most_delayed) break;
    reduction.swap_rows(best_row, w.solved);
    reduction.step(w.solved, best_column, w.rows);
    ++w.solved, --w.handed;
    list_free(w);
    least_pivot = std::min(least_pivot, most);
  }
  w.delayed = 0;
  for (int k = w.left, row = 0; w.handed > 0 && k-- > 0;) {
    if (touch(w.free[k], row) > limits.least) {
      std::swap(w.free[k], w.free[--w.left]);
      ++w.delayed;
    } else {
      for (int r = w.solved; r < w.pivots(); ++r) w.R[r * reduction.stride + w.free[k]] = 0;
    }
  }
}

template <int kQuads, class Work>
CATENA_INLINE void reduce_rows(Work& w, int stride_l, double* room, const RankLimits& limits, double& least_pivot,
                               double& largest_null) {
  RowReduction<kQuads, Work> reduction(w, stride_l, room);
  find_rank(reduction, limits, least_pivot, largest_null);
  list_free(w);
  delay(reduction, limits, least_pivot);
}

}  // namespace

CATENA_DISPATCH void FrontElimination::eliminate_rows(const BodyFront& F, Work& w, bool closed) {
  w.solved = w.handed = w.steps = w.delayed = 0;
  if (w.rows == 0) return list_free(w);
  const int stride_l = padded(F.most_rows);
  const RankLimits limits{kRankTolerance, closed ? kRegainTolerance : kNearTolerance, w.expected, kDelayThreshold,
                          F.most_delayed};
  switch (w.row_stride / kLane) {
    case 1: reduce_rows<1>(w, stride_l, scratch_, limits, least_pivot_, largest_null_); break;
    case 2: reduce_rows<2>(w, stride_l, scratch_, limits, least_pivot_, largest_null_); break;
    case 3: reduce_rows<3>(w, stride_l, scratch_, limits, least_pivot_, largest_null_); break;
    case 4: reduce_rows<4>(w, stride_l, scratch_, limits, least_pivot_, largest_null_); break;
    case 5: reduce_rows<5>(w, stride_l, scratch_, limits, least_pivot_, largest_null_); break;
    default: reduce_rows<0>(w, stride_l, scratch_, limits, least_pivot_, largest_null_);
  }
  if (closed) w.expected = w.pivots();
  redundant_ += w.rows - w.pivots();
}

// Row k of a front's R began as its row row_id[k]: one of a closing joint, or one that a child handed up, and so on down.
void FrontElimination::redundant_rows(const RowSet& /*rows*/, std::vector<int>& out) const {
  out.clear();
  const auto name = [this](std::size_t front, int row) {
    for (;;) {
      const BodyFront& F = plan_.fronts[front];
      int id = work_[front].row_id[row];
      for (const ClosingJoint& closing : F.closing) {
        if (id < closing.rows) return row_start_[closing.joint] + id;
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
