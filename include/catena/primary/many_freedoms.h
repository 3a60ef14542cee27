// The recursion of freedoms.h for a compound joint: any F with up to six columns. D ← S.
#pragma once

#include <array>
#include <cmath>

#include "catena/math/spatial.h"
#include "catena/model/joint.h"

namespace catena {

struct ManyFreedoms {
  int count = 0;
  std::array<Spatial, kMaxCoordinates> F, U, G;                          // G = U E
  JointArray a{};                                                        // inertia along the freedoms
  JointArray u{};                                                        // Fᵀf' + τ
  std::array<std::array<double, kMaxCoordinates>, kMaxCoordinates> L{};  // E⁻¹ = L Lᵀ, the diagonal as reciprocals

  void eliminate(Sym6& D) {
    for (int k = 0; k < count; ++k) U[at(k)] = D * F[at(k)];
    for (int i = 0; i < count; ++i)
      for (int k = 0; k <= i; ++k) {
        double sum = dot(F[at(i)], U[at(k)]) + (i == k ? a[at(k)] : 0);
        for (int l = 0; l < k; ++l) sum -= L[at(i)][at(l)] * L[at(k)][at(l)];
        L[at(i)][at(k)] = i == k ? 1 / std::sqrt(sum) : sum * L[at(k)][at(k)];
      }
    for (int k = 0; k < count; ++k) {
      JointArray e{};
      e[at(k)] = 1;
      solve(e);
      G[at(k)] = {};
      for (int i = 0; i < count; ++i) G[at(k)] += e[at(i)] * U[at(i)];
    }
    // U E Uᵀ as a sum of squares, column by column of L⁻¹Uᵀ, so that what is left stays symmetric.
    std::array<Spatial, kMaxCoordinates> H;
    for (int k = 0; k < count; ++k) {
      H[at(k)] = U[at(k)];
      for (int l = 0; l < k; ++l) H[at(k)] = H[at(k)] - L[at(k)][at(l)] * H[at(l)];
      H[at(k)] = L[at(k)][at(k)] * H[at(k)];
    }
    for (int k = 0; k < count; ++k) D = minus_outer(D, H[at(k)], H[at(k)]);
  }
  // f ← g.
  void up(Spatial& f, const double* tau) {
    for (int k = 0; k < count; ++k) u[at(k)] = dot(F[at(k)], f) + (tau ? tau[k] : 0);
    for (int k = 0; k < count; ++k) f = f - u[at(k)] * G[at(k)];
  }
  // The same of another force: z = Fᵀx and E z.
  void halve(Spatial& x, double* z, double* Ez) const {
    JointArray along{};
    for (int k = 0; k < count; ++k) z[k] = along[at(k)] = dot(F[at(k)], x);
    for (int k = 0; k < count; ++k) x = x - z[k] * G[at(k)];
    solve(along);
    for (int k = 0; k < count; ++k) Ez[k] = along[at(k)];
  }
  void rates(const Spatial& v, double* out) const {
    JointArray r{};
    for (int k = 0; k < count; ++k) r[at(k)] = u[at(k)] - dot(U[at(k)], v);
    solve(r);
    for (int k = 0; k < count; ++k) out[k] = r[at(k)];
  }
  void move(const double* rates, Spatial& v) const {
    for (int k = 0; k < count; ++k) v += rates[k] * F[at(k)];
  }

  void pass(Spatial& x) const {
    JointArray r{};
    for (int k = 0; k < count; ++k) r[at(k)] = -dot(U[at(k)], x);
    solve(r);
    move(r.data(), x);
  }
  void pass(Sym6& Y) const {
    std::array<Spatial, kMaxCoordinates> FE, Z;  // F E, Υ U
    for (int k = 0; k < count; ++k) {
      JointArray e{};
      e[at(k)] = 1;
      solve(e);
      Z[at(k)] = Y * U[at(k)];
      FE[at(k)] = {};
      move(e.data(), FE[at(k)]);
    }
    for (int k = 0; k < count; ++k) {
      Spatial half = F[at(k)];
      for (int i = 0; i < count; ++i) half += dot(U[at(i)], Z[at(k)]) * FE[at(i)];
      Y = minus_both(Y, Z[at(k)] - 0.5 * half, FE[at(k)]);
    }
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  void solve(JointArray& x) const {
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

}  // namespace catena
