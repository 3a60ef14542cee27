// Sine, cosine, arctangent, exponential and logarithm with the same bits on every processor.
//
// The C library chooses its own by processor (with or without FMA), and their last digits differ. These use additions, multiplications, divisions,
// square roots and, for angles beyond 8e5 rad, std::fma, all of which IEEE 754 rounds in one way only (docs/develop/determinism.md).
// Accurate to about one unit in the last place; angles beyond 2^50 rad, whose last digit is a fraction of a turn, are given to the C library.
//
// Each reduces its argument to a short interval and sums the Taylor series there, as far as double precision sees it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace catena::portable {

template <class Real>
struct SinCos {
  Real sin, cos;
};

namespace detail {

// x = quarters π/2 + r + tail, |r| ≤ π/4.
template <class Real>
struct Remainder {
  Real r, tail;
};
struct ReducedAngle {
  Remainder<double> left;
  std::int64_t quarters;
};

constexpr double kQuartersPerRadian = 0x1.45f306dc9c883p-1;  // 2/π
constexpr double kFewQuarters = 0x1p19;                      // multiples up to this of numbers with 33 bits are exact

constexpr double kRound = 0x1.8p52;  // added and subtracted it rounds to the nearest integer

// x − k π/2 for |k| ≤ kFewQuarters.
template <class Real>
Remainder<Real> without_quarters(const Real& x, const Real& k) {
  constexpr double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34,
                   low = 0x1.3198a2e037073p-69;  // π/2 by 33 + 33 + 53 bits
  const Real first = x - k * high, take = k * middle, second = first - take;
  const Real rest = k * low - ((first - second) - take);
  const Real r = second - rest;
  return {r, (second - r) - rest};
}

inline ReducedAngle reduced(double x) {
  const double k = (x * kQuartersPerRadian + kRound) - kRound;
  if (std::abs(k) <= kFewQuarters) return {without_quarters(x, k), static_cast<std::int64_t>(k)};
  constexpr double high = 0x1.921fb54442d18p+0, middle = 0x1.1a62633145c07p-54,
                   low = -0x1.f1976b7ed8fbcp-110;  // 53 + 53 + 53 bits
  const double product = k * high, below = std::fma(k, high, -product), first = (x - product) - below;
  const double take = k * middle, under = std::fma(k, middle, -take), second = first - take;
  const double rest = k * low + under - (((x - product) - first) - below) - ((first - second) - take);
  const double r = second - rest;
  return {{r, (second - r) - rest}, static_cast<std::int64_t>(k)};
}

// sin(r + tail) and cos(r + tail), |r| ≤ π/4: the series to r^17 and r^16.
template <class Real>
SinCos<Real> sin_cos_near_zero(const Remainder<Real>& angle) {
  const Real &r = angle.r, &tail = angle.tail;
  const Real z = r * r;
  const Real s =
      -1.0 / 6 +
      z * (1.0 / 120 +
           z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                       z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 +
                                                                                    z * (1.0 / 355687428096000)))))));
  const Real c =
      1.0 / 24 +
      z * (-1.0 / 720 +
           z * (1.0 / 40320 +
                z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 + z * (1.0 / 20922789888000))))));
  const Real half = 0.5 * z, high = 1 - half;
  return {r + (r * z * s + tail * high), high + (((1 - high) - half) + (z * z * c - r * tail))};
}

// The series of arctan, |t| ≤ 1/16, to t^13.
inline double atan_near_zero(double t) {
  const double z = t * t;
  return t + t * z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13))))));
}

// arctan(z) for 0 ≤ z ≤ 1: arctan(c) + arctan((z − c)/(1 + c z)) with c the nearest eighth.
inline double atan_to_one(double z) {
  struct Angle {
    double high, low;
  };
  constexpr std::array<Angle, 9> kEighths{{{0, 0},
                                           {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                           {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                           {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                           {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                           {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                           {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                           {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                           {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};
  const int k = static_cast<int>(8 * z + 0.5);  // NOLINT(bugprone-incorrect-roundings): any of two neighbours will do
  const double c = 0.125 * k;
  const Angle& known = kEighths[static_cast<std::size_t>(k)];
  return known.high + (known.low + atan_near_zero((z - c) / (1 + c * z)));
}

constexpr double kLn2High = 0x1.62e42fefa38p-1;   // ln 2 to 40 bits: multiples up to 2^12 are exact
constexpr double kLn2Low = 0x1.ef35793c7673p-45;  // what is left of it

// e^r − 1 = r + r²/2 + …, |r| ≤ ln 2 / 2.
inline double expm1_near_zero(double r) {
  double sum = 1;
  for (int i = 15; i >= 3; --i) sum = 1 + sum * r / i;
  return r + 0.5 * r * r * sum;
}

}  // namespace detail

inline SinCos<double> sin_cos(double x) {
  if (!(std::abs(x) < 0x1p50)) return {std::sin(x), std::cos(x)};
  const detail::ReducedAngle a = detail::reduced(x);
  const SinCos<double> f = detail::sin_cos_near_zero(a.left);
  switch (a.quarters & 3) {
    case 0: return f;
    case 1: return {f.cos, -f.sin};
    case 2: return {-f.sin, -f.cos};
    default: return {-f.cos, f.sin};
  }
}

inline double sin(double x) { return sin_cos(x).sin; }
inline double cos(double x) { return sin_cos(x).cos; }
inline double tan(double x) {
  const SinCos<double> f = sin_cos(x);
  return f.sin / f.cos;
}

// The angle of the point (x, y), as std::atan2.
inline double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  const double across = std::abs(y), along = std::abs(x), larger = std::max(across, along),
               smaller = std::min(across, along);
  const double ratio = larger == 0 ? 0 : larger == smaller ? 1 : smaller / larger;
  double angle = detail::atan_to_one(ratio);
  constexpr double kLow = 0x1.1a62633145c07p-54;  // of π/2 below its double
  if (across > along) angle = std::numbers::pi / 2 - (angle - kLow);
  if (std::signbit(x)) angle = std::numbers::pi - (angle - 2 * kLow);
  return std::copysign(angle, y);
}

inline double atan(double x) { return atan2(x, 1); }
inline double asin(double x) { return atan2(x, std::sqrt((1 - x) * (1 + x))); }
inline double acos(double x) { return atan2(std::sqrt((1 - x) * (1 + x)), x); }

// In single precision.
inline SinCos<float> sin_cos(float x) {
  const SinCos<double> f = sin_cos(static_cast<double>(x));
  return {static_cast<float>(f.sin), static_cast<float>(f.cos)};
}
inline float atan2(float y, float x) {
  return static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x)));
}

// 2^k e^r, |r| ≤ ln 2 / 2.
inline double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  const double k = std::floor(x / (detail::kLn2High + detail::kLn2Low) + 0.5);
  const double r = (x - k * detail::kLn2High) - k * detail::kLn2Low;
  return std::ldexp(1 + detail::expm1_near_zero(r), static_cast<int>(k));
}

// e^x − 1 without cancellation.
inline double expm1(double x) { return std::abs(x) < 0.34 ? detail::expm1_near_zero(x) : exp(x) - 1; }

// ln(m 2^e) = e ln 2 + 2 (s + s³/3 + s⁵/5 + …), s = (m - 1)/(m + 1), with m between √½ and √2.
inline double log(double x) {
  if (!(x > 0) || std::isinf(x)) return std::log(x);
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --e;
  }
  const double f = m - 1, s = f / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 25; k >= 3; k -= 2) sum = (sum + 2.0 / k) * s2;
  // 2 s = f − s f, so the sum is f − s (f − …), whose first term is exact.
  return e * detail::kLn2High + (f - (s * (f - sum) - e * detail::kLn2Low));
}

// Whole powers by products, the square root as such, others as e^(y ln x).
inline double pow(double x, double y) {
  if (y == 0.5 && x >= 0) return std::sqrt(x);
  if (std::abs(y) <= 1024 && y == std::floor(y)) {
    double product = 1, square = x;
    for (int n = static_cast<int>(std::abs(y)); n > 0; n >>= 1, square *= square)
      if (n & 1) product *= square;
    return y < 0 ? 1 / product : product;
  }
  if (!(x > 0)) return std::pow(x, y);
  return exp(y * log(x));
}

}  // namespace catena::portable
