// What becomes of bodies that overlap at t = 0 (docs/methods/contact.md).
#pragma once

#include <cstdint>
#include <string>

#include "catena/model/scene.h"
#include "catena/scene/value.h"

namespace catena {

enum class Overlapping : std::uint8_t { automatic, separate, exclude };
// The word behind collide.overlapping; `automatic` where there is none.
Overlapping read_overlapping(const Value* value);

// Says in the scene's warnings which bodies overlap at t = 0, and adds those to the model's collide_exclude that are never to touch:
//   separate    none: the first steps move them apart, at the tuned push_out at most
//   exclude     all of them
//   automatic   of a robot file: two bodies of one mechanism; a body of a mechanism held to the ground by a joint, and what is
//               fixed there (its base), but for planes
// Each pair that is excluded goes into the ledger, too, where the scene has one. `file` stands before the warnings.
void settle_overlaps(Scene& scene, Overlapping choice, const std::string& file);

}  // namespace catena
