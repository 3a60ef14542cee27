// How the frame of a joint's second body stands and moves in that of its first, by the joint's coordinates:
//     B's anchor at t(q) from A's, B's frame turned by R(q);      ṫ = L q̇,   ω = Ω q̇      (all in the axes of frame A)
// The coordinates are those of constraint/: what joint_coordinates() reads of two bodies is what is put in here.
#pragma once

#include <array>
#include <cmath>

#include "catena/math/elementary.h"
#include "catena/math/spatial.h"
#include "catena/model/joint.h"

namespace catena {

struct JointMotion {
  Mat3 R = Mat3::identity();
  Vec3 t{};
  int count = 0;
  std::array<Spatial, 3> F{};  // (L, Ω) column by column
  Vec3 turning{};  // Ω̇ q̇; L is constant in frame A for every kind here (compound joints: compound_motion.h)

  Spatial velocity(const double* v) const {
    Spatial sum{};
    for (int k = 0; k < count; ++k) sum += v[k] * F[static_cast<std::size_t>(k)];
    return sum;
  }
};

inline Mat3 turn_about_z(double angle) {
  const auto [s, c] = portable::sin_cos(angle);
  return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

// Kinds with one to three plain coordinates, and those with none. Not for ball joints, whose coordinate is a rotation.
inline JointMotion joint_motion(JointKind kind, double pitch, const double* q, const double* v) {
  constexpr Spatial x{{1, 0, 0}, {}}, y{{0, 1, 0}, {}}, z{{0, 0, 1}, {}}, about_z{{}, {0, 0, 1}};
  switch (kind) {
    case JointKind::hinge:
    case JointKind::pin: return {turn_about_z(q[0]), {}, 1, {about_z}, {}};
    case JointKind::slider: return {Mat3::identity(), {0, 0, q[0]}, 1, {z}, {}};
    case JointKind::screw: return {turn_about_z(q[0]), {0, 0, pitch * q[0]}, 1, {pitch * z + about_z}, {}};
    case JointKind::cylindrical: return {turn_about_z(q[0]), {0, 0, q[1]}, 2, {about_z, z}, {}};
    case JointKind::planar: return {turn_about_z(q[2]), {q[0], q[1], 0}, 3, {x, y, about_z}, {}};
    case JointKind::universal: {
      // The cross has arms a = z of A and b = z of B; n = a × b leads both angles.
      const auto [s0, c0] = portable::sin_cos(q[0]);
      const auto [s1, c1] = portable::sin_cos(q[1]);
      const Vec3 n{c0, s0, 0}, b{s0, -c0, 0}, a{0, 0, 1};
      const Vec3 n_B{c1, -s1, 0}, b_B{0, 0, 1}, a_B{s1, c1, 0};
      const Mat3 R = Mat3::from_columns(n, b, a) * transpose(Mat3::from_columns(n_B, b_B, a_B));
      return {R, {}, 2, {about_z, Spatial{{}, b}}, v[0] * v[1] * n};
    }
    default: return {};
  }
}

}  // namespace catena
