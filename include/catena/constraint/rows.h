// Rows: what every constraint yields. A row says
//     J v = u            at velocity level          (u: prescribed velocity, mostly zero)
//     J v̇ + c = 0        at acceleration level      (Baraff eq. 5; c holds J̇ v and −u̇)
//     phi = 0            at position level, where the row is holonomic; then dphi/dt = J v.
// and pushes the bodies with +Jᵀ lambda.
#pragma once

#include <array>

#include "catena/constraint/placement.h"

namespace catena {

inline constexpr int kMaxRows = 6;  // of one joint

struct Row {
  BodyVector a, b;  // J, on the first and the second body
  double c = 0;
  double u = 0;
  double phi = 0;
  bool holonomic = true;
};

struct Rows {
  std::array<Row, kMaxRows> row;
  int count = 0;

  void add(const Row& r) { row[static_cast<std::size_t>(count++)] = r; }
  const Row& operator[](int i) const { return row[static_cast<std::size_t>(i)]; }
  Row& operator[](int i) { return row[static_cast<std::size_t>(i)]; }
};

// The motion of a point along n, as a row on its body.
inline BodyVector along(const Vec3& n, const AttachedPoint& at) {
  return {n, cross(at.arm, n), dot(n, at.arm) / at.scale};
}
inline BodyVector negative(const BodyVector& v) { return -1.0 * v; }
// A rotation about u.
inline BodyVector about(const Vec3& u) { return {{}, u, 0}; }

// J v of a row.
inline double velocity(const Row& row, const BodyVector& va, const BodyVector& vb) {
  return dot(row.a, va) + dot(row.b, vb);
}

}  // namespace catena
