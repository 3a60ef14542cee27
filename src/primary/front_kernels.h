// Small dense kernels of front_elimination.h. Rows of numbers begin at multiples of 32 bytes and are padded with zeros to multiples of four;
// six-vectors lie eight apart. All are CATENA_INLINE: they take vectors, and are compiled with the CATENA_DISPATCH functions they serve.
#pragma once

#include <cmath>
#include <cstring>

#include "catena/math/lanes.h"
#include "catena/math/vec3.h"
#include "catena/model/model.h"

namespace catena::front {

constexpr int kLane = 4;  // numbers in a Quad
constexpr int kSlot = 8;  // numbers from one six-vector to the next
constexpr int kBlock = 6 * kSlot;
constexpr int padded(int n) { return (n + kLane - 1) / kLane * kLane; }

CATENA_INLINE Quad quad(const double* x) {
  Quad out;
  std::memcpy(&out, x, sizeof out);
  return out;
}
CATENA_INLINE Pair pair(const double* x) {
  Pair out;
  std::memcpy(&out, x, sizeof out);
  return out;
}
CATENA_INLINE void put(const Quad& x, double* to) { std::memcpy(to, &x, sizeof x); }
CATENA_INLINE void put(const Pair& x, double* to) { std::memcpy(to, &x, sizeof x); }

// n: a multiple of four.
CATENA_INLINE void zero(double* y, int n) {
  for (int i = 0; i < n; i += kLane) put(Quad{}, y + i);
}
CATENA_INLINE void copy(double* y, const double* x, int n) {
  for (int i = 0; i < n; i += kLane) put(quad(x + i), y + i);
}
CATENA_INLINE void add_scaled(double* y, const double* x, double a, int n) {
  for (int i = 0; i < n; i += kLane) put(quad(y + i) + a * quad(x + i), y + i);
}
CATENA_INLINE double dot(const double* x, const double* y, int n) {
  Quad sum{};
  for (int i = 0; i < n; i += kLane) sum += quad(x + i) * quad(y + i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Rows x_k of numbers: at equal distances, or anywhere.
struct Spaced {
  const double* first;
  int stride;
  CATENA_INLINE const double* operator()(int k) const { return first + k * stride; }
};
struct Listed {
  const double* const* list;
  CATENA_INLINE const double* operator()(int k) const { return list[k]; }
};

// y += Σ_k c_k x_k, of kQuads quadruples, which stay in registers.
template <int kQuads, class Rows>
CATENA_INLINE void combine(double* y, int count, const double* c, const Rows& x) {
  Quad sum[kQuads];
  for (int i = 0; i < kQuads; ++i) sum[i] = quad(y + kLane * i);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < kQuads; ++i) sum[i] += c[k] * quad(x(k) + kLane * i);
  for (int i = 0; i < kQuads; ++i) put(sum[i], y + kLane * i);
}
template <class Rows>
CATENA_INLINE void combine(double* y, int n, int count, const double* c, const Rows& x) {
  switch (n / kLane) {
    case 0: return;
    case 1: return combine<1>(y, count, c, x);
    case 2: return combine<2>(y, count, c, x);
    case 3: return combine<3>(y, count, c, x);
    case 4: return combine<4>(y, count, c, x);
    case 5: return combine<5>(y, count, c, x);
    case 6: return combine<6>(y, count, c, x);
    default: break;
  }
  for (int k = 0; k < count; ++k) add_scaled(y, x(k), c[k], n);
}

// The larger of a and |b|, number by number.
CATENA_INLINE Quad larger(const Quad& a, const Quad& b) {
  constexpr long long kAllButSign = std::numeric_limits<long long>::max();
  const Quad size = (Quad)((QuadMask)b & QuadMask{kAllButSign, kAllButSign, kAllButSign, kAllButSign});
  return a > size ? a : size;
}

// ------------------------------------------------------------------------------------------------ six-vectors and their blocks

CATENA_INLINE double dot6(const double* x, const double* y) {
  const Quad low = quad(x) * quad(y);
  const Pair sum = low_half(low) + high_half(low) + pair(x + 4) * pair(y + 4);
  return sum[0] + sum[1];
}
CATENA_INLINE void add6(double* y, const double* x) {
  put(quad(y) + quad(x), y);
  put(pair(y + 4) + pair(x + 4), y + 4);
}
CATENA_INLINE void subtract6(double* y, const double* x) {
  put(quad(y) - quad(x), y);
  put(pair(y + 4) - pair(x + 4), y + 4);
}
CATENA_INLINE void add_scaled6(double* y, const double* x, double s) {
  put(quad(y) + s * quad(x), y);
  put(pair(y + 4) + s * pair(x + 4), y + 4);
}
CATENA_INLINE void copy6(double* y, const double* x) {
  put(quad(x), y);
  put(pair(x + 4), y + 4);
}
CATENA_INLINE void write6(double* y, const Vec3& linear, const Vec3& angular) {
  y[0] = linear.x, y[1] = linear.y, y[2] = linear.z;
  y[3] = angular.x, y[4] = angular.y, y[5] = angular.z;
}
// The same where all six are about to be read together.
CATENA_INLINE void join6(double* y, const Vec3& linear, const Vec3& angular) {
  put(Quad{linear.x, linear.y, linear.z, angular.x}, y);
  put(Pair{angular.y, angular.z}, y + 4);
}
CATENA_INLINE Vec3 linear_of(const double* x) { return {x[0], x[1], x[2]}; }
CATENA_INLINE Vec3 angular_of(const double* x) { return {x[3], x[4], x[5]}; }

// A wrench (or a row) at the point d away, as it acts at the origin.
CATENA_INLINE void carry_wrench(double* w, const Vec3& d) {
  const Vec3 turn = cross(d, linear_of(w));
  w[3] += turn.x, w[4] += turn.y, w[5] += turn.z;
}
// A motion at the origin, as it is at the point d away.
CATENA_INLINE void carry_motion(double* a, const Vec3& d) {
  const Vec3 v = cross(angular_of(a), d);
  a[0] += v.x, a[1] += v.y, a[2] += v.z;
}

CATENA_INLINE void add_block(double* y, int stride_y, const double* x, int stride_x) {
  for (int r = 0; r < 6; ++r) add6(y + r * stride_y, x + r * stride_x);
}
CATENA_INLINE void add_transposed(double* y, int stride_y, const double* x, int stride_x) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) y[r * stride_y + c] += x[c * stride_x + r];
}
// y = Dᵀs; the six rows of D lie kSlot apart.
CATENA_INLINE void times(double* y, const double* D, const double* s) {
  Quad low = s[0] * quad(D);
  Pair high = s[0] * pair(D + 4);
  for (int r = 1; r < 6; ++r) {
    low += s[r] * quad(D + kSlot * r);
    high += s[r] * pair(D + kSlot * r + 4);
  }
  put(low, y);
  put(high, y + 4);
}
// A block of energy at the origin of a child, seen from an origin d before it: both sides are carried.
CATENA_INLINE void carry_block(double* to, const double* from, int stride, const Vec3& d) {
  for (int r = 0; r < 6; ++r) {
    copy6(to + kSlot * r, from + stride * r);
    carry_wrench(to + kSlot * r, d);
  }
  for (int q = 0; q < 6; ++q) {
    double* u = to + q;
    u[3 * kSlot] += d.y * u[2 * kSlot] - d.z * u[kSlot];
    u[4 * kSlot] += d.z * u[0] - d.x * u[2 * kSlot];
    u[5 * kSlot] += d.x * u[kSlot] - d.y * u[0];
  }
}

// ------------------------------------------------------------------------------------------------ rows

// Numbers of the boundary that a kind of body does not have are no columns of a row.
CATENA_INLINE void mask(BodyKind kind, double* e) {
  if (kind == BodyKind::particle) e[3] = e[4] = e[5] = 0;
  if (kind == BodyKind::planar) e[2] = e[3] = e[4] = 0;
}

}  // namespace catena::front
