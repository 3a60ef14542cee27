// Colours of shapes, as scene files write them.
#pragma once

#include <array>

#include "catena/scene/value.h"

namespace catena {

// A name, "#rrggbb" or [red, green, blue(, opacity)]: red, green, blue, opacity.
std::array<float, 4> read_color(const Value& value);

}  // namespace catena
