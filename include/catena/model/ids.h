// Indices are types, so that a body cannot be taken for a joint.
#pragma once

#include <compare>
#include <cstddef>

namespace catena {

template <class Tag>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(int value) : value_(value) {}
  constexpr explicit Index(std::size_t value) : value_(static_cast<int>(value)) {}
  // Converts to the index of the array it belongs to.
  constexpr operator std::size_t() const { return static_cast<std::size_t>(value_); }
  constexpr int value() const { return value_; }
  constexpr bool valid() const { return value_ >= 0; }
  friend constexpr bool operator==(Index a, Index b) { return a.value_ == b.value_; }
  friend constexpr auto operator<=>(Index a, Index b) { return a.value_ <=> b.value_; }

 private:
  int value_ = -1;
};

using BodyId = Index<struct BodyTag>;
using JointId = Index<struct JointTag>;

// The ground is not a body: it has dimension 0, never moves, and stands wherever a BodyId is not valid().
inline constexpr BodyId kGround{};

}  // namespace catena
