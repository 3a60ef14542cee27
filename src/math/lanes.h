// Numbers by fours or eights. What is written for a type Real runs on one block's numbers (double) or on those of several blocks or worlds at once
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

#include "catena/math/choose.h"
#include "catena/math/dispatch.h"
#include "catena/math/elementary.h"
#include "catena/math/rotation.h"

namespace catena {

using Quad = double __attribute__((vector_size(32)));
using Pair = double __attribute__((vector_size(16)));
using QuadMask = decltype(Quad{} < Quad{});  // all bits of a lane, or none

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

  static constexpr int kCount = 4 * kQuads;

  Lanes() = default;
  CATENA_INLINE Lanes(double x) {  // NOLINT(google-explicit-constructor): the same number in every lane
    for (Quad& each : q) each = Quad{x, x, x, x};
  }

  CATENA_INLINE double operator[](int lane) const { return q[lane / 4][lane % 4]; }
  CATENA_INLINE void set(int lane, double x) { q[lane / 4][lane % 4] = x; }

  CATENA_INLINE Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
  CATENA_INLINE Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
  CATENA_INLINE Lanes& operator*=(const Lanes& b) { return *this = *this * b; }
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

// ---- What vec3.h, rotation.h and the kernels of joint coordinates ask of a Real ----

template <int kQuads>
CATENA_INLINE Lanes<kQuads> sqrt(const Lanes<kQuads>& x) {
  return root(x);
}

template <int kQuads>
CATENA_INLINE QuatT<Lanes<kQuads>> select(const LanesMask<kQuads>& m, const QuatT<Lanes<kQuads>>& yes,
                                          const QuatT<Lanes<kQuads>>& otherwise) {
  return {select(m, yes.w, otherwise.w), select(m, yes.x, otherwise.x), select(m, yes.y, otherwise.y),
          select(m, yes.z, otherwise.z)};
}

template <int kQuads, class Yes, class Otherwise>
CATENA_INLINE auto choose(const LanesMask<kQuads>& m, Yes&& yes, Otherwise&& otherwise) {
  return select(m, yes(), otherwise());
}
template <int kQuads>
CATENA_INLINE LanesMask<kQuads> both(const LanesMask<kQuads>& a, const LanesMask<kQuads>& b) {
  return a & b;
}

// f of every lane by itself, for what is rare.
template <int kQuads, class F>
CATENA_INLINE void each_lane(F&& f) {
  for (int lane = 0; lane < 4 * kQuads; ++lane) f(lane);
}

// As std::round: halves away from zero.
template <int kQuads>
CATENA_INLINE Lanes<kQuads> round(const Lanes<kQuads>& x) {
  if (any(no(magnitude(x) < 0.5))) {
    Lanes<kQuads> out;
    each_lane<kQuads>([&](int lane) { out.set(lane, std::round(x[lane])); });
    return out;
  }
  Lanes<kQuads> out;
  constexpr auto kSign = std::numeric_limits<long long>::min();
  for (int k = 0; k < kQuads; ++k) out.q[k] = (Quad)((QuadMask)x.q[k] & QuadMask{kSign, kSign, kSign, kSign});
  return out;
}

// As portable::sin_cos, with the bits of each lane by itself. Angles beyond 8e5 rad are taken lane by lane.
template <int kQuads>
CATENA_INLINE portable::SinCos<Lanes<kQuads>> sin_cos(const Lanes<kQuads>& x) {
  using portable::detail::kRound;
  const Lanes<kQuads> shifted = x * portable::detail::kQuartersPerRadian + kRound, k = shifted - kRound;
  portable::SinCos<Lanes<kQuads>> out;
  if (any(no(magnitude(k) <= portable::detail::kFewQuarters))) {
    each_lane<kQuads>([&](int lane) {
      const portable::SinCos<double> own = portable::sin_cos(x[lane]);
      out.sin.set(lane, own.sin);
      out.cos.set(lane, own.cos);
    });
    return out;
  }
  const portable::SinCos<Lanes<kQuads>> f =
      portable::detail::sin_cos_near_zero(portable::detail::without_quarters(x, k));
  // The last two bits of `shifted` count quarters: odd ones exchange sine and cosine, and two in four turn a sign.
  for (int i = 0; i < kQuads; ++i) {
    const QuadMask bits = (QuadMask)shifted.q[i], odd = -(bits & 1);
    const QuadMask sine = (QuadMask)f.sin.q[i], cosine = (QuadMask)f.cos.q[i];
    const QuadMask s = (cosine & odd) | (sine & ~odd), c = (sine & odd) | (cosine & ~odd);
    out.sin.q[i] = (Quad)(s ^ ((bits & 2) << 62));
    out.cos.q[i] = (Quad)(c ^ (((bits + 1) & 2) << 62));
  }
  return out;
}

}  // namespace catena
