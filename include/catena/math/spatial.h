// Six-dimensional motions and the symmetric blocks that act on them. Linear part first, world axes, at a point.
#pragma once

#include "catena/math/vec3.h"

namespace catena {

// A motion (velocity, acceleration, displacement) or a force, linear part first.
template <class Real>
struct SpatialT {
  Vec3T<Real> linear, angular;

  SpatialT& operator+=(const SpatialT& b) {
    linear += b.linear;
    angular += b.angular;
    return *this;
  }
  friend SpatialT operator+(const SpatialT& a, const SpatialT& b) {
    return {a.linear + b.linear, a.angular + b.angular};
  }
  friend SpatialT operator-(const SpatialT& a, const SpatialT& b) {
    return {a.linear - b.linear, a.angular - b.angular};
  }
  friend SpatialT operator*(Real s, const SpatialT& a) { return {s * a.linear, s * a.angular}; }
};

// Summed in pairs: short chains of additions where it sits on the critical path.
template <class Real>
constexpr Real dot(const SpatialT<Real>& a, const SpatialT<Real>& b) {
  return (a.linear.x * b.linear.x + a.linear.y * b.linear.y) +
         ((a.linear.z * b.linear.z + a.angular.x * b.angular.x) +
          (a.angular.y * b.angular.y + a.angular.z * b.angular.z));
}

// The motion at the point r away from where `v` is measured, on the same rigid body.
template <class Real>
constexpr SpatialT<Real> motion_at(const SpatialT<Real>& v, const Vec3T<Real>& r) {
  return {v.linear + cross(v.angular, r), v.angular};
}

// The force `f` acting at a point, as it acts at the origin the point is r away from.
template <class Real>
constexpr SpatialT<Real> force_from(const SpatialT<Real>& f, const Vec3T<Real>& r) {
  return {f.linear, f.angular + cross(r, f.linear)};
}

// Symmetric 6x6 block [A B; Bᵀ C]: 21 numbers.
template <class Real>
struct Sym6T {
  Sym3T<Real> A;
  Mat3T<Real> B;
  Sym3T<Real> C;

  Sym6T& operator+=(const Sym6T& o) {
    A += o.A;
    B = B + o.B;
    C += o.C;
    return *this;
  }
  friend SpatialT<Real> operator*(const Sym6T& D, const SpatialT<Real>& v) {
    return {D.A * v.linear + D.B * v.angular, transpose_times(D.B, v.linear) + D.C * v.angular};
  }
};

// D seen from the point r away: X⁻ᵀ D X⁻¹, where X takes motion at D's origin to motion at the point.
//   A' = A,   B' = B + A r×,   C' = C + (r×)ᵀ B' + Bᵀ r×
template <class Real>
constexpr Sym6T<Real> shifted(const Sym6T<Real>& D, const Vec3T<Real>& r) {
  const Mat3T<Real>& B = D.B;
  const Mat3T<Real> P{B.r0 + cross(D.A.row0(), r), B.r1 + cross(D.A.row1(), r), B.r2 + cross(D.A.row2(), r)};
  // Row p of (r×)ᵀ Z, column c, is (Z_c × r)_p.
  const Sym3T<Real>& C = D.C;
  const auto x = [&r](const Mat3T<Real>& Z, int c) { return Z.r1[c] * r.z - Z.r2[c] * r.y; };
  const auto y = [&r](const Mat3T<Real>& Z, int c) { return Z.r2[c] * r.x - Z.r0[c] * r.z; };
  const auto z = [&r](const Mat3T<Real>& Z, int c) { return Z.r0[c] * r.y - Z.r1[c] * r.x; };
  return {D.A,
          P,
          {C.xx + (x(P, 0) + x(B, 0)), C.yy + (y(P, 1) + y(B, 1)), C.zz + (z(P, 2) + z(B, 2)),
           C.xy + (x(P, 1) + y(B, 0)), C.xz + (x(P, 2) + z(B, 0)), C.yz + (y(P, 2) + z(B, 1))}};
}

// D − h uᵀ with h parallel to u (h = u/d), so the result stays symmetric.
template <class Real>
constexpr Sym6T<Real> minus_outer(const Sym6T<Real>& D, const SpatialT<Real>& h, const SpatialT<Real>& u) {
  const Vec3T<Real>&hl = h.linear, &ha = h.angular, &ul = u.linear, &ua = u.angular;
  return {{D.A.xx - hl.x * ul.x, D.A.yy - hl.y * ul.y, D.A.zz - hl.z * ul.z, D.A.xy - hl.x * ul.y, D.A.xz - hl.x * ul.z,
           D.A.yz - hl.y * ul.z},
          {D.B.r0 - hl.x * ua, D.B.r1 - hl.y * ua, D.B.r2 - hl.z * ua},
          {D.C.xx - ha.x * ua.x, D.C.yy - ha.y * ua.y, D.C.zz - ha.z * ua.z, D.C.xy - ha.x * ua.y, D.C.xz - ha.x * ua.z,
           D.C.yz - ha.y * ua.z}};
}

// D − a bᵀ − b aᵀ.
template <class Real>
constexpr Sym6T<Real> minus_both(const Sym6T<Real>& D, const SpatialT<Real>& a, const SpatialT<Real>& b) {
  const Vec3T<Real>&al = a.linear, &aa = a.angular, &bl = b.linear, &ba = b.angular;
  return {minus_both(D.A, al, bl),
          {D.B.r0 - al.x * ba - bl.x * aa, D.B.r1 - al.y * ba - bl.y * aa, D.B.r2 - al.z * ba - bl.z * aa},
          minus_both(D.C, aa, ba)};
}

// parent += Xᵀ [S 0; 0 0] X, where X takes motion at the parent's origin to the point s away.
template <class Real>
constexpr void add_point_block(const Sym3T<Real>& S, const Vec3T<Real>& s, Sym6T<Real>& parent) {
  const Mat3T<Real> Q{cross(S.row0(), s), cross(S.row1(), s), cross(S.row2(), s)};
  parent.A += S;
  parent.B = parent.B - Q;
  parent.C.xx += Q.r1.x * s.z - Q.r2.x * s.y;
  parent.C.yy += Q.r2.y * s.x - Q.r0.y * s.z;
  parent.C.zz += Q.r0.z * s.y - Q.r1.z * s.x;
  parent.C.xy += Q.r1.y * s.z - Q.r2.y * s.y;
  parent.C.xz += Q.r1.z * s.z - Q.r2.z * s.y;
  parent.C.yz += Q.r2.z * s.x - Q.r0.z * s.z;
}

// A compliance Y (from force to motion) seen from the point d away: X Y Xᵀ. The same as shifted() with the two parts exchanged.
template <class Real>
constexpr Sym6T<Real> compliance_at(const Sym6T<Real>& Y, const Vec3T<Real>& d) {
  const Sym6T<Real> Z = shifted(Sym6T<Real>{Y.C, transpose(Y.B), Y.A}, d);
  return {Z.C, transpose(Z.B), Z.A};
}

// [A B; Bᵀ C]⁻¹, positive definite.
template <class Real>
constexpr Sym6T<Real> inverse(const Sym6T<Real>& D) {
  const Sym3T<Real> E = inverse(D.C);
  const Mat3T<Real> K{E * D.B.r0, E * D.B.r1, E * D.B.r2};  // B C⁻¹
  const Sym3T<Real> A =
      inverse(Sym3T<Real>{D.A.xx - dot(K.r0, D.B.r0), D.A.yy - dot(K.r1, D.B.r1), D.A.zz - dot(K.r2, D.B.r2),
                          D.A.xy - dot(K.r0, D.B.r1), D.A.xz - dot(K.r0, D.B.r2), D.A.yz - dot(K.r1, D.B.r2)});
  const Mat3T<Real> AK = to_matrix(A) * K;
  return {A, Real(-1) * AK, E + symmetric(transpose(K) * AK)};
}

using Spatial = SpatialT<double>;
using Sym6 = Sym6T<double>;

// A vector over one body of any kind: rigid bodies use the first six numbers, particles `linear`, planar bodies linear.x, linear.y
// and angular.z, scalable bodies all seven.
template <class Real>
struct BodyVectorT : SpatialT<Real> {
  Real scale{};

  constexpr BodyVectorT() = default;
  constexpr BodyVectorT(const Vec3T<Real>& l, const Vec3T<Real>& a, Real s) : SpatialT<Real>{l, a}, scale(s) {}
  BodyVectorT& operator+=(const BodyVectorT& b) {
    this->linear += b.linear;
    this->angular += b.angular;
    scale += b.scale;
    return *this;
  }
  friend BodyVectorT operator+(BodyVectorT a, const BodyVectorT& b) { return a += b; }
  friend BodyVectorT operator-(const BodyVectorT& a, const BodyVectorT& b) {
    return {a.linear - b.linear, a.angular - b.angular, a.scale - b.scale};
  }
  friend BodyVectorT operator*(Real s, const BodyVectorT& a) { return {s * a.linear, s * a.angular, s * a.scale}; }
};

template <class Real>
constexpr Real dot(const BodyVectorT<Real>& a, const BodyVectorT<Real>& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular) + a.scale * b.scale;
}

using BodyVector = BodyVectorT<double>;

}  // namespace catena
