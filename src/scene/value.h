// A scene file as a tree of values, each of which knows where it was written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

// A file, or something that stands for one: a `--set` of the command line.
struct Source {
  std::string name;              // as messages name it
  std::filesystem::path folder;  // where its includes and meshes are looked for
  bool lines = true;             // whether lines and columns mean anything in it
};

// Lines and columns count from 1.
struct Position {
  const Source* source = nullptr;
  int line = 0, column = 0;
};

// "file:line:column", or the name alone when the source has no lines.
std::string to_string(const Position& at);

// The text on one line, cut after `longest` bytes or a few more, so that whole letters remain: a message quotes a file, it does not
// print it.
std::string shortened(std::string_view text, std::size_t longest);

// Throws InputError "file:line:column: what", shortened.
[[noreturn]] void fail(const Position& at, const std::string& what);

struct Key {
  std::string text;
  Position at;
};

// Null, a scalar (its text), a list (items) or a map (keys and items, in the order written).
struct Value {
  enum class Kind : std::uint8_t { null, scalar, list, map };
  Kind kind = Kind::null;
  Position at;
  std::string text;
  std::vector<Key> keys;
  std::vector<Value> items;

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_list() const { return kind == Kind::list; }
  bool is_map() const { return kind == Kind::map; }
  // "a list of 3", "a map", "'text'", "nothing": for messages.
  std::string describe() const;
  // The value of a key of a map, nullptr when it is not there. Linear in the number of keys.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // Adds the key or replaces its value.
  void set(const Key& key, Value value);
};

// The sources of one scene; a deque, so that positions can point into it while it grows.
using Sources = std::deque<Source>;

// Reads YAML or JSON text (one document). Repeated keys and syntax errors throw InputError with their place.
// `source` must outlive the value.
Value parse_yaml(std::string_view text, const Source& source);

bool is_one_of(std::string_view word, const auto& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace catena
