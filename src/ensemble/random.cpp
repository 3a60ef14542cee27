#include "catena/ensemble/random.h"

#include <cmath>
#include <limits>

#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kInverseRoot2Pi = 0.39894228040143267794;

// The density of the normal distribution.
double density(double x) { return kInverseRoot2Pi * portable::exp(-0.5 * x * x); }

// 1 - Φ(x) for x >= 0. Below 1.5 the series Φ(x) - 1/2 = φ(x) (x + x³/3 + x⁵/15 + …), above it the continued fraction
// φ(x) / (x + 1/(x + 2/(x + 3/…))) (Abramowitz, Stegun 26.2.11 and 26.2.14).
double upper_tail(double x) {
  if (x < 1.5) {
    double term = x, sum = x;
    for (int k = 3; k < 200 && term > 1e-18 * sum; k += 2) sum += term *= x * x / k;
    return 0.5 - density(x) * sum;
  }
  double fraction = x;
  for (int k = 120; k > 0; --k) fraction = x + k / fraction;
  return density(x) / fraction;
}

}  // namespace

PhiloxCounter philox(PhiloxCounter c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kMultiply0 * c[0], b = kMultiply1 * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

double uniform_at(const RandomPlace& place) {
  const PhiloxCounter c =
      philox({static_cast<std::uint32_t>(place.member), static_cast<std::uint32_t>(place.member >> 32), place.parameter,
              place.purpose},
             {static_cast<std::uint32_t>(place.seed), static_cast<std::uint32_t>(place.seed >> 32)});
  const std::uint64_t bits = (static_cast<std::uint64_t>(c[0]) << 20) | (c[1] >> 12);
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed, std::uint32_t parameter,
                       std::uint32_t group) {
  int half = 1;  // bits of each half
  while (half < 32 && (std::uint64_t{1} << (2 * half)) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      // The lowest bit of a purpose that is no draw of a value is 1, as is its highest.
      const PhiloxCounter c = philox({static_cast<std::uint32_t>(right), group, parameter, 0x80000001U + 2 * round},
                                     {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
      const std::uint64_t next = left ^ (c[0] & mask);
      left = right;
      right = next;
    }
    index = (left << half) | right;
  } while (index >= count);
  return index;
}

// Newton from 0: the tail is convex there, so every iterate lies below the root and the next one is nearer.
double normal_quantile(double p) {
  const double tail = p < 0.5 ? p : 1 - p;
  double x = 0;
  for (int k = 0; k < 100; ++k) {
    const double step = (upper_tail(x) - tail) / density(x);
    x += step;
    if (!(std::abs(step) > 1e-16 * (1 + x))) break;
  }
  return p < 0.5 ? -x : x;
}

}  // namespace catena
