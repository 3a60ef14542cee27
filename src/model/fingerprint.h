// One number for a model and where it starts, by which a saved state knows what it belongs to.
#pragma once

#include <cstdint>

#include "catena/model/scene.h"

namespace catena {

// A hash of everything that decides how a state moves on: every field of the model but its name, sensors and named states, and the initial
// state, from which joints count their coordinates and the size of the mechanism is taken. How the text was written does not matter.
std::uint64_t fingerprint(const Model& model, const State& initial);
inline std::uint64_t fingerprint(const Scene& scene) { return fingerprint(scene.model, scene.initial); }

}  // namespace catena
