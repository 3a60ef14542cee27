#include "catena/scene/value.h"

#include <fmt/format.h>

#include <utility>

#include "catena/model/error.h"

namespace catena {
namespace {

constexpr std::size_t kLongestMessage = 1000, kLongestWord = 60;  // bytes

}  // namespace

std::string to_string(const Position& at) {
  if (at.source == nullptr) return "scene";
  return at.line == 0 || !at.source->lines ? at.source->name
                                           : fmt::format("{}:{}:{}", at.source->name, at.line, at.column);
}

void fail(const Position& at, const std::string& what) {
  throw InputError{fmt::format("{}: {}", to_string(at), shortened(what, kLongestMessage))};
}

std::string shortened(std::string_view text, std::size_t longest) {
  std::string out;
  for (const char c : text) {
    const bool inside = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a letter that takes several bytes
    if (out.size() >= longest && !inside) return out + "…";
    const bool control = static_cast<unsigned char>(c) < ' ' || c == 0x7F;
    out += control ? ' ' : c;
  }
  return out;
}

std::string Value::describe() const {
  switch (kind) {
    case Kind::null: return "nothing";
    case Kind::scalar: return fmt::format("'{}'", shortened(text, kLongestWord));
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
