#include "catena/record/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kSlack = 1e-9;  // of a tick's distance: a tick that rounding pushed out of the range still belongs
// Ends of an axis: beyond these, differences overflow and ticks are no longer numbers of their own. What lies outside is off the chart.
constexpr double kLargest = 1e300, kSmallest = 1e-300;

// The round number nearest to `width / count`, by ratio.
double round_step(double width, int count) {
  const double rough = width / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  return power * (ratio < std::sqrt(2.0) ? 1 : ratio < std::sqrt(10.0) ? 2 : ratio < std::sqrt(50.0) ? 5 : 10);
}

int decimals_for(double step) { return std::max(0, static_cast<int>(std::ceil(-std::log10(step) - kSlack))); }

std::string number(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  if (text.front() == '-') text = zero ? text.substr(1) : "\u2212" + text.substr(1);
  return text;
}

std::string exponent_label(int power) { return power < 0 ? fmt::format("\u2212{}", -power) : fmt::format("{}", power); }

// digit · 10^power, written out where that is short.
Tick decimal_tick(int digit, int power) {
  const double value = digit * std::pow(10.0, power);
  if (power >= -3 && power <= 4) return {value, number(value, std::max(0, -power)), {}};
  return {value, digit == 1 ? "10" : fmt::format("{} × 10", digit), exponent_label(power)};
}

// The nearest 1, 2 or 5 times a power of ten at or beyond `value`, downwards or upwards.
double round_bound(double value, bool up) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + kSlack));
  const auto steps = {1.0, 2.0, 5.0, 10.0};
  if (up)
    return power *
         *std::find_if(steps.begin(), steps.end(), [&](double m) { return value <= m * power * (1 + kSlack); });
  double bound = power;
  for (const double m : steps)
    if (m * power <= value * (1 + kSlack)) bound = m * power;
  return bound;
}

}  // namespace

bool Axis::shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

double Axis::place(double value) const {
  return logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low))
                     : (value - low) / (high - low);
}

Axis linear_axis(double low, double high, int count) {
  if (!(low <= high)) low = 0, high = 1;
  low = std::clamp(low, -kLargest, kLargest), high = std::clamp(high, -kLargest, kLargest);
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= 1e-12 * size || high - low < kSmallest) {
    const double half = size > kSmallest ? 0.5 * size : 1;
    low -= half, high += half;
  }
  Axis axis{.low = low, .high = high};
  double step = round_step(high - low, count);
  const auto ticks_within = [&] { return std::floor(high / step + kSlack) - std::ceil(low / step - kSlack) + 1; };
  // One number is no scale.
  for (int more = 2; ticks_within() < 2 && more <= 8; more *= 2) step = round_step(high - low, more * count);
  const int magnitude =
      static_cast<int>(std::floor(std::log10(std::max(std::abs(low), std::abs(high)) * (1 + kSlack))));
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
  low = std::clamp(low, kSmallest, kLargest), high = std::clamp(high, kSmallest, kLargest);
  if (high <= low * (1 + kSlack)) low /= 2, high *= 2;
  const bool narrow = high / low < 100;
  Axis axis{.low = round_bound(low, false), .high = round_bound(high, true), .logarithmic = true};
  const int from = static_cast<int>(std::floor(std::log10(axis.low) + kSlack));
  const int until = static_cast<int>(std::ceil(std::log10(axis.high) - kSlack));
  if (!narrow) axis.low = std::pow(10.0, from), axis.high = std::pow(10.0, until);

  const int stride = std::max(1, (until - from + count - 1) / count);
  for (int power = from; power <= until; ++power) {
    for (int digit = 1; digit < 10; ++digit) {
      const Tick tick = decimal_tick(digit, power);
      if (tick.value < axis.low * (1 - kSlack) || tick.value > axis.high * (1 + kSlack)) continue;
      const bool decade = digit == 1 && (power - from) % stride == 0;
      const bool between = narrow && (digit == 2 || digit == 5);
      if (between || (decade && narrow)) axis.ticks.push_back(tick);
      else if (decade) axis.ticks.push_back({tick.value, "10", exponent_label(power)});
      else if (until - from <= 6 || digit == 1) axis.ticks.push_back({tick.value, {}, {}});
    }
  }
  return axis;
}

}  // namespace catena
