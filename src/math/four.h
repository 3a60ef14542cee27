// A number of each of four worlds, and all that vec3.h, rotation.h and the kernels of joint coordinates ask of a Real. Every operation gives each
// lane the bits it has alone. Where there is no AVX2 four are two pairs. (lanes.h has fours and eights for the solvers; a structure of one
// vector, without an array, is what gcc keeps in registers.)
//
// Functions that take or return vectors are CATENA_INLINE: how they are passed depends on the processor compiled for.
#pragma once

#include "catena/math/choose.h"
#include "catena/math/elementary.h"
#include "catena/math/lanes.h"
#include "catena/math/rotation.h"

namespace catena {

// For each lane all bits or none.
struct alignas(sizeof(Quad)) FourMask {
  QuadMask q;

  friend CATENA_INLINE FourMask operator&(const FourMask& a, const FourMask& b) { return {a.q & b.q}; }
};

struct alignas(sizeof(Quad)) Four {
  static constexpr int kCount = 4;

  Quad q;

  Four() = default;
  CATENA_INLINE Four(double x) : q{x, x, x, x} {}  // NOLINT(google-explicit-constructor): the same in every lane
  CATENA_INLINE explicit Four(Quad x) : q(x) {}
  // Copied as a vector: gcc copies structures that are trivially copied in halves of 16 bytes, which a load of 32 then waits for.
  // NOLINTBEGIN(modernize-use-equals-default)
  CATENA_INLINE Four(const Four& other) : q(other.q) {}
  CATENA_INLINE Four& operator=(const Four& other) {
    q = other.q;
    return *this;
  }
  // NOLINTEND(modernize-use-equals-default)

  CATENA_INLINE double operator[](int lane) const { return q[lane]; }
  CATENA_INLINE void set(int lane, double x) { q[lane] = x; }

  CATENA_INLINE Four& operator+=(const Four& b) {
    q += b.q;
    return *this;
  }
  CATENA_INLINE Four& operator-=(const Four& b) {
    q -= b.q;
    return *this;
  }
  CATENA_INLINE Four& operator*=(const Four& b) {
    q *= b.q;
    return *this;
  }
  friend CATENA_INLINE Four operator-(const Four& a) { return Four(-a.q); }
  friend CATENA_INLINE Four operator+(const Four& a, const Four& b) { return Four(a.q + b.q); }
  friend CATENA_INLINE Four operator-(const Four& a, const Four& b) { return Four(a.q - b.q); }
  friend CATENA_INLINE Four operator*(const Four& a, const Four& b) { return Four(a.q * b.q); }
  friend CATENA_INLINE Four operator/(const Four& a, const Four& b) { return Four(a.q / b.q); }
  friend CATENA_INLINE FourMask operator<(const Four& a, const Four& b) { return {a.q < b.q}; }
  friend CATENA_INLINE FourMask operator<=(const Four& a, const Four& b) { return {a.q <= b.q}; }
  friend CATENA_INLINE FourMask operator>(const Four& a, const Four& b) { return {a.q > b.q}; }
  friend CATENA_INLINE FourMask operator>=(const Four& a, const Four& b) { return {a.q >= b.q}; }
  friend CATENA_INLINE FourMask operator==(const Four& a, const Four& b) { return {a.q == b.q}; }
};

CATENA_INLINE FourMask no(const FourMask& m) { return {~m.q}; }
CATENA_INLINE bool any(const FourMask& m) { return any(LanesMask<1>{{m.q}}); }
CATENA_INLINE FourMask both(const FourMask& a, const FourMask& b) { return a & b; }

CATENA_INLINE Four select(const FourMask& m, const Four& yes, const Four& otherwise) {
  return Four(m.q ? yes.q : otherwise.q);
}
CATENA_INLINE QuatT<Four> select(const FourMask& m, const QuatT<Four>& yes, const QuatT<Four>& otherwise) {
  return {select(m, yes.w, otherwise.w), select(m, yes.x, otherwise.x), select(m, yes.y, otherwise.y),
          select(m, yes.z, otherwise.z)};
}
template <class Yes, class Otherwise>
CATENA_INLINE auto choose(const FourMask& m, Yes&& yes, Otherwise&& otherwise) {
  if (!any(no(m))) return yes();
  return select(m, yes(), otherwise());
}

CATENA_INLINE QuadMask each(long long x) { return QuadMask{x, x, x, x}; }
CATENA_INLINE Four magnitude(const Four& x) {
  return Four((Quad)((QuadMask)x.q & each(std::numeric_limits<long long>::max())));
}
CATENA_INLINE FourMask finite(const Four& x) { return magnitude(x) <= Four(std::numeric_limits<double>::max()); }
CATENA_INLINE Four sqrt(const Four& x) { return Four(root(x.q)); }

// Four consecutive numbers of each of four places, and back: number k of all places is one Four.
struct Sixteen {
  Four x, y, z, w;
};
CATENA_INLINE Sixteen transpose(Quad a, Quad b, Quad c, Quad d) {
  const Quad even_ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Quad even_cd = __builtin_shufflevector(c, d, 0, 4, 2, 6), odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {Four(__builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5)),
          Four(__builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5)),
          Four(__builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7)),
          Four(__builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7))};
}
CATENA_INLINE Sixteen gather(const double* a, const double* b, const double* c, const double* d) {
  return transpose(load_quad(a), load_quad(b), load_quad(c), load_quad(d));
}
CATENA_INLINE void scatter(const Sixteen& in, double* a, double* b, double* c, double* d) {
  const Sixteen out = transpose(in.x.q, in.y.q, in.z.q, in.w.q);
  store_quad(out.x.q, a), store_quad(out.y.q, b), store_quad(out.z.q, c), store_quad(out.w.q, d);
}

// f of every lane by itself, for what is rare.
template <class F>
CATENA_INLINE void each_lane(F&& f) {
  for (int lane = 0; lane < Four::kCount; ++lane) f(lane);
}

// As std::round: halves away from zero.
CATENA_INLINE Four round(const Four& x) {
  if (any(no(magnitude(x) < 0.5))) {
    Four out;
    each_lane([&](int lane) { out.set(lane, std::round(x[lane])); });
    return out;
  }
  return Four((Quad)((QuadMask)x.q & each(std::numeric_limits<long long>::min())));
}

// As portable::sin_cos(). Angles beyond 8e5 rad are taken lane by lane.
CATENA_INLINE portable::SinCos<Four> sin_cos(const Four& x) {
  using portable::detail::kRound;
  const Four shifted = x * portable::detail::kQuartersPerRadian + kRound, k = shifted - kRound;
  if (any(no(magnitude(k) <= portable::detail::kFewQuarters))) {
    portable::SinCos<Four> out;
    each_lane([&](int lane) {
      const portable::SinCos<double> own = portable::sin_cos(x[lane]);
      out.sin.set(lane, own.sin);
      out.cos.set(lane, own.cos);
    });
    return out;
  }
  const portable::SinCos<Four> f = portable::detail::sin_cos_near_zero(portable::detail::without_quarters(x, k));
  // The last two bits of `shifted` count quarters: odd ones exchange sine and cosine, and two in four turn a sign.
  const QuadMask bits = (QuadMask)shifted.q, odd = -(bits & 1);
  const auto sine = (QuadMask)f.sin.q, cosine = (QuadMask)f.cos.q;
  const QuadMask s = (cosine & odd) | (sine & ~odd), c = (sine & odd) | (cosine & ~odd);
  return {Four((Quad)(s ^ ((bits & 2) << 62))), Four((Quad)(c ^ (((bits + 1) & 2) << 62)))};
}

}  // namespace catena
