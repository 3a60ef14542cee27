// What laws pushed with in the last step, kept in the state: where the next one begins.
#pragma once

#include <algorithm>

#include "catena/laws/law_rows.h"
#include "catena/model/state.h"

namespace catena {

// An entry holds three numbers: rows 3 to 5 of a joint with compliance have one of their own, and so on.
inline std::uint64_t warm_key(std::uint64_t key, int row) { return key + (static_cast<std::uint64_t>(row / 3) << 4); }

// Of the law with this key; nullptr where it was not there.
inline const WarmImpulse* remembered(const State& state, std::uint64_t key) {
  const auto at = std::lower_bound(state.impulses.begin(), state.impulses.end(), key,
                                   [](const WarmImpulse& w, std::uint64_t wanted) { return w.key < wanted; });
  return at != state.impulses.end() && at->key == key ? &*at : nullptr;
}

// What they would push with over h, as a vector of impulses z with an entry a row: zero where a law was not there.
template <class Vector>
void recall(const LawRows& laws, double h, const State& state, Vector&& z) {
  z.setZero();
  for (const LawBlock& block : laws.blocks)
    for (int from = 0; from < block.size; from += 3)
      if (const WarmImpulse* warm = remembered(state, warm_key(block.key, from)))
        for (int i = from; i < std::min(block.size, from + 3); ++i)
          z[block.first + i] = h * warm->z[static_cast<std::size_t>(i - from)];
}

// In the order remembered() looks through.
inline void sort_impulses(State& state) {
  std::sort(state.impulses.begin(), state.impulses.end(),
            [](const WarmImpulse& a, const WarmImpulse& b) { return a.key < b.key; });
}

// Replaces what the state keeps by the forces of these laws, whose impulses over h begin at `first_row` of z.
template <class Vector>
void remember(const LawRows& laws, double h, const Vector& z, int first_row, State& state) {
  state.impulses.clear();
  for (const LawBlock& block : laws.blocks)
    for (int from = 0; from < block.size; from += 3) {
      WarmImpulse warm{warm_key(block.key, from), {}};
      for (int i = from; i < std::min(block.size, from + 3); ++i)
        warm.z[static_cast<std::size_t>(i - from)] = z[first_row + block.first + i] / h;
      state.impulses.push_back(warm);
    }
  sort_impulses(state);
}

}  // namespace catena
