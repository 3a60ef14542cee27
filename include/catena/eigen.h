// Our vectors as Eigen's, without copying where the layout allows it, and back.
//
//   catena::as_eigen(sim.body("hand").position) += …;                      // a Map of the Vec3 itself
//   const auto q = catena::as_eigen(sim.q());                              // a Map of a span
//   const Eigen::Quaterniond r = catena::to_eigen(body.orientation);       // Eigen keeps x y z w, we w x y z: a copy
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "catena/math/rotation.h"
#include "catena/math/spatial.h"

namespace catena {

static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quat) == 4 * sizeof(double));

inline Eigen::Map<Eigen::Vector3d> as_eigen(Vec3& v) { return Eigen::Map<Eigen::Vector3d>(&v.x); }
inline Eigen::Map<const Eigen::Vector3d> as_eigen(const Vec3& v) { return Eigen::Map<const Eigen::Vector3d>(&v.x); }
inline Eigen::Map<Eigen::VectorXd> as_eigen(std::span<double> s) {
  return {s.data(), static_cast<Eigen::Index>(s.size())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> s) {
  return {s.data(), static_cast<Eigen::Index>(s.size())};
}

inline Eigen::Quaterniond to_eigen(const Quat& q) { return {q.w, q.x, q.y, q.z}; }
inline Eigen::Matrix3d to_eigen(const Mat3& m) {
  Eigen::Matrix3d out;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) out(i, k) = m(i, k);
  return out;
}
inline Eigen::Matrix<double, 6, 1> to_eigen(const Spatial& s) {
  Eigen::Matrix<double, 6, 1> out;
  out << s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z;
  return out;
}
// The pose of a body or frame: world from body.
inline Eigen::Isometry3d pose(const Vec3& position, const Quat& orientation) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = to_eigen(to_matrix(orientation));
  X.translation() = as_eigen(position);
  return X;
}

inline Vec3 from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline Quat from_eigen(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
inline std::span<const double> as_span(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace catena
