// What lengths and energies of a mechanism are compared with.
#pragma once

#include "catena/mechanism/projection.h"

namespace catena {

struct MechanismScale {
  double size = 0;    // m, mechanism_size()
  double energy = 0;  // J, weight times size; to be added to the kinetic energy
};

inline MechanismScale mechanism_scale(const Model& model, const State& state) {
  const double size = mechanism_size(model, state);
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return {size, mass * norm(model.gravity) * size};
}

}  // namespace catena
