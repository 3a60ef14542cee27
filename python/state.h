// A state of a model, with what the user drives it with.
#pragma once

#include "catena/record/checkpoint.h"

namespace catena::python {

// A checkpoint: its bytes are those of a checkpoint file.
using SavedState = Checkpoint;

}  // namespace catena::python
