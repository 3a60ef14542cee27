// Vectors and rotations where they stand among coordinates and rates.
#pragma once

#include "catena/math/rotation.h"

namespace catena {

template <class Real>
Vec3T<Real> vector_at(const Real* v) {
  return {v[0], v[1], v[2]};
}
template <class Real>
QuatT<Real> rotation_at(const Real* q) {
  return {q[0], q[1], q[2], q[3]};
}
template <class Real>
void put(const Vec3T<Real>& v, Real* to) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z;
}
template <class Real>
void put(const QuatT<Real>& q, Real* to) {
  to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

}  // namespace catena
