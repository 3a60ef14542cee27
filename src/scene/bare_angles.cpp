#include "catena/scene/bare_angles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;  // rad; nobody turns a body by more
constexpr double kLimit = 2 * kTurn;            // a joint may go round more than once, but seldom has a limit there

std::optional<double> bare_number(const Value& value) {
  if (!value.is_scalar()) return std::nullopt;
  double number = 0;
  const char* begin = value.text.data();
  const char* end = begin + value.text.size();
  const auto [rest, error] = std::from_chars(begin + (value.text.starts_with('+') ? 1 : 0), end, number);
  return error == std::errc{} && rest == end ? std::optional(number) : std::nullopt;
}

void judge(const Value& value, std::string_view what, double most, Warnings& warnings) {
  for (const Value& item : value.items) judge(item, what, most, warnings);
  const std::optional<double> angle = bare_number(value);
  // Degrees are written in whole or half ones; other numbers were computed.
  if (!angle || !(std::abs(*angle) > most) || std::abs(*angle) > 1e6 || 2 * *angle != std::round(2 * *angle)) return;
  warnings.push_back(
      fmt::format("{}: {}: {} without a unit is taken for radians ({:.3g} turns); write '{} deg' for degrees",
                  to_string(value.at), what, value.text, std::abs(*angle) / kTurn, value.text));
}

bool turns(const Value& joint) {
  constexpr std::array<std::string_view, 6> kTurning{"hinge", "pin", "universal", "ball", "cylindrical", "screw"};
  const Value* kind = joint.find("kind");
  return kind != nullptr && std::find(kTurning.begin(), kTurning.end(), kind->text) != kTurning.end();
}

void judge_joint(const Value& joint, Warnings& warnings) {
  if (const Value* limits = joint.find("limits"))
    for (const std::string_view side : {"lower", "upper", "cone"})
      if (const Value* value = limits->find(side)) judge(*value, side, kLimit, warnings);
  for (const std::string_view key : {"start", "rest"})
    if (const Value* value = joint.find(key)) judge(*value, key, kLimit, warnings);
}

}  // namespace

void warn_of_bare_angles(const Value& root, Warnings& warnings) {
  if (root.is_map() && turns(root)) judge_joint(root, warnings);
  if (root.is_map() && root.find("axis") != nullptr)
    if (const Value* angle = root.find("angle")) judge(*angle, "angle", kTurn, warnings);
  if (const Value* rpy = root.is_map() ? root.find("rpy") : nullptr) judge(*rpy, "rpy", kTurn, warnings);
  for (const Value& item : root.items)
    if (item.is_map() || item.is_list()) warn_of_bare_angles(item, warnings);
}

}  // namespace catena
