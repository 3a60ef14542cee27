// Quantities of the whole mechanism at its centre of mass.
#pragma once

#include "catena/math/vec3.h"

namespace catena {

struct Centroidal {
  double mass = 0;              // kg
  Vec3 position{}, velocity{};  // of the centre of mass, m and m/s
  Vec3 momentum{};              // angular, about it, kg·m²/s
  Sym3 inertia{};               // of the whole as if it were one body, about it, world axes, kg·m²
};

}  // namespace catena
