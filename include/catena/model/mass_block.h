// The mass block M of a body: block diagonal at the centre of mass for every kind, so seven numbers and a symmetric 3x3 say it all. Only the coordinates of a
// form (model/form_blocks.h) have a full block.
#pragma once

#include <array>

#include "catena/math/spatial.h"

namespace catena {

// A full symmetric block over the six numbers of a form, and its inverse.
struct OwnMass {
  std::array<std::array<double, 6>, 6> C{}, inverse{};
};

inline BodyVector times(const std::array<std::array<double, 6>, 6>& C, const BodyVector& v) {
  const double x[] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
  double y[6] = {};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 6; ++k) y[i] += C[i][k] * x[k];
  return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}, 0};
}

struct MassBlock {
  double linear = 0;             // kg
  Sym3 angular{};                // kg m², world axes, about the centre of mass
  double scale = 0;              // kg m²: what resists a change of scale
  const OwnMass* own = nullptr;  // of the coordinates of a form, in place of the others

  friend BodyVector operator*(const MassBlock& M, const BodyVector& v) {
    if (M.own) [[unlikely]]
      return times(M.own->C, v);
    return {M.linear * v.linear, M.angular * v.angular, M.scale * v.scale};
  }
};

// ½ vᵀM v of a mass, an inertia in world axes, and what resists a change of scale.
template <class Real>
constexpr Real kinetic_energy(const Real& mass, const Sym3T<Real>& inertia, const Real& scale,
                              const BodyVectorT<Real>& v) {
  return Real(0.5) * dot(v, BodyVectorT<Real>{mass * v.linear, inertia * v.angular, scale * v.scale});
}

inline double kinetic_energy(const MassBlock& M, const BodyVector& v) {
  if (M.own) [[unlikely]]
    return 0.5 * dot(v, M * v);
  return kinetic_energy(M.linear, M.angular, M.scale, v);
}

}  // namespace catena
