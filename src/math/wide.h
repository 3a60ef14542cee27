// Constants of a model as numbers of the type that is computed with: themselves, or the same in every lane (four.h).
#pragma once

#include <type_traits>

#include "catena/math/rotation.h"

namespace catena {

template <class Real>
constexpr decltype(auto) wide(const Vec3& v) {
  if constexpr (std::is_same_v<Real, double>) return (v);
  else return Vec3T<Real>{v.x, v.y, v.z};
}

template <class Real>
constexpr decltype(auto) wide(const Mat3& m) {
  if constexpr (std::is_same_v<Real, double>) return (m);
  else return Mat3T<Real>{wide<Real>(m.r0), wide<Real>(m.r1), wide<Real>(m.r2)};
}

template <class Real>
constexpr decltype(auto) wide(const Sym3& m) {
  if constexpr (std::is_same_v<Real, double>) return (m);
  else return Sym3T<Real>{m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
}

template <class Real>
constexpr decltype(auto) wide(const Quat& q) {
  if constexpr (std::is_same_v<Real, double>) return (q);
  else return QuatT<Real>{q.w, q.x, q.y, q.z};
}

}  // namespace catena
