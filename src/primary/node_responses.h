// NodeCompliance::responses(), for those who compile it with the processor they run on.
#pragma once

#include "catena/math/lanes.h"
#include "catena/primary/compliance.h"

namespace catena {

// Each number by the operations of response(), by fours: up to three numbers of f beyond the last are read, and of y written.
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
  for (std::size_t r = 0; r < count; r += 4) {
    const double* const at = f + r;
    const Quad f0 = load_quad(at), f1 = load_quad(at + stride), f2 = load_quad(at + 2 * stride),
               f3 = load_quad(at + 3 * stride), f4 = load_quad(at + 4 * stride), f5 = load_quad(at + 5 * stride);
    for (std::size_t e = 0; e < 6; ++e) {
      const Quad sum =
          a >= b ? ((((f0 * M[0][e] + f1 * M[1][e]) + f2 * M[2][e]) + f3 * M[3][e]) + f4 * M[4][e]) + f5 * M[5][e]
                 : (M[e][0] * f0 + M[e][1] * f1) + ((M[e][2] * f2 + M[e][3] * f3) + (M[e][4] * f4 + M[e][5] * f5));
      store_quad(sum, y + e * kAtOnce + r);
    }
  }
}

}  // namespace catena
