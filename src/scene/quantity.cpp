#include "catena/scene/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "catena/math/elementary.h"
#include "catena/model/model.h"

namespace catena {
namespace {

using std::numbers::pi;

struct Unit {
  const char* name;
  double factor;
  Dimension dimension;
};

constexpr Dimension kForceDim{1, 1, -2, 0}, kTorqueDim{2, 1, -2, 0}, kLengthDim{1, 0, 0, 0}, kMassDim{0, 1, 0, 0};
constexpr Dimension kTimeDim{0, 0, 1, 0}, kAngleDim{0, 0, 0, 1}, kRateDim{0, 0, -1, 0}, kPressureDim{-1, 1, -2, 0};

constexpr Unit kUnits[] = {
    {"m", 1, kLengthDim},
    {"mm", 1e-3, kLengthDim},
    {"cm", 1e-2, kLengthDim},
    {"dm", 1e-1, kLengthDim},
    {"km", 1e3, kLengthDim},
    {"um", 1e-6, kLengthDim},
    {"nm", 1e-9, kLengthDim},
    {"in", 0.0254, kLengthDim},
    {"ft", 0.3048, kLengthDim},
    {"kg", 1, kMassDim},
    {"g", 1e-3, kMassDim},
    {"mg", 1e-6, kMassDim},
    {"t", 1e3, kMassDim},
    {"s", 1, kTimeDim},
    {"ms", 1e-3, kTimeDim},
    {"us", 1e-6, kTimeDim},
    {"min", 60, kTimeDim},
    {"h", 3600, kTimeDim},
    {"rad", 1, kAngleDim},
    {"mrad", 1e-3, kAngleDim},
    {"deg", pi / 180, kAngleDim},
    {"turn", 2 * pi, kAngleDim},
    {"rev", 2 * pi, kAngleDim},
    {"N", 1, kForceDim},
    {"mN", 1e-3, kForceDim},
    {"kN", 1e3, kForceDim},
    {"MN", 1e6, kForceDim},
    {"Nm", 1, kTorqueDim},
    {"mNm", 1e-3, kTorqueDim},
    {"kNm", 1e3, kTorqueDim},
    {"J", 1, kTorqueDim},
    {"kJ", 1e3, kTorqueDim},
    {"Hz", 1, kRateDim},
    {"kHz", 1e3, kRateDim},
    {"rpm", pi / 30, {0, 0, -1, 1}},
    {"Pa", 1, kPressureDim},
    {"kPa", 1e3, kPressureDim},
    {"MPa", 1e6, kPressureDim},
    {"GPa", 1e9, kPressureDim},
    {"1", 1, {}},
};

constexpr const Quantity* kQuantities[] = {
    &quantity::kNumber,  &quantity::kLength,       &quantity::kAngle,   &quantity::kMass,      &quantity::kTime,
    &quantity::kSpeed,   &quantity::kTurnRate,     &quantity::kForce,   &quantity::kTorque,    &quantity::kDensity,
    &quantity::kInertia, &quantity::kAcceleration, &quantity::kDamping, &quantity::kStiffness, &quantity::kFrequency};

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

[[noreturn]] void wrong(const std::string& what) { throw std::invalid_argument(what); }

const Unit& find_unit(std::string_view name, std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (name == unit.name) return unit;
  }
  std::vector<std::string> known;
  for (const Unit& unit : kUnits) known.emplace_back(unit.name);
  const std::string near = nearest(name, known);
  wrong(fmt::format("'{}' has the unknown unit '{}'; {}", text, name,
                    near.empty()
                        ? "known are m mm cm km kg g s ms min rad deg N Nm Hz rpm, their products and quotients"
                        : "the nearest is '" + near + "'"));
}

struct Measure {
  double factor = 1;
  Dimension dimension;
};

// Factors such as "mm", "s2" or "s^2", joined by spaces, '*' or '/'; a '/' divides by the one factor after it.
Measure parse_unit(std::string_view unit, std::string_view text) {
  Measure out;
  int sign = 1;
  while (!(unit = trim(unit)).empty()) {
    if (unit.front() == '/' || unit.front() == '*') {
      sign = unit.front() == '/' ? -1 : 1;
      unit.remove_prefix(1);
      continue;
    }
    std::size_t end = unit.find_first_of(" \t*/");
    std::string_view word = unit.substr(0, end);
    unit.remove_prefix(word.size());
    int power = 1;
    if (const std::size_t digit = word.find_first_of("^0123456789"); digit != 0 && digit != std::string_view::npos) {
      const std::string_view exponent = word.substr(digit + (word[digit] == '^' ? 1 : 0));
      const auto [stop, error] = std::from_chars(exponent.begin(), exponent.end(), power);
      if (error != std::errc{} || stop != exponent.end() || power < 1 || power > 9) {
        wrong(fmt::format("'{}' has a unit with the exponent '{}'; write one such as m2 or m^2", text, exponent));
      }
      word = word.substr(0, digit);
    }
    const Unit& found = find_unit(word, text);
    const int p = sign * power;
    out.factor *= p == 1 ? found.factor : p == -1 ? 1 / found.factor : portable::pow(found.factor, p);
    out.dimension.m += p * found.dimension.m;
    out.dimension.kg += p * found.dimension.kg;
    out.dimension.s += p * found.dimension.s;
    out.dimension.rad += p * found.dimension.rad;
    sign = 1;
  }
  return out;
}

// Radians matter where nothing else would tell an angle from a number, or where they are asked for (a pitch): "Nm/rad" and "Nm"
// are both torsional stiffnesses.
bool fits(Dimension given, const Dimension& due) {
  if (due.rad == 0 && (due.m != 0 || due.kg != 0)) given.rad = 0;
  return given == due;
}

// The number in front, and the unit behind it.
std::pair<double, std::string_view> split(std::string_view text, const Quantity& expected) {
  std::string_view rest = trim(text);
  if (rest.starts_with('+')) rest.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error == std::errc::result_out_of_range || (error == std::errc{} && !std::isfinite(number)) || rest == ".nan" ||
      rest == ".inf" || rest == "-.inf" || rest == ".NaN" || rest == ".Inf" || rest == "-.Inf") {
    wrong(fmt::format("'{}' is not finite; {} is expected, such as '{}'", text, expected.name, expected.example));
  }
  if (error != std::errc{})
    wrong(fmt::format("'{}' is not a number; {} is expected, such as '{}'", text, expected.name, expected.example));
  return {number, trim(rest.substr(static_cast<std::size_t>(end - rest.data())))};
}

}  // namespace

double parse_quantity_of_any_kind(std::string_view text) {
  const auto [number, unit] = split(text, {{}, "a number, with a unit or without", "5 mm"});
  return unit.empty() ? number : number * parse_unit(unit, text).factor;
}

double parse_quantity(std::string_view text, const Quantity& expected) {
  const auto [number, unit] = split(text, expected);
  if (unit.empty()) return number;
  const Measure measure = parse_unit(unit, text);
  if (!fits(measure.dimension, expected.dimension)) {
    std::string given = "something else";
    for (const Quantity* known : kQuantities) {
      if (known->dimension == measure.dimension) given = known->name;
    }
    wrong(fmt::format("'{}' is {}; {} is expected, such as '{}'", text, given, expected.name, expected.example));
  }
  return number * measure.factor;
}

}  // namespace catena
