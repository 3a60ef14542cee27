// A state of a model, with what the user drives it with.
#pragma once

#include "catena/model/state.h"

namespace catena::python {

struct SavedState {
  std::uint64_t model = 0;  // hash_of() its model
  State state{};
  std::vector<double> tau{}, ctrl{};
};

}  // namespace catena::python
