#include "catena/model/muscle.h"

#include <algorithm>

namespace catena {
namespace {

constexpr double kLeast = 1e-15;  // in the place of numbers that must not be zero

double at_least(double x) { return x > kLeast ? x : kLeast; }

// A number and its derivative.
struct Value {
  double y = 0, slope = 0;
};

// Half the square of how far L is from `zero`, in units that make it ½ at `half`.
Value parabola(double L, double zero, double half) {
  const double width = half < zero ? -at_least(zero - half) : at_least(half - zero), x = (L - zero) / width;
  return {0.5 * x * x, x / width};
}

// Parabolas that meet, with their slopes, halfway between where the force ends and where it is largest.
Value active_by_length(const Muscle& m, double L) {
  if (L < m.shortest || L > m.longest) return {};
  const double low = 0.5 * (m.shortest + 1), high = 0.5 * (1 + m.longest);
  if (L <= low) return parabola(L, m.shortest, low);
  if (L >= high) return parabola(L, m.longest, high);
  const Value below = parabola(L, 1, L <= 1 ? low : high);
  return {1 - below.y, -below.slope};
}

Value active_by_rate(const Muscle& m, double V) {
  const double y = m.lengthening - 1;
  if (V <= -1) return {};
  if (V <= 0) return {(V + 1) * (V + 1), 2 * (V + 1)};
  if (V > y) return {m.lengthening, 0};
  return {m.lengthening - (y - V) * (y - V) / at_least(y), 2 * (y - V) / at_least(y)};
}

Value passive_by_length(const Muscle& m, double L) {
  const double middle = 0.5 * (1 + m.longest), width = at_least(middle - 1);
  if (L <= 1) return {};
  if (L >= middle) return {m.passive * (0.5 + (L - middle) / width), m.passive / width};
  const Value curve = parabola(L, 1, middle);
  return {m.passive * curve.y, m.passive * curve.slope};
}

}  // namespace

MusclePull pull_of(const Muscle& muscle, double length, double rate) {
  const double optimal =
      at_least((muscle.length_upper - muscle.length_lower) / at_least(muscle.range_upper - muscle.range_lower));
  const double unit_rate = at_least(optimal * muscle.fastest);
  const double L = muscle.range_lower + (length - muscle.length_lower) / optimal;
  const Value FL = active_by_length(muscle, L), FV = active_by_rate(muscle, rate / unit_rate),
              FP = passive_by_length(muscle, L);
  const double F = -muscle.force;
  return {F * FL.y * FV.y, F * FP.y, F * FL.slope * FV.y / optimal, F * FL.y * FV.slope / unit_rate,
          F * FP.slope / optimal};
}

}  // namespace catena
