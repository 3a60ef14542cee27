// The recursion of freedoms.h for a compound joint: any F with up to six columns, eliminated one after the other as those of hinges would be between
// bodies without mass. D ← S.
//     U_k = D_k F_k,   e_k = (F_kᵀU_k + a_k)⁻¹,   D_{k+1} = D_k − U_k e_k U_kᵀ
#pragma once

#include <array>

#include "catena/math/spatial.h"
#include "catena/model/joint.h"

namespace catena {

template <class Real>
struct ManyFreedomsT {
  using Numbers = std::array<Real, kMaxCoordinates>;

  int count = 0;
  std::array<SpatialT<Real>, kMaxCoordinates> F, U;
  Numbers a{};  // inertia along the freedoms
  Numbers e{};
  Numbers u{};  // F_kᵀf_k + τ_k

  void eliminate(Sym6T<Real>& D) {
    for (int k = 0; k < count; ++k) {
      U[at(k)] = D * F[at(k)];
      e[at(k)] = Real(1) / (dot(F[at(k)], U[at(k)]) + a[at(k)]);
      D = minus_outer(D, e[at(k)] * U[at(k)], U[at(k)]);
    }
  }
  // f ← g.
  void up(SpatialT<Real>& f, const Real* tau) {
    for (int k = 0; k < count; ++k) {
      u[at(k)] = dot(F[at(k)], f) + (tau ? tau[k] : Real(0));
      f = f - (e[at(k)] * u[at(k)]) * U[at(k)];
    }
  }
  // The same of another force: z = F_kᵀx_k and e z.
  void halve(SpatialT<Real>& x, Real* z, Real* Ez) const {
    for (int k = 0; k < count; ++k) {
      z[k] = dot(F[at(k)], x);
      Ez[k] = e[at(k)] * z[k];
      x = x - Ez[k] * U[at(k)];
    }
  }
  // v ← y, and the rates.
  void down(SpatialT<Real>& v, Real* rates) const {
    for (int k = count; k-- > 0;) {
      rates[k] = e[at(k)] * (u[at(k)] - dot(U[at(k)], v));
      v += rates[k] * F[at(k)];
    }
  }
  void down(SpatialT<Real>& v) const {
    Numbers rates{};
    down(v, rates.data());
  }
  void move(const Real* rates, SpatialT<Real>& v) const {
    for (int k = 0; k < count; ++k) v += rates[k] * F[at(k)];
  }

  void pass(SpatialT<Real>& x) const {
    for (int k = count; k-- > 0;) x = x - (e[at(k)] * dot(U[at(k)], x)) * F[at(k)];
  }
  void pass(Sym6T<Real>& Y) const {
    for (int k = count; k-- > 0;) {
      const SpatialT<Real> G = e[at(k)] * F[at(k)], Z = Y * U[at(k)];
      Y = minus_both(Y, Z - (Real(0.5) * dot(U[at(k)], Z)) * G - Real(0.5) * F[at(k)], G);
    }
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
};
using ManyFreedoms = ManyFreedomsT<double>;

}  // namespace catena
