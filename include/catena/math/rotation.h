// Rotations: unit quaternions (w, x, y, z) taking body axes to world axes.
#pragma once

#include <cmath>

#include "catena/math/choose.h"
#include "catena/math/elementary.h"
#include "catena/math/vec3.h"

namespace catena {

template <class Real>
struct QuatT {
  Real w{1}, x{}, y{}, z{};

  constexpr Vec3T<Real> vec() const { return {x, y, z}; }
  constexpr QuatT conjugate() const { return {w, -x, -y, -z}; }
  friend constexpr QuatT operator*(const QuatT& a, const QuatT& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  }
  friend bool operator==(const QuatT&, const QuatT&) = default;
};

template <class Real>
Real norm(const QuatT<Real>& q) {
  using std::sqrt;
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

template <class Real>
QuatT<Real> normalized(const QuatT<Real>& q) {
  const Real s = Real(1) / norm(q);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

// Precondition: |q| = 1.
template <class Real>
constexpr Mat3T<Real> to_matrix(const QuatT<Real>& q) {
  const Real x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const Real xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  const Real xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const Real wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {{1 - (yy + zz), xy - wz, xz + wy}, {xy + wz, 1 - (xx + zz), yz - wx}, {xz - wy, yz + wx, 1 - (xx + yy)}};
}

template <class Real>
constexpr Vec3T<Real> rotate(const QuatT<Real>& q, const Vec3T<Real>& v) {
  const Vec3T<Real> t = Real(2) * cross(q.vec(), v);
  return v + q.w * t + cross(q.vec(), t);
}

// The rotation by the vector `phi` (axis times angle, world axes).
template <class Real>
QuatT<Real> exp_rotation(const Vec3T<Real>& phi) {
  using portable::sin_cos;
  using std::sqrt;
  const Real angle2 = dot(phi, phi);
  // cos(a/2) and sin(a/2)/a; of turns below 0.1 rad, which steps and corrections are, by their series: exact to double precision.
  const auto by_series = [&] {
    const Real z = Real(0.25) * angle2, z2 = z * z;
    const Real c =
        (Real(1) - Real(1.0 / 2) * z) + z2 * ((Real(1.0 / 24) - Real(1.0 / 720) * z) + Real(1.0 / 40320) * z2);
    const Real s = (Real(1.0 / 2) - Real(1.0 / 12) * z) +
                   z2 * ((Real(1.0 / 240) - Real(1.0 / 10080) * z) + Real(1.0 / 725760) * z2);
    return QuatT<Real>{c, s * phi.x, s * phi.y, s * phi.z};
  };
  const auto by_angle = [&] {
    const Real angle = sqrt(angle2);
    const portable::SinCos<Real> half = sin_cos(angle / 2);
    const Real s = half.sin / angle;
    return QuatT<Real>{half.cos, s * phi.x, s * phi.y, s * phi.z};
  };
  return choose(angle2 < Real(0.01), by_series, by_angle);
}

// The rotation vector of q, |phi| <= pi.
template <class Real>
Vec3T<Real> log_rotation(QuatT<Real> q) {
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  const Real s = norm(q.vec());
  return s < Real(1e-9) ? Real(2) / q.w * q.vec() : Real(2) * portable::atan2(s, q.w) / s * q.vec();
}

template <class Real>
QuatT<Real> from_matrix(const Mat3T<Real>& R) {
  // By the largest of the four numbers, or nearly so.
  const Real t = R(0, 0) + R(1, 1) + R(2, 2);
  const auto by_w = [&] { return QuatT<Real>{1 + t, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)}; };
  const auto by_x = [&] {
    return QuatT<Real>{R(2, 1) - R(1, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2), R(1, 0) + R(0, 1), R(0, 2) + R(2, 0)};
  };
  const auto by_y = [&] {
    return QuatT<Real>{R(0, 2) - R(2, 0), R(1, 0) + R(0, 1), 1 + R(1, 1) - R(0, 0) - R(2, 2), R(2, 1) + R(1, 2)};
  };
  const auto by_z = [&] {
    return QuatT<Real>{R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(2, 1) + R(1, 2), 1 + R(2, 2) - R(0, 0) - R(1, 1)};
  };
  const auto by_y_or_z = [&] { return choose(R(1, 1) >= R(2, 2), by_y, by_z); };
  const auto by_vector = [&] { return choose(both(R(0, 0) >= R(1, 1), R(0, 0) >= R(2, 2)), by_x, by_y_or_z); };
  return normalized(choose(t > Real(0), by_w, by_vector));
}

// The rotation vector of R. Of turns below 1e-5 rad it is the antisymmetric part, exact to double precision.
template <class Real>
Vec3T<Real> log_rotation(const Mat3T<Real>& R) {
  const Vec3T<Real> twice{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const bool small = R(0, 0) + R(1, 1) + R(2, 2) > Real(3) - Real(1e-10);
  return small ? Real(0.5) * twice : log_rotation(from_matrix(R));
}

// The right-handed orthonormal frame whose third column is the unit vector `axis`.
template <class Real>
Mat3T<Real> frame_along(const Vec3T<Real>& axis) {
  const Vec3T<Real> t1 = perpendicular(axis);
  return Mat3T<Real>::from_columns(t1, cross(axis, t1), axis);
}

using Quat = QuatT<double>;

}  // namespace catena
