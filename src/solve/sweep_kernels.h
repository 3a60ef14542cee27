// The two operations of a sweep on a block's strips, eq. (16) and (15) of Lacoursière, for fixed sizes and for any.
#pragma once

#include <Eigen/Core>
#include <cstring>

#include "catena/solve/sweep_rows.h"

namespace catena::solve::kernels {

// Two neighbouring numbers. Written out: the compiler is told not to pack scalars itself (cmake/compiler.cmake).
using Pair = double __attribute__((vector_size(16)));
inline Pair load(const double* p) {
  Pair v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, Pair v) { std::memcpy(p, &v, sizeof v); }

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

// r = b + Σ λ + Σ_s B_s x_s.
template <int kRows, int kWidth>
inline void residual(const SweepRows& rows, const SweepRows::Row& row, const double* lambda, const double* x,
                     double* r) {
  const SweepRows::Strip* strip = rows.strips.data() + row.strip;
  const double* b = rows.b(row);
  const double* sigma = rows.sigma(row);
  if constexpr (kRows == 3 && kWidth == 6) {
    Pair sum[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (int s = 0; s < row.strips; ++s) {
      const double* B = rows.values.data() + strip[s].value;
      const double* from = x + strip[s].start;
      const Pair x0 = load(from), x1 = load(from + 2), x2 = load(from + 4);
      for (int i = 0; i < 3; ++i)
        sum[i] += load(B + 6 * i) * x0 + (load(B + 6 * i + 2) * x1 + load(B + 6 * i + 4) * x2);
    }
    for (int i = 0; i < 3; ++i) r[i] = b[i] + sigma[i] * lambda[i] + (sum[i][0] + sum[i][1]);
  } else {
    const int size = kRows > 0 ? kRows : row.size;
    for (int i = 0; i < size; ++i) r[i] = b[i] + sigma[i] * lambda[i];
    for (int s = 0; s < row.strips; ++s) {
      const double* B = rows.values.data() + strip[s].value;
      const double* from = x + strip[s].start;
      for (int i = 0; i < size; ++i) {
        if constexpr (kWidth == 3) r[i] += B[3 * i] * from[0] + B[3 * i + 1] * from[1] + B[3 * i + 2] * from[2];
        else
          r[i] += ConstVector(B + i * std::ptrdiff_t{strip[s].width}, strip[s].width)
                      .dot(ConstVector(from, strip[s].width));
      }
    }
  }
}

// x_s += B_sᵀ change.
template <int kRows, int kWidth>
inline void push(const SweepRows& rows, const SweepRows::Row& row, const double* change, double* x) {
  const SweepRows::Strip* strip = rows.strips.data() + row.strip;
  for (int s = 0; s < row.strips; ++s) {
    const double* B = rows.values.data() + strip[s].value;
    double* to = x + strip[s].start;
    if constexpr (kRows == 3 && kWidth == 6) {
      const Pair c0 = {change[0], change[0]}, c1 = {change[1], change[1]}, c2 = {change[2], change[2]};
      for (int j = 0; j < 6; j += 2)
        store(to + j, load(to + j) + (load(B + j) * c0 + load(B + 6 + j) * c1 + load(B + 12 + j) * c2));
    } else if constexpr (kRows == 3 && kWidth == 3) {
      for (int j = 0; j < 3; ++j) to[j] += B[j] * change[0] + B[3 + j] * change[1] + B[6 + j] * change[2];
    } else {
      for (int i = 0; i < row.size; ++i)
        Eigen::Map<Eigen::VectorXd>(to, strip[s].width) +=
            change[i] * ConstVector(B + i * std::ptrdiff_t{strip[s].width}, strip[s].width);
    }
  }
}

}  // namespace catena::solve::kernels
