// The cone n ≥ ‖t‖ and its arithmetic, for what interior points need. A single number is the cone of dimension 1.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace catena::solve {

// Dimension 1, 2 or 3; room for 4 keeps the compiler from seeing packets of two cross the end.
using ConeVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 4, 1>;
using ConeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 4, 4>;

inline double tangent_norm(const ConeVector& x) { return x.tail(x.size() - 1).norm(); }

// n² − ‖t‖², without cancelling.
inline double determinant(const ConeVector& x) {
  if (x.size() == 1) return x[0] * x[0];
  const double t = tangent_norm(x);
  return (x[0] - t) * (x[0] + t);
}

inline ConeVector reflected(ConeVector x) {
  x.tail(x.size() - 1) *= -1;
  return x;
}

// x⁻¹ of the Jordan product: (n, −t)/det.
inline ConeVector inverse(const ConeVector& x) {
  if (x.size() == 1) return ConeVector::Constant(1, 1 / x[0]);
  return reflected(x) / determinant(x);
}

// The largest step a with x + a d in the cone; 1e300 when there is no end.
double longest_step(const ConeVector& x, const ConeVector& d);

// Nesterov and Todd's scaling of two points inside the cone: the symmetric positive definite Θ with Θ x = y.
ConeMatrix nesterov_todd(const ConeVector& x, const ConeVector& y);

}  // namespace catena::solve
