// front_elimination.h: the quadratic form of a front without its pivots and without its freedoms.
#include <algorithm>

#include "catena/math/dispatch.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

namespace {

// B = (a_1 … a_n) ↔ (δ_1 … δ_{n−1}, a_n), δ_k = a_k − a_n, in the rows of the freedoms (on the way back: of those that go up) and of the boundary.
template <class Work>
CATENA_INLINE void relate(const BodyFront& F, Work& w, bool back) {
  const int q = w.freedoms, stride = w.stride, n = F.boundary - 1, reference = q + 6 * n;
  const double sign = back ? -1 : 1;
  for (int i = 0, end = back ? w.delayed : q; i < end; ++i) {
    double* row = w.Q + (back ? w.free[w.left + i] : i) * stride;
    for (int k = 0; k < n; ++k) add_scaled6(row + reference, row + q + 6 * k, sign);
  }
  double *R = w.Q + reference * stride + reference, before[kSlot];
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < 6; ++r) {
      double* row = w.Q + (q + 6 * k + r) * stride;
      copy6(before, row + reference);
      for (int l = 0; l < n; ++l) add_scaled6(row + reference, row + q + 6 * l, sign);
      add_scaled6(R + r * stride, row + reference, sign);                 // K_{k,reference} as it is now
      for (int c = 0; c < 6; ++c) R[c * stride + r] += sign * before[c];  // and as it was, transposed
    }
}

template <class Work>
CATENA_INLINE void mirror(Work& w, int from) {
  for (int i = from; i < w.width; ++i)
    for (int k = from; k < i; ++k) w.Q[i * w.stride + k] = w.Q[k * w.stride + i];
}

// The pivots on the boundary: their rows go to V and leave Q.
template <class Work>
CATENA_INLINE void set_aside(Work& w) {
  const int stride = w.stride;
  for (int p = w.solved; p < w.pivots(); ++p) {
    double *v = w.V + (p - w.solved) * stride, *row = w.Q + w.pivot[p] * stride;
    copy(v, row, stride);
    for (int k = 0; k < w.freedoms; ++k) v[k] = w.Q[k * stride + w.pivot[p]];
    zero(row, stride);
  }
  for (int p = w.solved; p < w.pivots(); ++p)
    for (int k = w.solved; k < p; ++k)
      w.V[(p - w.solved) * stride + w.pivot[k]] = w.V[(k - w.solved) * stride + w.pivot[p]];
}

}  // namespace

CATENA_DISPATCH void FrontElimination::reduce(const BodyFront& F, Work& w) {
  const int q = w.freedoms, stride = w.stride, row_stride = w.row_stride, pivots = w.pivots(),
            free = w.left + w.delayed;
  double *Q = w.Q, *c = scratch_.coefficients.data(), *Z = scratch_.row;
  const int* pivot = w.pivot;
  if (F.relative()) relate(F, w, false);
  set_aside(w);
  // Columns of freedoms are of no use where rows are solved for all of them.
  const int from = free == 0 ? q / kLane * kLane : 0;
  // Z = V − ½ H_pp G
  const double* R = w.R;
  const Spaced G{R + from, row_stride}, rows_of_Z{Z + from, stride};
  for (int p = 0; p < pivots; ++p) {
    double* z = Z + p * stride + from;
    const double* v = w.pivot_row(p);
    copy(z, v + from, stride - from);
    for (int k = 0; k < pivots; ++k) c[k] = -0.5 * v[pivot[k]];
    combine(z, row_stride - from, pivots, c, G);
  }
  // K = H_tt − ZᵀG − GᵀZ, row by row
  const auto reduced = [&](int a) {
    double* row = Q + a * stride;
    for (int p = 0; p < pivots; ++p) {
      c[p] = -Z[p * stride + a];
      c[pivots + p] = -R[p * row_stride + a];
    }
    combine(row + from, row_stride - from, pivots, c, G);
    combine(row + from, stride - from, pivots, c + pivots, rows_of_Z);
    for (int p = w.solved; p < pivots; ++p) row[w.pivot[p]] = 0;
  };
  if (pivots > 0) {
    for (int k = 0; k < free; ++k) reduced(w.free[k]);
    for (int a = q; a < w.row_width; ++a)
      if (std::find(w.pivot + w.solved, w.pivot + pivots, a) == w.pivot + pivots) reduced(a);
  }
  // LDLᵀ of the freedoms
  for (int k = 0; k < w.left; ++k) {
    const double* row = Q + w.free[k] * stride;
    const double inverse = w.inverse[k] = 1 / row[w.free[k]];
    for (int l = k + 1; l < free; ++l) add_scaled(Q + w.free[l] * stride, row, -inverse * row[w.free[l]], stride);
    for (int a = q; a < w.width; ++a) {
      const int upper = a / kLane * kLane;
      add_scaled(Q + a * stride + upper, row + upper, -inverse * row[a], stride - upper);
    }
  }
  mirror(w, q);
  if (!F.relative()) return;
  relate(F, w, true);
  mirror(w, w.row_width);
}

}  // namespace catena
