// The recursion of freedoms.h for a compound joint: any F with up to six columns. D ← S.
#pragma once

#include <array>
#include <cmath>

#include "catena/math/spatial.h"
#include "catena/model/joint.h"

namespace catena {

template <class Real>
struct ManyFreedomsT {
  using Numbers = std::array<Real, kMaxCoordinates>;

  int count = 0;
  std::array<SpatialT<Real>, kMaxCoordinates> F, U, G;  // G = U E
  Numbers a{};                                          // inertia along the freedoms
  Numbers u{};                                          // Fᵀf' + τ
  std::array<Numbers, kMaxCoordinates> L{};             // E⁻¹ = L Lᵀ, the diagonal as reciprocals

  void eliminate(Sym6T<Real>& D) {
    using std::sqrt;
    for (int k = 0; k < count; ++k) U[at(k)] = D * F[at(k)];
    for (int i = 0; i < count; ++i)
      for (int k = 0; k <= i; ++k) {
        Real sum = dot(F[at(i)], U[at(k)]) + (i == k ? a[at(k)] : Real(0));
        for (int l = 0; l < k; ++l) sum -= L[at(i)][at(l)] * L[at(k)][at(l)];
        L[at(i)][at(k)] = i == k ? Real(1) / sqrt(sum) : sum * L[at(k)][at(k)];
      }
    for (int k = 0; k < count; ++k) {
      Numbers e{};
      e[at(k)] = Real(1);
      solve(e);
      G[at(k)] = {};
      for (int i = 0; i < count; ++i) G[at(k)] += e[at(i)] * U[at(i)];
    }
    // U E Uᵀ as a sum of squares, column by column of L⁻¹Uᵀ, so that what is left stays symmetric.
    std::array<SpatialT<Real>, kMaxCoordinates> H;
    for (int k = 0; k < count; ++k) {
      H[at(k)] = U[at(k)];
      for (int l = 0; l < k; ++l) H[at(k)] = H[at(k)] - L[at(k)][at(l)] * H[at(l)];
      H[at(k)] = L[at(k)][at(k)] * H[at(k)];
    }
    for (int k = 0; k < count; ++k) D = minus_outer(D, H[at(k)], H[at(k)]);
  }
  // f ← g.
  void up(SpatialT<Real>& f, const Real* tau) {
    for (int k = 0; k < count; ++k) u[at(k)] = dot(F[at(k)], f) + (tau ? tau[k] : Real(0));
    for (int k = 0; k < count; ++k) f = f - u[at(k)] * G[at(k)];
  }
  // The same of another force: z = Fᵀx and E z.
  void halve(SpatialT<Real>& x, Real* z, Real* Ez) const {
    Numbers along{};
    for (int k = 0; k < count; ++k) z[k] = along[at(k)] = dot(F[at(k)], x);
    for (int k = 0; k < count; ++k) x = x - z[k] * G[at(k)];
    solve(along);
    for (int k = 0; k < count; ++k) Ez[k] = along[at(k)];
  }
  Numbers rates(const SpatialT<Real>& v) const {
    Numbers r{};
    for (int k = 0; k < count; ++k) r[at(k)] = u[at(k)] - dot(U[at(k)], v);
    solve(r);
    return r;
  }
  void rates(const SpatialT<Real>& v, Real* out) const {
    const Numbers r = rates(v);
    for (int k = 0; k < count; ++k) out[k] = r[at(k)];
  }
  void move(const Real* rates, SpatialT<Real>& v) const {
    for (int k = 0; k < count; ++k) v += rates[k] * F[at(k)];
  }
  void move(const Numbers& rates, SpatialT<Real>& v) const { move(rates.data(), v); }

  void pass(SpatialT<Real>& x) const {
    Numbers r{};
    for (int k = 0; k < count; ++k) r[at(k)] = -dot(U[at(k)], x);
    solve(r);
    move(r.data(), x);
  }
  void pass(Sym6T<Real>& Y) const {
    std::array<SpatialT<Real>, kMaxCoordinates> FE, Z;  // F E, Υ U
    for (int k = 0; k < count; ++k) {
      Numbers e{};
      e[at(k)] = Real(1);
      solve(e);
      Z[at(k)] = Y * U[at(k)];
      FE[at(k)] = {};
      move(e.data(), FE[at(k)]);
    }
    for (int k = 0; k < count; ++k) {
      SpatialT<Real> half = F[at(k)];
      for (int i = 0; i < count; ++i) half += dot(U[at(i)], Z[at(k)]) * FE[at(i)];
      Y = minus_both(Y, Z[at(k)] - Real(0.5) * half, FE[at(k)]);
    }
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  void solve(Numbers& x) const {
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < i; ++k) x[at(i)] -= L[at(i)][at(k)] * x[at(k)];
      x[at(i)] *= L[at(i)][at(i)];
    }
    for (int i = count; i-- > 0;) {
      for (int k = i + 1; k < count; ++k) x[at(i)] -= L[at(k)][at(i)] * x[at(k)];
      x[at(i)] *= L[at(i)][at(i)];
    }
  }
};
using ManyFreedoms = ManyFreedomsT<double>;

}  // namespace catena
