#pragma once

#include <cstdint>

#include "catena/laws/law_rows.h"

namespace catena {

// Names a law of a joint from step to step: of one coordinate, or of its `number`th limit; `opposite`: the upper limit, which pushes down.
inline std::uint64_t joint_law_key(JointId joint, LawKind kind, int number, bool opposite) {
  return (static_cast<std::uint64_t>(joint.value()) << 8) + (static_cast<std::uint64_t>(number) << 4) +
         (static_cast<std::uint64_t>(kind) << 1) + (opposite ? 1u : 0u);
}

}  // namespace catena
