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

template <class Real>
struct JointMotion {
  Mat3T<Real> R = Mat3T<Real>::identity();
  Vec3T<Real> t{};
  int count = 0;
  std::array<SpatialT<Real>, 3> F{};  // (L, Ω) column by column
  Vec3T<Real> turning{};  // Ω̇ q̇; L is constant in frame A for every kind here (compound joints: compound_motion.h)

  SpatialT<Real> velocity(const Real* v) const {
    SpatialT<Real> sum{};
    for (int k = 0; k < count; ++k) sum += v[k] * F[static_cast<std::size_t>(k)];
    return sum;
  }
};

template <class Real>
Mat3T<Real> turn_about_z(const Real& angle) {
  using portable::sin_cos;
  const auto [s, c] = sin_cos(angle);
  return {{c, -s, 0}, {s, c, 0}, {0, 0, 1}};
}

// Kinds with one to three plain coordinates, and those with none. Not for ball joints, whose coordinate is a rotation.
template <class Real>
JointMotion<Real> joint_motion(JointKind kind, double pitch, const Real* q, const Real* v) {
  using portable::sin_cos;
  using Motion6 = SpatialT<Real>;
  using Vector = Vec3T<Real>;
  using Matrix = Mat3T<Real>;
  const Motion6 x{{1, 0, 0}, {}}, y{{0, 1, 0}, {}}, z{{0, 0, 1}, {}}, about_z{{}, {0, 0, 1}};
  switch (kind) {
    case JointKind::hinge:
    case JointKind::pin: return {turn_about_z(q[0]), {}, 1, {about_z}, {}};
    case JointKind::slider: return {Matrix::identity(), {0, 0, q[0]}, 1, {z}, {}};
    case JointKind::screw: return {turn_about_z(q[0]), {0, 0, pitch * q[0]}, 1, {Real(pitch) * z + about_z}, {}};
    case JointKind::cylindrical: return {turn_about_z(q[0]), {0, 0, q[1]}, 2, {about_z, z}, {}};
    case JointKind::planar: return {turn_about_z(q[2]), {q[0], q[1], 0}, 3, {x, y, about_z}, {}};
    case JointKind::universal: {
      // The cross has arms a = z of A and b = z of B; n = a × b leads both angles.
      const auto [s0, c0] = sin_cos(q[0]);
      const auto [s1, c1] = sin_cos(q[1]);
      const Vector n{c0, s0, 0}, b{s0, -c0, 0}, a{0, 0, 1};
      const Vector n_B{c1, -s1, 0}, b_B{0, 0, 1}, a_B{s1, c1, 0};
      const Matrix R = Matrix::from_columns(n, b, a) * transpose(Matrix::from_columns(n_B, b_B, a_B));
      return {R, {}, 2, {about_z, Motion6{{}, b}}, v[0] * v[1] * n};
    }
    default: return {};
  }
}

}  // namespace catena
