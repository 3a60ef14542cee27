// One number for a scene, by which a checkpoint knows the model it belongs to.
#pragma once

#include <cstdint>

#include "catena/model/scene.h"

namespace catena {

// A hash of everything that makes the model: all of the scene's text but comments, layout, `simulate:` and `name:`, and the points of its
// meshes; of a robot file all of its text. Scenes that were not read from text have that of their bodies' names, masses and states alone.
std::uint64_t fingerprint(const Scene& scene);

}  // namespace catena
