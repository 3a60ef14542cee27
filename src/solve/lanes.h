// Numbers by fours. What is written for a type Real runs on one block's numbers (double) or on four blocks' at once (Quad), with the same
// operations in the same order: a lane has the bits it would have by itself. Where there is no AVX2 four are two pairs.
//
// How vectors are passed depends on the processor compiled for, so functions that take or return them are CATENA_INLINE, and gcc need
// not warn of it. So does their alignment: arrays and structures of Real are alignas(sizeof(Real)).
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "catena/math/dispatch.h"

namespace catena::solve {

inline constexpr int kLanes = 4;

using Quad = double __attribute__((vector_size(32)));
using Pair = double __attribute__((vector_size(16)));
using QuadMask = decltype(Quad{} < Quad{});  // all bits of a lane, or none

// What a comparison gives.
template <class Real>
using MaskOf = decltype(Real{} < Real{});

CATENA_INLINE bool no(bool m) { return !m; }
CATENA_INLINE QuadMask no(QuadMask m) { return ~m; }

// Of four the first two, and the last. gcc makes better code of it than of a shuffle.
CATENA_INLINE Pair low_half(Quad x) {
  Pair half;
  std::memcpy(&half, &x, sizeof half);
  return half;
}
CATENA_INLINE Pair high_half(Quad x) {
  Pair half;
  std::memcpy(&half, reinterpret_cast<const char*>(&x) + sizeof half, sizeof half);
  return half;
}

CATENA_INLINE bool any(bool m) { return m; }
CATENA_INLINE bool any(QuadMask m) { return (m[0] | m[1] | m[2] | m[3]) != 0; }

CATENA_INLINE double select(bool m, double yes, double otherwise) { return m ? yes : otherwise; }
CATENA_INLINE Quad select(QuadMask m, Quad yes, Quad otherwise) { return m ? yes : otherwise; }

template <class Real>
CATENA_INLINE Real in_all_lanes(double x) {
  if constexpr (std::is_same_v<Real, double>) return x;
  else return Quad{x, x, x, x};
}

// As std::max: the first where they are equal.
CATENA_INLINE double larger(double a, double b) { return a < b ? b : a; }
CATENA_INLINE Quad larger(Quad a, Quad b) { return a < b ? b : a; }

CATENA_INLINE double magnitude(double x) { return std::abs(x); }
CATENA_INLINE Quad magnitude(Quad x) {
  constexpr auto kAllButSign = std::numeric_limits<long long>::max();
  return (Quad)((QuadMask)x & QuadMask{kAllButSign, kAllButSign, kAllButSign, kAllButSign});
}

template <class Real>
CATENA_INLINE MaskOf<Real> finite(Real x) {
  return magnitude(x) <= in_all_lanes<Real>(std::numeric_limits<double>::max());
}

CATENA_INLINE double root(double x) { return std::sqrt(x); }
CATENA_INLINE Quad root(Quad x) {
#ifdef __SSE2__
  const Pair low = _mm_sqrt_pd(low_half(x));
  const Pair high = _mm_sqrt_pd(high_half(x));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
  return Quad{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

// Two neighbouring numbers from each of four places: the first ones, the second ones.
CATENA_INLINE void gather_two(const double* const* from, Quad& first, Quad& second) {
  Pair p[kLanes];
  for (int l = 0; l < kLanes; ++l) std::memcpy(&p[l], from[l], sizeof p[l]);
  const Quad even = __builtin_shufflevector(p[0], p[2], 0, 1, 2, 3),
             odd = __builtin_shufflevector(p[1], p[3], 0, 1, 2, 3);
  first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
  second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}
CATENA_INLINE void scatter_two(Quad first, Quad second, double* const* to) {
  const Quad even = __builtin_shufflevector(first, second, 0, 4, 2, 6),
             odd = __builtin_shufflevector(first, second, 1, 5, 3, 7);
  const Pair p[kLanes] = {low_half(even), low_half(odd), high_half(even), high_half(odd)};
  for (int l = 0; l < kLanes; ++l) std::memcpy(to[l], &p[l], sizeof p[l]);
}

}  // namespace catena::solve
