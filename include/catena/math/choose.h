// One of two values by a comparison: of one number by a branch, of several at once (math/four.h) by both values and a mask.
#pragma once

namespace catena {

template <class Yes, class Otherwise>
constexpr auto choose(bool condition, Yes&& yes, Otherwise&& otherwise) {
  return condition ? yes() : otherwise();
}

constexpr bool both(bool a, bool b) { return a && b; }

}  // namespace catena
