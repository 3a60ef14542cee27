#pragma once

#include <concepts>
#include <cstddef>
#include <limits>

namespace catena {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number of ours, which is signed, as an index of the standard library's containers.
template <std::signed_integral Number>
constexpr std::size_t at(Number i) {
  return static_cast<std::size_t>(i);
}

}  // namespace catena
