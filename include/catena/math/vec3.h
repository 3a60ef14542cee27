// Small blocks written out: 3-vectors, 3x3 matrices and symmetric 3x3 matrices on any scalar `Real`.
// Written out rather than built from generic expressions because these sit in the innermost loops (docs/measured/speed.md).
#pragma once

#include <cmath>

namespace catena {

template <class Real>
struct Vec3T {
  Real x{}, y{}, z{};

  constexpr Real operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Real& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr Vec3T& operator+=(const Vec3T& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  constexpr Vec3T& operator-=(const Vec3T& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  constexpr Vec3T& operator*=(Real s) {
    x *= s;
    y *= s;
    z *= s;
    return *this;
  }
  friend constexpr Vec3T operator+(const Vec3T& a, const Vec3T& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3T operator-(const Vec3T& a, const Vec3T& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3T operator-(const Vec3T& a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vec3T operator*(Real s, const Vec3T& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend constexpr Vec3T operator*(const Vec3T& a, Real s) { return s * a; }
  friend constexpr Vec3T operator/(const Vec3T& a, Real s) { return {a.x / s, a.y / s, a.z / s}; }
  friend bool operator==(const Vec3T&, const Vec3T&) = default;
};

template <class Real>
constexpr Real dot(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Real>
constexpr Vec3T<Real> cross(const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Real>
Real norm(const Vec3T<Real>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

template <class Real>
Vec3T<Real> normalized(const Vec3T<Real>& a) {
  return a / norm(a);
}

// A unit vector perpendicular to the unit vector `a`; deterministic.
template <class Real>
Vec3T<Real> perpendicular(const Vec3T<Real>& a) {
  using std::abs;
  const Vec3T<Real> axis = abs(a.x) <= abs(a.y) && abs(a.x) <= abs(a.z) ? Vec3T<Real>{1, 0, 0}
                         : abs(a.y) <= abs(a.z)                         ? Vec3T<Real>{0, 1, 0}
                                                                        : Vec3T<Real>{0, 0, 1};
  return normalized(cross(a, axis));
}

// Row-major 3x3 matrix.
template <class Real>
struct Mat3T {
  Vec3T<Real> r0, r1, r2;  // rows

  static constexpr Mat3T identity() { return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; }
  static constexpr Mat3T from_columns(const Vec3T<Real>& a, const Vec3T<Real>& b, const Vec3T<Real>& c) {
    return {{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}};
  }
  constexpr const Vec3T<Real>& row(int i) const { return i == 0 ? r0 : i == 1 ? r1 : r2; }
  constexpr Vec3T<Real>& row(int i) { return i == 0 ? r0 : i == 1 ? r1 : r2; }
  constexpr Vec3T<Real> column(int j) const { return {r0[j], r1[j], r2[j]}; }
  constexpr Real operator()(int i, int j) const { return row(i)[j]; }
  friend constexpr Mat3T operator+(const Mat3T& a, const Mat3T& b) { return {a.r0 + b.r0, a.r1 + b.r1, a.r2 + b.r2}; }
  friend constexpr Mat3T operator-(const Mat3T& a, const Mat3T& b) { return {a.r0 - b.r0, a.r1 - b.r1, a.r2 - b.r2}; }
  friend constexpr Mat3T operator*(Real s, const Mat3T& a) { return {s * a.r0, s * a.r1, s * a.r2}; }
  friend constexpr Vec3T<Real> operator*(const Mat3T& a, const Vec3T<Real>& v) {
    return {dot(a.r0, v), dot(a.r1, v), dot(a.r2, v)};
  }
};

template <class Real>
constexpr Mat3T<Real> transpose(const Mat3T<Real>& a) {
  return {a.column(0), a.column(1), a.column(2)};
}

// aᵀ v without forming aᵀ.
template <class Real>
constexpr Vec3T<Real> transpose_times(const Mat3T<Real>& a, const Vec3T<Real>& v) {
  return v.x * a.r0 + v.y * a.r1 + v.z * a.r2;
}

template <class Real>
constexpr Mat3T<Real> operator*(const Mat3T<Real>& a, const Mat3T<Real>& b) {
  return {transpose_times(b, a.r0), transpose_times(b, a.r1), transpose_times(b, a.r2)};
}

template <class Real>
constexpr Real determinant(const Mat3T<Real>& a) {
  return dot(a.r0, cross(a.r1, a.r2));
}

template <class Real>
constexpr Mat3T<Real> inverse(const Mat3T<Real>& a) {
  const Vec3T<Real> c0 = cross(a.r1, a.r2), c1 = cross(a.r2, a.r0), c2 = cross(a.r0, a.r1);
  return (Real(1) / dot(a.r0, c0)) * Mat3T<Real>::from_columns(c0, c1, c2);
}

// Symmetric 3x3 matrix: six numbers.
template <class Real>
struct Sym3T {
  Real xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  static constexpr Sym3T diagonal(Real a, Real b, Real c) { return {a, b, c, Real(0), Real(0), Real(0)}; }
  constexpr Vec3T<Real> row0() const { return {xx, xy, xz}; }
  constexpr Vec3T<Real> row1() const { return {xy, yy, yz}; }
  constexpr Vec3T<Real> row2() const { return {xz, yz, zz}; }
  constexpr Sym3T& operator+=(const Sym3T& b) {
    xx += b.xx;
    yy += b.yy;
    zz += b.zz;
    xy += b.xy;
    xz += b.xz;
    yz += b.yz;
    return *this;
  }
  friend constexpr Sym3T operator+(Sym3T a, const Sym3T& b) { return a += b; }
  friend constexpr Sym3T operator*(Real s, const Sym3T& a) {
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
  }
  friend constexpr Vec3T<Real> operator*(const Sym3T& a, const Vec3T<Real>& v) {
    return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z};
  }
  friend bool operator==(const Sym3T&, const Sym3T&) = default;
};

template <class Real>
constexpr Real trace(const Sym3T<Real>& a) {
  return a.xx + a.yy + a.zz;
}

template <class Real>
constexpr Mat3T<Real> to_matrix(const Sym3T<Real>& a) {
  return {a.row0(), a.row1(), a.row2()};
}

// The symmetric matrix a rounding away from `a`: its upper triangle.
template <class Real>
constexpr Sym3T<Real> symmetric(const Mat3T<Real>& a) {
  return {a.r0.x, a.r1.y, a.r2.z, a.r0.y, a.r0.z, a.r1.z};
}

// S − a bᵀ − b aᵀ.
template <class Real>
constexpr Sym3T<Real> minus_both(const Sym3T<Real>& S, const Vec3T<Real>& a, const Vec3T<Real>& b) {
  return {S.xx - (a.x * b.x + b.x * a.x), S.yy - (a.y * b.y + b.y * a.y), S.zz - (a.z * b.z + b.z * a.z),
          S.xy - (a.x * b.y + b.x * a.y), S.xz - (a.x * b.z + b.x * a.z), S.yz - (a.y * b.z + b.y * a.z)};
}

// By cofactors: one division. Precondition: positive definite.
template <class Real>
constexpr Sym3T<Real> inverse(const Sym3T<Real>& m) {
  const Real c0 = m.yy * m.zz - m.yz * m.yz;
  const Real c1 = m.xz * m.yz - m.xy * m.zz;
  const Real c2 = m.xy * m.yz - m.xz * m.yy;
  const Real d = Real(1) / (m.xx * c0 + m.xy * c1 + m.xz * c2);
  return {d * c0, d * (m.xx * m.zz - m.xz * m.xz), d * (m.xx * m.yy - m.xy * m.xy), d * c1,
          d * c2, d * (m.xy * m.xz - m.xx * m.yz)};
}

// R S Rᵀ.
template <class Real>
constexpr Sym3T<Real> congruence(const Mat3T<Real>& R, const Sym3T<Real>& S) {
  const Vec3T<Real> t0 = S * R.r0, t1 = S * R.r1, t2 = S * R.r2;
  return {dot(R.r0, t0), dot(R.r1, t1), dot(R.r2, t2), dot(R.r0, t1), dot(R.r0, t2), dot(R.r1, t2)};
}

using Vec3 = Vec3T<double>;
using Mat3 = Mat3T<double>;
using Sym3 = Sym3T<double>;

inline bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

}  // namespace catena
