// Vectors and blocks of a body of any kind as matrices of its own size, and back.
#pragma once

#include "catena/constraint/kinematics.h"
#include "catena/model/components.h"
#include "catena/primary/elimination.h"
#include "catena/solve/row_elimination.h"

namespace catena {

inline SmallVector to_small(BodyKind kind, const BodyVector& v) {
  SmallVector s(dimension(kind));
  components(kind, v, s.data());
  return s;
}

inline BodyVector from_small(BodyKind kind, const SmallVector& s) { return from_components(kind, s.data()); }

inline SmallMatrix mass_matrix(BodyKind kind, const MassBlock& M) {
  const int d = dimension(kind);
  SmallMatrix D = SmallMatrix::Zero(d, d);
  if (M.own) {
    for (int i = 0; i < d; ++i)
      for (int k = 0; k < d; ++k) D(i, k) = M.own->C[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
    return D;
  }
  if (kind == BodyKind::planar) {
    D.diagonal() << M.linear, M.linear, M.angular.zz;
    return D;
  }
  D.diagonal().head(3).setConstant(M.linear);
  if (kind == BodyKind::particle) return D;
  const Sym3& I = M.angular;
  D.block<3, 3>(3, 3) << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  if (kind == BodyKind::scalable) D(6, 6) = M.scale;
  return D;
}

inline SmallMatrix to_small(const Sym6& D) {
  SmallMatrix m(6, 6);
  const Mat3 A = to_matrix(D.A), C = to_matrix(D.C);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      m(i, k) = A(i, k);
      m(i, k + 3) = D.B(i, k);
      m(k + 3, i) = D.B(i, k);
      m(i + 3, k + 3) = C(i, k);
    }
  return m;
}

inline Sym6 from_small(const SmallMatrix& m) {
  return {{m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)},
          {{m(0, 3), m(0, 4), m(0, 5)}, {m(1, 3), m(1, 4), m(1, 5)}, {m(2, 3), m(2, 4), m(2, 5)}},
          {m(3, 3), m(4, 4), m(5, 5), m(3, 4), m(3, 5), m(4, 5)}};
}

// x ← L⁻¹x and x ← L⁻ᵀx by the factor of a block; six numbers, as rigid bodies have, without Eigen's loops of unknown length.
inline void solve_lower(const Eigen::LLT<SmallMatrix>& factor, SmallVector& x) {
  constexpr int kSix = 6;
  if (x.size() != kSix) return factor.matrixL().solveInPlace(x);
  const double* const L = factor.matrixLLT().data();
  for (int i = 0; i < kSix; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= L[k * kSix + i] * x[k];
    x[i] /= L[i * kSix + i];
  }
}
inline void solve_upper(const Eigen::LLT<SmallMatrix>& factor, SmallVector& x) {
  constexpr int kSix = 6;
  if (x.size() != kSix) return factor.matrixU().solveInPlace(x);
  const double* const L = factor.matrixLLT().data();
  for (int i = kSix; i-- > 0;) {
    for (int k = i + 1; k < kSix; ++k) x[i] -= L[i * kSix + k] * x[k];
    x[i] /= L[i * kSix + i];
  }
}

}  // namespace catena
