// The mass block M of a body: block diagonal at the centre of mass for every kind, so seven numbers and a symmetric 3x3 say it all.
#pragma once

#include "catena/math/spatial.h"

namespace catena {

struct MassBlock {
  double linear = 0;  // kg
  Sym3 angular{};     // kg m², world axes, about the centre of mass
  double scale = 0;   // kg m²: what resists a change of scale

  friend BodyVector operator*(const MassBlock& M, const BodyVector& v) {
    return {M.linear * v.linear, M.angular * v.angular, M.scale * v.scale};
  }
};

inline double kinetic_energy(const MassBlock& M, const BodyVector& v) { return 0.5 * dot(v, M * v); }

}  // namespace catena
