// Whether bodies are where they were: what depends on positions alone need not be computed again then.
#pragma once

#include "catena/model/state.h"

namespace catena {

// True for two lists of as many bodies with the same positions, bit by bit but for the sign of zero.
inline bool have_same_positions(const std::vector<BodyState>& x, const std::vector<BodyState>& y) {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(x[i].position == y[i].position && x[i].orientation == y[i].orientation && x[i].scale == y[i].scale))
      return false;
  return true;
}

}  // namespace catena
