#include "catena/model/spring_curve.h"

#include <algorithm>
#include <cmath>

namespace catena {

double SpringCurve::tension(double x) const {
  if (!stretches.empty()) return line(segment(x), x);
  double sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = (sum + polynomial[k]) * x;
  return sum;
}

double SpringCurve::slope(double x) const {
  if (!stretches.empty()) {
    const std::size_t i = segment(x);
    return (tensions[i + 1] - tensions[i]) / (stretches[i + 1] - stretches[i]);
  }
  double sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = sum * x + static_cast<double>(k + 1) * polynomial[k];
  return sum;
}

double SpringCurve::energy(double x) const {
  if (!stretches.empty()) return area_from_first(x) - area_from_first(0);
  double sum = 0;
  for (std::size_t k = polynomial.size(); k-- > 0;) sum = (sum + polynomial[k] / static_cast<double>(k + 2)) * x;
  return sum * x;
}

// The segment between points i and i + 1 that x lies in, or the first or last.
std::size_t SpringCurve::segment(double x) const {
  const auto next = std::upper_bound(stretches.begin() + 1, stretches.end() - 1, x);
  return static_cast<std::size_t>(next - stretches.begin()) - 1;
}

double SpringCurve::line(std::size_t i, double x) const {
  return tensions[i] + (x - stretches[i]) * (tensions[i + 1] - tensions[i]) / (stretches[i + 1] - stretches[i]);
}

// ∫ tension from the first point to x.
double SpringCurve::area_from_first(double x) const {
  const std::size_t last = segment(x);
  double area = 0;
  for (std::size_t i = 0; i < last; ++i)
    area += 0.5 * (tensions[i] + tensions[i + 1]) * (stretches[i + 1] - stretches[i]);
  return area + 0.5 * (tensions[last] + line(last, x)) * (x - stretches[last]);
}

}  // namespace catena
