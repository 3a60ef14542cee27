// The keys of a map and the kinds of their values. Every function throws InputError with the place of what is wrong.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/math/rotation.h"
#include "catena/scene/quantity.h"
#include "catena/scene/value.h"

namespace catena {

using KeyList = std::initializer_list<std::string_view>;

// A map whose keys are known. The constructor refuses other keys and names the nearest known one.
class Fields {
 public:
  // `what` names the map in messages ("body 'crank'"); `at` is where a missing key is reported.
  Fields(const Value& map, std::string what, KeyList known, const Position& at);
  Fields(const Value& map, std::string what, KeyList known) : Fields(map, std::move(what), known, map.at) {}

  const std::string& what() const { return what_; }
  const Position& at() const { return at_; }
  const Value* find(std::string_view key) const { return map_.find(key); }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  // The value of a key that must be there; `example` completes "needs KEY, such as KEY: …".
  const Value& need(std::string_view key, std::string_view example) const;
  // Fails at the key: "what: why".
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;

  double number(std::string_view key, const Quantity& quantity, double otherwise) const;
  std::optional<double> number(std::string_view key, const Quantity& quantity) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::string text(std::string_view key, const std::string& otherwise) const;

 private:
  const Value& map_;
  std::string what_;
  Position at_;
};

// `what` is the key, for messages.
double read_number(const Value& value, std::string_view what, const Quantity& quantity);
bool read_flag(const Value& value, std::string_view what);
// A whole number from `least` up.
long long read_count(const Value& value, std::string_view what, long long least);
std::string read_text(const Value& value, std::string_view what);
const std::vector<Value>& read_list(const Value& value, std::string_view what);
const std::vector<Value>& read_list(const Value& value, std::string_view what, std::size_t size);
Vec3 read_vec3(const Value& value, std::string_view what, const Quantity& quantity);
// A vector of the plane: two numbers, or three of which the last is 0.
Vec3 read_vec2(const Value& value, std::string_view what, const Quantity& quantity);
inline Vec3 read_vector(const Value& value, std::string_view what, const Quantity& quantity, bool flat) {
  return flat ? read_vec2(value, what, quantity) : read_vec3(value, what, quantity);
}
// A rotation: quaternion w x y z, {axis, angle}, {rpy: [roll, pitch, yaw]} or {matrix: 3x3}.
Quat read_rotation(const Value& value, std::string_view what);

// "unknown key 'x'; the nearest is 'y'" or, when none is near, the list of the known.
std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known);

// One of a few words.
template <class T, std::size_t N>
T read_choice(const Value& value, std::string_view what, const std::array<std::pair<std::string_view, T>, N>& choices) {
  const std::string word = read_text(value, what);
  std::vector<std::string> known;
  for (const auto& [name, choice] : choices) {
    if (name == word) return choice;
    known.emplace_back(name);
  }
  fail(value.at, unknown(what, word, known));
}

}  // namespace catena
