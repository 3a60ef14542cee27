// A chart's axis: a range of numbers, where its round values lie, and how they are written.
#pragma once

#include <string>
#include <vector>

namespace catena {

struct Tick {
  double value;
  std::string label;     // empty: a mark without a number
  std::string exponent;  // of the ten that ends the label; empty: none
};

struct Axis {
  double low = 0, high = 1;  // in values; low < high, and both positive when logarithmic
  bool logarithmic = false;
  int exponent = 0;           // labels are in units of 10^exponent
  std::vector<Tick> ticks{};  // ascending, within the range

  bool shows(double value) const;    // finite, and positive on a logarithmic axis
  double place(double value) const;  // 0 at low, 1 at high
};

// An axis that covers [low, high], with about `count` numbered ticks at 1, 2 or 5 times a power of ten. A range that is empty or
// a single value is widened.
Axis linear_axis(double low, double high, int count);

// The same with ticks at powers of ten, and at 2 and 5 times them where that is less than two decades. Rounds the range outwards.
Axis logarithmic_axis(double low, double high, int count);

}  // namespace catena
