// Vectors and rotations where they stand among coordinates and rates.
#pragma once

#include "catena/math/rotation.h"

namespace catena {

inline Vec3 vector_at(const double* v) { return {v[0], v[1], v[2]}; }
inline Quat rotation_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline void put(const Vec3& v, double* to) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }
inline void put(const Quat& q, double* to) { to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z; }

}  // namespace catena
