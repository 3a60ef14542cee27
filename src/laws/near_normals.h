// What overlaps, and what might once that is moved apart: where steps end by moving shapes out of each other.
#pragma once

#include "catena/laws/law_rows.h"

namespace catena {

// Replaces `normals` by the first rows of those contacts and limits whose gap is at most `within`.
inline void gather_near_normals(const LawRows& laws, double within, LawRows& normals) {
  normals.clear();
  for (const LawBlock& block : laws.blocks) {
    if (!is_unilateral(block) || block.gap > within) continue;
    append(laws, block, normals).size = 1;
    normals.rows.resize(static_cast<std::size_t>(normals.blocks.back().first) + 1);
  }
}

}  // namespace catena
