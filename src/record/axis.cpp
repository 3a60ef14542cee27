#include "catena/record/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kSlack = 1e-9;  // of a tick's distance: a tick that rounding pushed out of the range still belongs

// The round number nearest above `width / count`.
double round_step(double width, int count) {
  const double rough = width / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double multiple : {1.0, 2.0, 5.0})
    if (rough <= multiple * power * (1 + kSlack)) return multiple * power;
  return 10 * power;
}

int decimals_for(double step) { return std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kSlack))); }

std::string number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (text.front() == '-') text = zero ? text.substr(1) : "\u2212" + text.substr(1);
  return text;
}

}  // namespace

bool Axis::shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

double Axis::place(double value) const {
  return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

Axis linear_axis(double low, double high, int count) {
  if (!(low <= high)) low = 0, high = 1;
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-12 * size || high == low) {
    const double half = size > 0 ? 0.5 * size : 1;
    low -= half, high += half;
  }
  Axis axis{.low = low, .high = high};
  const double step = round_step(high - low, count);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::max(std::abs(low), std::abs(high)) * (1 + kSlack))));
  if (magnitude < -2 || magnitude > 4) axis.exponent = magnitude;
  const double unit = std::pow(10.0, axis.exponent);
  const int decimals = std::min(decimals_for(step / unit), 12);
  const auto first = static_cast<long long>(std::ceil(low / step - kSlack));
  const auto last = static_cast<long long>(std::floor(high / step + kSlack));
  for (long long i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    axis.ticks.push_back({value, number(value / unit, decimals), {}});
  }
  return axis;
}

Axis logarithmic_axis(double low, double high, int count) {
  if (!(low > 0 && low <= high)) low = 0.1, high = 1;
  Axis axis{.low = low, .high = high, .logarithmic = true};
  int from = static_cast<int>(std::floor(std::log10(low) + kSlack));
  int until = static_cast<int>(std::ceil(std::log10(high) - kSlack));
  if (until == from) --from, ++until;
  const bool narrow = until - from <= 2;
  if (!narrow || high == low) axis.low = std::pow(10.0, from), axis.high = std::pow(10.0, until);

  const int stride = std::max(1, (until - from + count - 1) / count);
  for (int power = from; power <= until; ++power) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, power);
      if (value < axis.low * (1 - kSlack) || value > axis.high * (1 + kSlack)) continue;
      const bool decade = digit == 1 && (power - from) % stride == 0;
      const bool between = narrow && (digit == 2 || digit == 5);
      if (decade) axis.ticks.push_back({value, "10", power < 0 ? fmt::format("\u2212{}", -power) : fmt::format("{}", power)});
      else if (between) axis.ticks.push_back({value, fmt::format("{}", digit), {}});
      else if (until - from <= 6 || digit == 1) axis.ticks.push_back({value, {}, {}});
    }
  }
  return axis;
}

}  // namespace catena
