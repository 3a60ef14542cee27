#include "catena/scene/value.h"

#include <fmt/format.h>

#include <utility>

#include "catena/model/error.h"

namespace catena {

std::string to_string(const Position& at) {
  if (at.source == nullptr) return "scene";
  return at.line == 0 || !at.source->lines ? at.source->name
                                           : fmt::format("{}:{}:{}", at.source->name, at.line, at.column);
}

void fail(const Position& at, const std::string& what) { throw InputError{fmt::format("{}: {}", to_string(at), what)}; }

std::string Value::describe() const {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return fmt::format("'{}'", text);
    case Kind::list: return fmt::format("a list of {}", items.size());
    case Kind::map: return "a map";
  }
  return {};
}

const Value* Value::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

Value* Value::find(std::string_view key) { return const_cast<Value*>(std::as_const(*this).find(key)); }

void Value::set(const Key& key, Value value) {
  if (Value* old = find(key.text)) {
    *old = std::move(value);
    return;
  }
  keys.push_back(key);
  items.push_back(std::move(value));
}

}  // namespace catena
