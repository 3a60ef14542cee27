#include "catena/scene/prefix.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena {
namespace {

constexpr std::array<std::string_view, 6> kNamed = {"bodies", "joints", "materials", "sites", "sensors", "tendons"};
// Keys whose value is a name, a list of names, or lists of them.
constexpr std::array<std::string_view, 10> kRefers = {"between", "body",    "joint",   "site",   "material",
                                                      "against", "exclude", "carrier", "tendon", "path"};

void prefix_reference(Value& value, const std::string& prefix) {
  if (value.is_map()) return;  // the joint of a chain, a point of a body: looked into by prefix_inside()
  if (value.is_scalar() && value.text != "ground" && value.text != "none" && value.text != "default")
    value.text = prefix + value.text;
  for (Value& item : value.items) prefix_reference(item, prefix);
}

// A chain or tree names its links and says what they hang from.
void prefix_links(Value& generator, const std::string& prefix) {
  Value name;
  name.kind = Value::Kind::scalar;
  name.at = generator.at;
  name.text = generator.find("name") != nullptr ? generator.find("name")->text : "link";
  name.text = prefix + name.text;
  generator.set({"name", generator.at}, std::move(name));
  for (const char* key : {"from", "to"})
    if (Value* end = generator.find(key)) prefix_reference(*end, prefix);
}

void prefix_inside(Value& value, const std::string& prefix) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    Value& item = value.items[i];
    const std::string_view key = i < value.keys.size() ? std::string_view(value.keys[i].text) : std::string_view();
    if (is_one_of(key, kRefers)) prefix_reference(item, prefix);
    if (item.is_map() && (key == "chain" || key == "tree")) prefix_links(item, prefix);
    if (item.is_map() && is_one_of(key, kNamed))
      for (Key& name : item.keys) name.text = prefix + name.text;
    if (!is_one_of(key, kRefers) || item.is_map()) prefix_inside(item, prefix);
  }
}

}  // namespace

void prefix_names(Value& part, const std::string& prefix) { prefix_inside(part, prefix); }

void move_part(Value& part, const Value& place) {
  for (const char* key : {"repeat", "ground"})
    if (part.find(key) != nullptr)
      fail(place.at,
           fmt::format("at: a part with '{}' cannot be moved; write its points where they are expected", key));
  Value block;
  block.kind = Value::Kind::map;
  block.at = place.at;
  Value one;
  one.kind = Value::Kind::scalar;
  one.at = place.at;
  one.text = "1";
  block.set({"count", place.at}, one);
  block.set({"first", place.at}, one);
  block.set({"base", place.at}, place);
  for (std::size_t i = 0; i < part.keys.size();) {
    constexpr std::array<std::string_view, 5> kMoved = {"bodies", "joints", "forces", "springs", "actuators"};
    if (!is_one_of(part.keys[i].text, kMoved)) {
      ++i;
      continue;
    }
    block.set(part.keys[i], std::move(part.items[i]));
    part.keys.erase(part.keys.begin() + static_cast<std::ptrdiff_t>(i));
    part.items.erase(part.items.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Value list;
  list.kind = Value::Kind::list;
  list.at = place.at;
  list.items.push_back(std::move(block));
  part.set({"repeat", place.at}, std::move(list));
}

}  // namespace catena
