#include "catena/model/motion.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

double slope(const Table& t, std::size_t k) { return (t.values[k + 1] - t.values[k]) / (t.times[k + 1] - t.times[k]); }

// The second derivatives m of the cubic spline with rate 0 at both ends, from continuous rates at the points between:
//   h_{k−1} m_{k−1} + 2 (h_{k−1} + h_k) m_k + h_k m_{k+1} = 6 (s_k − s_{k−1}),    s_{−1} = s_n = 0,    h_{−1} = h_n = 0
// with h_k the length and s_k the slope of piece k. Tridiagonal and diagonally dominant: eliminated without pivoting, O(n).
std::vector<double> clamped_moments(const Table& t) {
  const std::size_t n = t.times.size();
  std::vector<double> m(n, 0.0), upper(n, 0.0);
  if (n < 2 || t.values.size() != n) return m;  // validate() says what is wrong with it
  for (std::size_t k = 0; k < n; ++k) {
    const double before = k > 0 ? t.times[k] - t.times[k - 1] : 0, after = k + 1 < n ? t.times[k + 1] - t.times[k] : 0;
    const double bend = (k + 1 < n ? slope(t, k) : 0) - (k > 0 ? slope(t, k - 1) : 0);
    const double pivot = 2 * (before + after) - (k > 0 ? before * upper[k - 1] : 0);
    upper[k] = after / pivot;
    m[k] = (6 * bend - (k > 0 ? before * m[k - 1] : 0)) / pivot;
  }
  for (std::size_t k = n - 1; k-- > 0;) m[k] -= upper[k] * m[k + 1];
  return m;
}

}  // namespace

// One piece of the spline in Hermite's form: from x0 to x1 over h, second derivatives m0 and m1, at a fraction s of it.
struct Motion::Piece {
  double x0, x1, h, m0, m1, s;
};

Motion::Motion(Signal signal) : signal_(std::move(signal)) {
  if (const auto* table = std::get_if<Table>(&signal_)) moments_ = clamped_moments(*table);
}

Motion::Piece Motion::piece(const Table& t, double time) const {
  if (t.times.empty()) return {0, 0, 1, 0, 0, 0};
  if (t.times.size() == 1 || time < t.times.front()) return {t.values.front(), t.values.front(), 1, 0, 0, 0};
  if (time >= t.times.back()) return {t.values.back(), t.values.back(), 1, 0, 0, 0};
  const auto after = std::upper_bound(t.times.begin(), t.times.end(), time);
  const auto k = static_cast<std::size_t>(after - t.times.begin()) - 1;
  const double h = t.times[k + 1] - t.times[k];
  return {t.values[k], t.values[k + 1], h, moments_[k], moments_[k + 1], (time - t.times[k]) / h};
}

double Motion::value(double time) const {
  const auto* table = std::get_if<Table>(&signal_);
  if (table == nullptr) return catena::value(signal_, time);
  const auto [x0, x1, h, m0, m1, s] = piece(*table, time);
  const double r = 1 - s;
  return r * x0 + s * x1 + h * h / 6 * ((r * r * r - r) * m0 + (s * s * s - s) * m1);
}

double Motion::rate(double time) const {
  const auto* table = std::get_if<Table>(&signal_);
  if (table == nullptr) return derivative(signal_, time);
  const auto [x0, x1, h, m0, m1, s] = piece(*table, time);
  const double r = 1 - s;
  return (x1 - x0) / h + h / 6 * ((1 - 3 * r * r) * m0 + (3 * s * s - 1) * m1);
}

double Motion::acceleration(double time) const {
  if (const auto* table = std::get_if<Table>(&signal_)) {
    const auto [x0, x1, h, m0, m1, s] = piece(*table, time);
    return (1 - s) * m0 + s * m1;
  }
  if (const auto* sine = std::get_if<Sine>(&signal_)) {
    const double rate = kTurn * sine->frequency;
    return -rate * rate * sine->amplitude * portable::sin(rate * time + sine->phase);
  }
  return 0;
}

}  // namespace catena
