#include "catena/solve/jordan.h"

#include <algorithm>

namespace catena::solve {

// Roots of det(x + a d) = det x + 2 a b + a² det d.
double longest_step(const ConeVector& x, const ConeVector& d) {
  double longest = 1e300;
  if (d[0] < 0) longest = -x[0] / d[0];
  if (x.size() == 1) return longest;
  const double c = determinant(x), b = x.dot(reflected(d)), a = determinant(d);
  const auto consider = [&](double root) {
    if (root > 0 && root < longest) longest = root;
  };
  const double discriminant = b * b - a * c;
  if (discriminant < 0) return longest;
  const double t = -(b + std::copysign(std::sqrt(discriminant), b));
  if (a != 0) consider(t / a);
  if (t != 0) consider(c / t);
  return longest;
}

// With x̄, ȳ of determinant 1:  w̄ = (ȳ + J x̄)/(2γ),  γ² = (1 + x̄ᵀȳ)/2,  Θ = √(det y/det x) (2 w̄ w̄ᵀ − J).
ConeMatrix nesterov_todd(const ConeVector& x, const ConeVector& y) {
  if (x.size() == 1) return ConeMatrix::Constant(1, 1, y[0] / x[0]);
  const double dx = std::sqrt(std::max(determinant(x), 1e-300)), dy = std::sqrt(std::max(determinant(y), 1e-300));
  const ConeVector u = x / dx, v = y / dy;
  const double gamma = std::sqrt((1 + u.dot(v)) / 2);
  const ConeVector w = (v + reflected(u)) / (2 * gamma);
  ConeMatrix theta = 2 * w * w.transpose();
  theta(0, 0) -= 1;
  for (int i = 1; i < x.size(); ++i) theta(i, i) += 1;
  return theta * (dy / dx);
}

}  // namespace catena::solve
