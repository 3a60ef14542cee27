#include "catena/model/signal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// The segment [k, k+1] of a table that `time` falls in, for times inside it.
std::size_t segment(const Table& table, double time) {
  const auto after = std::upper_bound(table.times.begin(), table.times.end(), time);
  return static_cast<std::size_t>(after - table.times.begin()) - 1;
}

double slope(const Table& table, std::size_t k) {
  return (table.values[k + 1] - table.values[k]) / (table.times[k + 1] - table.times[k]);
}

struct ValueAt {
  double time;
  double operator()(const Constant& c) const { return c.value; }
  double operator()(const Sine& s) const {
    return s.offset + s.amplitude * portable::sin(kTurn * s.frequency * time + s.phase);
  }
  double operator()(const Table& table) const {
    if (table.times.empty()) return 0;
    if (time <= table.times.front()) return table.values.front();
    if (time >= table.times.back()) return table.values.back();
    const std::size_t k = segment(table, time);
    return table.values[k] + slope(table, k) * (time - table.times[k]);
  }
};

struct DerivativeAt {
  double time;
  double operator()(const Constant&) const { return 0; }
  double operator()(const Sine& s) const {
    const double rate = kTurn * s.frequency;
    return s.amplitude * rate * portable::cos(rate * time + s.phase);
  }
  double operator()(const Table& table) const {
    if (table.times.empty() || time < table.times.front() || time >= table.times.back()) return 0;
    return slope(table, segment(table, time));
  }
};

}  // namespace

double value(const Signal& signal, double time) { return std::visit(ValueAt{time}, signal); }

double derivative(const Signal& signal, double time) { return std::visit(DerivativeAt{time}, signal); }

void append_kinks(const Signal& signal, std::vector<double>& times) {
  if (const auto* table = std::get_if<Table>(&signal)) {
    times.insert(times.end(), table->times.begin(), table->times.end());
  }
}

}  // namespace catena
