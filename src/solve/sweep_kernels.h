// The two operations of a sweep on a block's strips, eq. (16) and (15) of Lacoursière, for fixed sizes and for any.
#pragma once

#include <Eigen/Core>
#include <cstring>

#include "catena/math/lanes.h"
#include "catena/solve/sweep_rows.h"

namespace catena::solve::kernels {

// Six neighbouring numbers as four and two. Written out: the compiler is told not to pack scalars itself (cmake/compiler.cmake).
struct Six {
  Quad head;
  Pair tail;
  explicit Six(const double* p) {
    std::memcpy(&head, p, sizeof head);
    std::memcpy(&tail, p + 4, sizeof tail);
  }
  Six() : head{0, 0, 0, 0}, tail{0, 0} {}
  void store(double* p) const {
    std::memcpy(p, &head, sizeof head);
    std::memcpy(p + 4, &tail, sizeof tail);
  }
  void add_product(const Six& a, const Six& b) {
    head += a.head * b.head;
    tail += a.tail * b.tail;
  }
  void add_scaled(const Six& a, double s) {
    head += a.head * s;
    tail += a.tail * s;
  }
  double sum() const {
    const Pair low = {head[0], head[1]}, high = {head[2], head[3]};
    const Pair both = low + high + tail;
    return both[0] + both[1];
  }
};

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

// r = b + Σ λ + Σ_s B_s x_s.
template <int kRows, int kWidth>
inline void residual(const SweepRows& rows, const SweepRows::Row& row, const double* lambda, const double* x,
                     double* r) {
  const SweepRows::Strip* strip = rows.strips.data() + row.strip;
  const double* b = rows.b(row);
  const double* sigma = rows.sigma(row);
  if constexpr (kRows == 3 && kWidth == 6) {
    Six sum[3];
    for (int s = 0; s < row.strips; ++s) {
      const double* B = rows.values.data() + strip[s].value;
      const Six from(x + strip[s].start);
      for (int i = 0; i < 3; ++i) sum[i].add_product(Six(B + 6 * i), from);
    }
    for (int i = 0; i < 3; ++i) r[i] = b[i] + sigma[i] * lambda[i] + sum[i].sum();
  } else if constexpr (kRows == 1 && kWidth == 6) {
    Six sum;
    for (int s = 0; s < row.strips; ++s)
      sum.add_product(Six(rows.values.data() + strip[s].value), Six(x + strip[s].start));
    r[0] = b[0] + sigma[0] * lambda[0] + sum.sum();
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
    if constexpr (kWidth == 6) {
      Six sum(to);
      for (int i = 0; i < kRows; ++i) sum.add_scaled(Six(B + 6 * i), change[i]);
      sum.store(to);
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
