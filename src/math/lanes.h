// Numbers by fours or eights. What is written for a type Real runs on one block's numbers (double) or on those of several blocks at once
// (Lanes), with the same operations in the same order: a lane has the bits it would have by itself. Where there is no AVX2 four are two pairs.
//
// How vectors are passed depends on the processor compiled for, so functions that take or return them are CATENA_INLINE, and gcc need
// not warn of it. So does their alignment: it is asked for where they lie in memory.
#pragma once

#pragma GCC diagnostic ignored "-Wpsabi"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"  // masks are bool or vectors
#endif

#include <cmath>
#include <cstring>
#include <limits>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "catena/math/dispatch.h"

namespace catena {

using Quad = double __attribute__((vector_size(32)));
using Pair = double __attribute__((vector_size(16)));
using QuadMask = decltype(Quad{} < Quad{});  // all bits of a lane, or none

// Four consecutive numbers, wherever they lie.
CATENA_INLINE Quad load_quad(const double* from) {
  Quad out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
CATENA_INLINE void store_quad(Quad x, double* to) { std::memcpy(to, &x, sizeof x); }

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

// Operations on each four in turn: two chains that do not wait for each other take little longer than one.
template <int kQuads>
struct alignas(sizeof(Quad)) LanesMask {
  QuadMask q[kQuads];

  friend CATENA_INLINE LanesMask operator&(LanesMask a, const LanesMask& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] &= b.q[k];
    return a;
  }
  friend CATENA_INLINE LanesMask operator|(LanesMask a, const LanesMask& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] |= b.q[k];
    return a;
  }
};

template <int kQuads>
struct alignas(sizeof(Quad)) Lanes {
  Quad q[kQuads];

  Lanes() = default;
  CATENA_INLINE Lanes(double x) {  // NOLINT(google-explicit-constructor): the same number in every lane
    for (Quad& each : q) each = Quad{x, x, x, x};
  }

  friend CATENA_INLINE Lanes operator-(Lanes a) {
    for (int k = 0; k < kQuads; ++k) a.q[k] = -a.q[k];
    return a;
  }
  friend CATENA_INLINE Lanes operator+(Lanes a, const Lanes& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] += b.q[k];
    return a;
  }
  friend CATENA_INLINE Lanes operator-(Lanes a, const Lanes& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] -= b.q[k];
    return a;
  }
  friend CATENA_INLINE Lanes operator*(Lanes a, const Lanes& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] *= b.q[k];
    return a;
  }
  friend CATENA_INLINE Lanes operator/(Lanes a, const Lanes& b) {
    for (int k = 0; k < kQuads; ++k) a.q[k] /= b.q[k];
    return a;
  }
  friend CATENA_INLINE LanesMask<kQuads> operator<(const Lanes& a, const Lanes& b) {
    LanesMask<kQuads> m;
    for (int k = 0; k < kQuads; ++k) m.q[k] = a.q[k] < b.q[k];
    return m;
  }
  friend CATENA_INLINE LanesMask<kQuads> operator<=(const Lanes& a, const Lanes& b) {
    LanesMask<kQuads> m;
    for (int k = 0; k < kQuads; ++k) m.q[k] = a.q[k] <= b.q[k];
    return m;
  }
  friend CATENA_INLINE LanesMask<kQuads> operator==(const Lanes& a, const Lanes& b) {
    LanesMask<kQuads> m;
    for (int k = 0; k < kQuads; ++k) m.q[k] = a.q[k] == b.q[k];
    return m;
  }
  friend CATENA_INLINE LanesMask<kQuads> operator>(const Lanes& a, const Lanes& b) { return b < a; }
  friend CATENA_INLINE LanesMask<kQuads> operator>=(const Lanes& a, const Lanes& b) { return b <= a; }
};

// What a comparison gives.
template <class Real>
using MaskOf = decltype(Real() < Real());

CATENA_INLINE bool no(bool m) { return !m; }
template <int kQuads>
CATENA_INLINE LanesMask<kQuads> no(LanesMask<kQuads> m) {
  for (int k = 0; k < kQuads; ++k) m.q[k] = ~m.q[k];
  return m;
}

CATENA_INLINE bool any(bool m) { return m; }
template <int kQuads>
CATENA_INLINE bool any(const LanesMask<kQuads>& m) {
  QuadMask all = m.q[0];
  for (int k = 1; k < kQuads; ++k) all |= m.q[k];
#ifdef __SSE2__
  return _mm_movemask_pd(_mm_or_pd(low_half((Quad)all), high_half((Quad)all))) != 0;
#else
  return (all[0] | all[1] | all[2] | all[3]) != 0;
#endif
}

CATENA_INLINE double select(bool m, double yes, double otherwise) { return m ? yes : otherwise; }
template <int kQuads>
CATENA_INLINE Lanes<kQuads> select(const LanesMask<kQuads>& m, Lanes<kQuads> yes, const Lanes<kQuads>& otherwise) {
  for (int k = 0; k < kQuads; ++k) yes.q[k] = m.q[k] ? yes.q[k] : otherwise.q[k];
  return yes;
}

// As std::max: the first where they are equal.
template <class Real>
CATENA_INLINE Real larger(const Real& a, const Real& b) {
  return select(a < b, b, a);
}

CATENA_INLINE double magnitude(double x) { return std::abs(x); }
template <int kQuads>
CATENA_INLINE Lanes<kQuads> magnitude(Lanes<kQuads> x) {
  constexpr auto kAllButSign = std::numeric_limits<long long>::max();
  for (int k = 0; k < kQuads; ++k)
    x.q[k] = (Quad)((QuadMask)x.q[k] & QuadMask{kAllButSign, kAllButSign, kAllButSign, kAllButSign});
  return x;
}

CATENA_INLINE bool finite(double x) { return magnitude(x) <= std::numeric_limits<double>::max(); }
template <int kQuads>
CATENA_INLINE LanesMask<kQuads> finite(const Lanes<kQuads>& x) {
  return magnitude(x) <= Lanes<kQuads>(std::numeric_limits<double>::max());
}

CATENA_INLINE double root(double x) { return std::sqrt(x); }
CATENA_INLINE Quad root(Quad x) {
#ifdef __SSE2__
  return __builtin_shufflevector(Pair(_mm_sqrt_pd(low_half(x))), Pair(_mm_sqrt_pd(high_half(x))), 0, 1, 2, 3);
#else
  return Quad{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}
template <int kQuads>
CATENA_INLINE Lanes<kQuads> root(Lanes<kQuads> x) {
  for (int k = 0; k < kQuads; ++k) x.q[k] = root(x.q[k]);
  return x;
}

}  // namespace catena
