// The freedoms of a joint, eliminated at the joint point: the one recursion under maximal and joint coordinates.
//     up      U = D'F,  E = (FᵀU + a)⁻¹,   S = D' − U E Uᵀ,   g = f' − U E (Fᵀf' + τ)
//     down    q̈ = E (Fᵀf' + τ − Uᵀv),   y = v + F q̈,   wrench on the body w = S v − g
// D' is the body's block, f' its force and v the motion of the parent's side, all at the joint point; τ is what drives the joint along F.
// a is inertia along the freedoms themselves, resisting q̈: the armature of a motor, and what springs and dampers taken implicitly
// add over a step of h, h d/2 + h² k/4 (mechanism/impedance.h). It costs nothing and adds no fill.
// Read w and you have Lagrange multipliers (elimination.h, maximal_system.h); read q̈ and you have joint coordinates
// (reduced_system.h). Jain's D, G and P⁺ are E⁻¹, U E and S.
//
// pass() carries what Jain's ψ* does from the parent's side to the body's: motions, x ← (1 − F E Uᵀ) x, and compliances,
// Υ ← (1 − F E Uᵀ) Υ (1 − U E Fᵀ) + F E Fᵀ (eq. 68).
#pragma once

#include <array>

#include "catena/math/spatial.h"

namespace catena {

// F = [0; a]: one division a joint. D ← S.
template <class Real>
struct HingeFreedom {
  Vec3T<Real> axis;
  SpatialT<Real> U;
  Real e;            // E
  Real u;            // Fᵀf' + τ
  Real a = Real(0);  // inertia along the freedom

  void eliminate(Sym6T<Real>& D) {
    U = {D.B * axis, D.C * axis};
    e = Real(1) / (dot(axis, U.angular) + a);
    D = minus_outer(D, e * U, U);
  }
  // f ← g.
  void up(SpatialT<Real>& f, Real tau = Real(0)) {
    u = dot(axis, f.angular) + tau;
    f = f - (e * u) * U;
  }
  Real rate(const SpatialT<Real>& v) const { return e * (u - dot(U, v)); }
  // The same of another force: z = Fᵀx and E z.
  void halve(SpatialT<Real>& x, Real& z, Real& Ez) const {
    z = dot(axis, x.angular);
    Ez = e * z;
    x = x - Ez * U;
  }

  void pass(SpatialT<Real>& x) const { x.angular -= (e * dot(U, x)) * axis; }
  void pass(Sym6T<Real>& Y) const {
    const SpatialT<Real> F{{}, axis}, G = e * F, Z = Y * U;
    Y = minus_both(Y, Z - (Real(0.5) * dot(U, Z)) * G - Real(0.5) * F, G);
  }
};

// F = [0; 1]. Only the linear block of S is not zero, so D's 21 numbers are exactly enough for what follows:
// A ← S, B ← K = B' C'⁻¹, C ← E = C'⁻¹.
template <class Real>
struct BallFreedom {
  static void eliminate(Sym6T<Real>& D) {
    const Sym6T<Real> J = D;
    const Sym3T<Real> E = inverse(J.C);
    const Mat3T<Real> K{E * J.B.r0, E * J.B.r1, E * J.B.r2};
    D.A = {J.A.xx - dot(K.r0, J.B.r0), J.A.yy - dot(K.r1, J.B.r1), J.A.zz - dot(K.r2, J.B.r2),
           J.A.xy - dot(K.r0, J.B.r1), J.A.xz - dot(K.r0, J.B.r2), J.A.yz - dot(K.r1, J.B.r2)};
    D.B = K;
    D.C = E;
  }
  // f' + τ ← (g, Fᵀf' + τ); what the parent receives of τ itself is the caller's.
  static void up(const Sym6T<Real>& D, SpatialT<Real>& f) { f.linear -= D.B * f.angular; }
  // The angular part of y.
  static Vec3T<Real> turn(const Sym6T<Real>& D, const SpatialT<Real>& f, const Vec3T<Real>& v) {
    return D.C * f.angular - transpose_times(D.B, v);
  }

  static void pass(const Sym6T<Real>& D, SpatialT<Real>& x) { x.angular = -transpose_times(D.B, x.linear); }
  static void pass(const Sym6T<Real>& D, Sym6T<Real>& Y) {
    const Mat3T<Real> AK = to_matrix(Y.A) * D.B;
    Y.B = Real(-1) * AK;
    Y.C = D.C + symmetric(transpose(D.B) * AK);
  }
};

// Any F with f <= 3 columns (f = 0: a weld). D ← S.
template <class Real>
struct Freedoms {
  int count = 0;
  std::array<SpatialT<Real>, 3> F, U;
  std::array<Real, 3> u;
  Vec3T<Real> a{};  // inertia along the freedoms
  Sym3T<Real> E;    // unused rows and columns are those of 1

  void eliminate(Sym6T<Real>& D) {
    if (count == 0) return;
    for (int k = 0; k < count; ++k) at(U, k) = D * at(F, k);
    // The unit rows and columns of the freedoms that are not there keep the 3x3 inverse regular.
    const auto g = [this](int i, int k) {
      return i < count && k < count ? dot(at(F, i), at(U, k)) + (i == k ? a[i] : Real(0)) : Real(i == k ? 1 : 0);
    };
    E = inverse(Sym3T<Real>{g(0, 0), g(1, 1), g(2, 2), g(0, 1), g(0, 2), g(1, 2)});
    for (int k = 0; k < count; ++k) subtract(D, k);
  }
  // f ← g.
  void up(SpatialT<Real>& f, const Vec3T<Real>& tau = {}) {
    for (int k = 0; k < count; ++k) at(u, k) = dot(at(F, k), f) + tau[k];
    const Vec3T<Real> z = E * free_part();
    for (int k = 0; k < count; ++k) f = f - z[k] * at(U, k);
  }
  // The same of another force: z = Fᵀx and E z.
  void halve(SpatialT<Real>& x, Real* z, Real* Ez) const {
    Vec3T<Real> along{};
    for (int k = 0; k < count; ++k) along[k] = dot(at(F, k), x);
    const Vec3T<Real> answer = E * along;
    for (int k = 0; k < count; ++k) {
      z[k] = along[k];
      Ez[k] = answer[k];
      x = x - answer[k] * at(U, k);
    }
  }
  Vec3T<Real> rates(const SpatialT<Real>& v) const {
    Vec3T<Real> r = free_part();
    for (int k = 0; k < count; ++k) r[k] -= dot(at(U, k), v);
    return E * r;
  }
  // v ← y.
  void down(SpatialT<Real>& v) const { move(rates(v), v); }
  void move(const Vec3T<Real>& rates, SpatialT<Real>& v) const {
    for (int k = 0; k < count; ++k) v += rates[k] * at(F, k);
  }

  void pass(SpatialT<Real>& x) const {
    Vec3T<Real> r{};
    for (int k = 0; k < count; ++k) r[k] = -dot(at(U, k), x);
    move(E * r, x);
  }
  void pass(Sym6T<Real>& Y) const {
    std::array<SpatialT<Real>, 3> G, Z;  // F E, Υ U
    for (int k = 0; k < count; ++k) {
      at(Z, k) = Y * at(U, k);
      at(G, k) = {};
      for (int i = 0; i < count; ++i) at(G, k) += row(k)[i] * at(F, i);
    }
    for (int k = 0; k < count; ++k) {
      SpatialT<Real> half = at(F, k);
      for (int i = 0; i < count; ++i) half += dot(at(U, i), at(Z, k)) * at(G, i);
      Y = minus_both(Y, at(Z, k) - Real(0.5) * half, at(G, k));
    }
  }

 private:
  template <class Array>
  static auto& at(Array& array, int k) {
    return array[static_cast<std::size_t>(k)];
  }
  Vec3T<Real> row(int k) const { return k == 0 ? E.row0() : k == 1 ? E.row1() : E.row2(); }
  Vec3T<Real> free_part() const {
    return {count > 0 ? u[0] : Real(0), count > 1 ? u[1] : Real(0), count > 2 ? u[2] : Real(0)};
  }
  // D −= (U E)_k U_kᵀ summed over k keeps symmetry only as a whole; column k of U E is formed from the symmetric E.
  void subtract(Sym6T<Real>& D, int k) const {
    const Vec3T<Real> e = row(k);
    SpatialT<Real> h{};
    for (int i = 0; i < count; ++i) h += e[i] * at(U, i);
    D = minus_outer(D, h, at(U, k));
  }
};

}  // namespace catena
