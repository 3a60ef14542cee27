#include "catena/scene/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "catena/math/elementary.h"
#include "catena/model/model.h"

namespace catena {

std::string unknown(std::string_view what, std::string_view word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  if (!near.empty()) return fmt::format("unknown {} '{}'; the nearest is '{}'", what, word, near);
  return fmt::format("unknown {} '{}'; known are {}", what, word, fmt::join(known, ", "));
}

Fields::Fields(const Value& map, std::string what, KeyList known, const Position& at)
    : map_(map), what_(std::move(what)), at_(at) {
  if (!map.is_map()) fail(map.at, fmt::format("{}: a map of keys is expected, not {}", what_, map.describe()));
  for (const Key& key : map.keys) {
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    fail(key.at, fmt::format("{}: {}", what_, unknown("key", key.text, {known.begin(), known.end()})));
  }
}

const Value& Fields::need(std::string_view key, std::string_view example) const {
  const Value* value = find(key);
  if (value == nullptr) fail(at_, fmt::format("{} needs '{}', such as {}: {}", what_, key, key, example));
  return *value;
}

void Fields::refuse(std::string_view key, const std::string& why) const {
  for (const Key& k : map_.keys) {
    if (k.text == key) fail(k.at, fmt::format("{}: {}", what_, why));
  }
  fail(at_, fmt::format("{}: {}", what_, why));
}

double Fields::number(std::string_view key, const Quantity& quantity, double otherwise) const {
  return number(key, quantity).value_or(otherwise);
}

std::optional<double> Fields::number(std::string_view key, const Quantity& quantity) const {
  const Value* value = find(key);
  return value == nullptr ? std::nullopt : std::optional(read_number(*value, key, quantity));
}

bool Fields::flag(std::string_view key, bool otherwise) const {
  const Value* value = find(key);
  return value == nullptr ? otherwise : read_flag(*value, key);
}

std::string Fields::text(std::string_view key, const std::string& otherwise) const {
  const Value* value = find(key);
  return value == nullptr ? otherwise : read_text(*value, key);
}

double read_number(const Value& value, std::string_view what, const Quantity& quantity) {
  if (!value.is_scalar()) {
    fail(value.at, fmt::format("{}: {} is expected, such as '{}', not {}", what, quantity.name, quantity.example,
                               value.describe()));
  }
  try {
    return parse_quantity(value.text, quantity);
  } catch (const std::invalid_argument& error) {
    fail(value.at, fmt::format("{}: {}", what, error.what()));
  }
}

bool read_flag(const Value& value, std::string_view what) {
  std::string word = value.is_scalar() ? value.text : "";
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (word == "yes" || word == "true") return true;
  if (word == "no" || word == "false") return false;
  fail(value.at, fmt::format("{}: yes or no is expected, not {}", what, value.describe()));
}

long long read_count(const Value& value, std::string_view what, long long least) {
  long long count = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, count);
  if (!value.is_scalar() || value.text.empty() || error != std::errc{} || stop != end || count < least) {
    fail(value.at, fmt::format("{}: a whole number from {} up is expected, not {}", what, least, value.describe()));
  }
  return count;
}

std::string read_text(const Value& value, std::string_view what) {
  if (!value.is_scalar() || value.text.empty())
    fail(value.at, fmt::format("{}: a word is expected, not {}", what, value.describe()));
  return value.text;
}

const std::vector<Value>& read_list(const Value& value, std::string_view what) {
  if (!value.is_list()) fail(value.at, fmt::format("{}: a list [...] is expected, not {}", what, value.describe()));
  return value.items;
}

const std::vector<Value>& read_list(const Value& value, std::string_view what, std::size_t size) {
  if (!value.is_list() || value.items.size() != size) {
    fail(value.at, fmt::format("{}: a list of {} is expected, not {}", what, size, value.describe()));
  }
  return value.items;
}

Vec3 read_vec3(const Value& value, std::string_view what, const Quantity& quantity) {
  const auto& items = read_list(value, what, 3);
  return {read_number(items[0], what, quantity), read_number(items[1], what, quantity),
          read_number(items[2], what, quantity)};
}

Vec3 read_vec2(const Value& value, std::string_view what, const Quantity& quantity) {
  if (value.is_list() && value.items.size() == 3) {
    const Vec3 v = read_vec3(value, what, quantity);
    if (v.z != 0) fail(value.items[2].at, fmt::format("{}: things of the plane have z = 0; give two numbers", what));
    return v;
  }
  const auto& items = read_list(value, what, 2);
  return {read_number(items[0], what, quantity), read_number(items[1], what, quantity), 0};
}

namespace {

Quat from_axis_angle(const Fields& fields) {
  const Value& axis = fields.need("axis", "[0, 0, 1]");
  const Vec3 a = read_vec3(axis, "axis", quantity::kNumber);
  const double angle = read_number(fields.need("angle", "90 deg"), "angle", quantity::kAngle);
  if (!(norm(a) > 0)) fail(axis.at, "axis: (0, 0, 0) has no direction; give a vector that is not zero");
  const Vec3 v = portable::sin(angle / 2) * normalized(a);
  return {portable::cos(angle / 2), v.x, v.y, v.z};
}

// Roll about x, then pitch about y, then yaw about z, all fixed axes: R = Rz Ry Rx, as in URDF.
Quat from_rpy(const Vec3& rpy) {
  const Quat x{portable::cos(rpy.x / 2), portable::sin(rpy.x / 2), 0, 0};
  const Quat y{portable::cos(rpy.y / 2), 0, portable::sin(rpy.y / 2), 0};
  const Quat z{portable::cos(rpy.z / 2), 0, 0, portable::sin(rpy.z / 2)};
  return z * y * x;
}

Quat from_rows(const Value& value) {
  const auto& rows = read_list(value, "matrix", 3);
  const Mat3 R{read_vec3(rows[0], "matrix", quantity::kNumber), read_vec3(rows[1], "matrix", quantity::kNumber),
               read_vec3(rows[2], "matrix", quantity::kNumber)};
  const Mat3 error = R * transpose(R) - Mat3::identity();
  const double off = std::max({norm(error.r0), norm(error.r1), norm(error.r2)});
  if (!(off < 1e-6) || determinant(R) < 0) {
    fail(value.at, "matrix: its rows must be perpendicular unit vectors of a right-handed frame");
  }
  return from_matrix(R);
}

}  // namespace

Quat read_rotation(const Value& value, std::string_view what) {
  if (value.is_list()) {
    if (value.items.size() != 4) {
      fail(value.at,
           fmt::format(
               "{}: a quaternion has four numbers w, x, y, z, not {}; or give {{axis, angle}}, {{rpy}} or {{matrix}}",
               what, value.items.size()));
    }
    const auto q = [&](std::size_t i) { return read_number(value.items[i], what, quantity::kNumber); };
    const Quat out{q(0), q(1), q(2), q(3)};
    if (!(norm(out) > 1e-12))
      fail(value.at, fmt::format("{}: the zero quaternion is no rotation; none is [1, 0, 0, 0]", what));
    return out;
  }
  const Fields fields(value, std::string(what), {"axis", "angle", "rpy", "matrix"});
  if (fields.has("rpy") + fields.has("matrix") + (fields.has("axis") || fields.has("angle")) != 1) {
    fail(value.at, fmt::format("{}: give one of [w, x, y, z], {{axis, angle}}, {{rpy}} or {{matrix}}", what));
  }
  if (const Value* rpy = fields.find("rpy")) return from_rpy(read_vec3(*rpy, "rpy", quantity::kAngle));
  if (const Value* matrix = fields.find("matrix")) return from_rows(*matrix);
  return from_axis_angle(fields);
}

}  // namespace catena
