// NodeCompliance::responses(), for those who compile it with the processor they run on.
#pragma once

#include "catena/math/dispatch.h"
#include "catena/primary/compliance.h"

namespace catena {

// Each number by the operations of response().
CATENA_INLINE void NodeCompliance::responses(int i, int k, const double* f, std::size_t stride, std::size_t count,
                                             double* __restrict y) const {
  const int a = junction_of_[static_cast<std::size_t>(i)], b = junction_of_[static_cast<std::size_t>(k)];
  const std::array<Spatial, 6>& column = (a >= b ? block(a, b) : block(b, a)).column;
  double M[6][6];  // by column
  for (std::size_t c = 0; c < 6; ++c) {
    const Spatial& s = column[c];
    const double own[6] = {s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z};
    for (std::size_t e = 0; e < 6; ++e) M[c][e] = own[e];
  }
  const double *const f0 = f, *const f1 = f + stride, *const f2 = f + 2 * stride, *const f3 = f + 3 * stride,
                      *const f4 = f + 4 * stride, *const f5 = f + 5 * stride;
  for (std::size_t e = 0; e < 6; ++e) {
    double* const to = y + e * kAtOnce;
    if (a >= b) {
      for (std::size_t r = 0; r < count; ++r)
        to[r] = ((((f0[r] * M[0][e] + f1[r] * M[1][e]) + f2[r] * M[2][e]) + f3[r] * M[3][e]) + f4[r] * M[4][e]) +
                f5[r] * M[5][e];
    } else {
      for (std::size_t r = 0; r < count; ++r)
        to[r] = (M[e][0] * f0[r] + M[e][1] * f1[r]) +
                ((M[e][2] * f2[r] + M[e][3] * f3[r]) + (M[e][4] * f4[r] + M[e][5] * f5[r]));
    }
  }
}

}  // namespace catena
