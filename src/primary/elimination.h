// Eliminate the freedoms, not the bodies: one joint and the body below it, taken out of
//     [ M  −Jᵀ ] [ y ]   [ f ]
//     [ J   0  ] [ λ ] = [ b ]                                                   Baraff eq. 8, right-hand sides of §8
// at the joint point. D' is the body's block seen from there, F the directions the joint leaves free, c a relative motion with P c = b
// (P: the constrained directions).
//     up      U = D'F,  E = (FᵀU)⁻¹,   S = D' − U E Uᵀ,   g = f' − U E Fᵀf'
//             parent:  D += X_pᵀ S X_p,   f += X_pᵀ (g − S c)
//     down    v = X_p y_p + c,   q̈ = E (Fᵀf' − Uᵀv),   y = X⁻¹(v + F q̈),   wrench on the body w = S v − g
// S is the inverse of the joint's compliance J D⁻¹ Jᵀ, written in 6x6: no 6x6 factorisation, no inverse as large as the constraint.
// Read w and you have Lagrange multipliers; read q̈ and you have joint coordinates.
//
// Two shapes of F have kernels of their own, written out, because most mechanisms are made of them: ball (three rotations) and
// hinge (one). FreedomJoint takes any F with up to three columns. All are templates on Real.
#pragma once

#include <array>

#include "catena/math/spatial.h"

namespace catena {

// X⁻ᵀ f: a force at the centre of mass as it acts at the joint point r away.
template <class Real>
constexpr SpatialT<Real> force_at(const SpatialT<Real>& f, const Vec3T<Real>& r) {
  return {f.linear, f.angular + cross(f.linear, r)};
}

// F = [0; 1]. Only the linear block of S is not zero, so D's 21 numbers are exactly enough for what the solve needs:
// A ← S, B ← K = B' C'⁻¹, C ← C'⁻¹.
template <class Real>
struct BallJoint {
  Vec3T<Real> arm, arm_parent;  // from the two centres of mass to the joint point
  Vec3T<Real> c;                // relative velocity (acceleration, …) of the joint points, body minus parent

  void eliminate(Sym6T<Real>& D) const {
    const Sym6T<Real> J = shifted(D, arm);
    const Sym3T<Real> E = inverse(J.C);
    const Mat3T<Real> K{E * J.B.r0, E * J.B.r1, E * J.B.r2};
    D.A = {J.A.xx - dot(K.r0, J.B.r0), J.A.yy - dot(K.r1, J.B.r1), J.A.zz - dot(K.r2, J.B.r2),
           J.A.xy - dot(K.r0, J.B.r1), J.A.xz - dot(K.r0, J.B.r2), J.A.yz - dot(K.r1, J.B.r2)};
    D.B = K;
    D.C = E;
  }

  // X_pᵀ S X_p with S = [S 0; 0 0].
  void add_to_parent(const Sym6T<Real>& D, Sym6T<Real>& parent) const {
    const Sym3T<Real>& S = D.A;
    const Vec3T<Real>& s = arm_parent;
    const Mat3T<Real> Q{cross(S.row0(), s), cross(S.row1(), s), cross(S.row2(), s)};
    parent.A += S;
    parent.B = parent.B - Q;
    parent.C.xx += Q.r1.x * s.z - Q.r2.x * s.y;
    parent.C.yy += Q.r2.y * s.x - Q.r0.y * s.z;
    parent.C.zz += Q.r0.z * s.y - Q.r1.z * s.x;
    parent.C.xy += Q.r1.y * s.z - Q.r2.y * s.y;
    parent.C.xz += Q.r1.z * s.z - Q.r2.z * s.y;
    parent.C.yz += Q.r2.z * s.x - Q.r0.z * s.z;
  }

  // f ← (g, angular part of f'); returns what the parent receives.
  SpatialT<Real> up(const Sym6T<Real>& D, SpatialT<Real>& f) const {
    f.angular += cross(f.linear, arm);
    f.linear -= D.B * f.angular;
    const Vec3T<Real> h = f.linear - D.A * c;
    return {h, cross(arm_parent, h)};
  }

  // f ← y; returns the force on the body at the joint point.
  Vec3T<Real> down(const Sym6T<Real>& D, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const Vec3T<Real> v = y_parent.linear + cross(y_parent.angular, arm_parent) + c;
    const Vec3T<Real> w = D.A * v - f.linear;
    f.angular = D.C * f.angular - transpose_times(D.B, v);
    f.linear = v + cross(arm, f.angular);
    return w;
  }
};

// F = [0; a]: one division a joint. D ← S.
template <class Real>
struct HingeJoint {
  Vec3T<Real> arm, arm_parent, axis;
  SpatialT<Real> c;  // relative motion at the joint point, body minus parent
  SpatialT<Real> U;  // D'F
  Real e;            // 1/(FᵀU)
  Real u;            // Fᵀf'

  void eliminate(Sym6T<Real>& D) {
    const Sym6T<Real> J = shifted(D, arm);
    U = {J.B * axis, J.C * axis};
    e = Real(1) / dot(axis, U.angular);
    D = minus_outer(J, e * U, U);
  }

  void add_to_parent(const Sym6T<Real>& S, Sym6T<Real>& parent) const { parent += shifted(S, -arm_parent); }

  SpatialT<Real> up(const Sym6T<Real>& S, SpatialT<Real>& f) {
    f = force_at(f, arm);
    u = dot(axis, f.angular);
    f = f - (e * u) * U;
    return force_from(f - S * c, arm_parent);
  }

  SpatialT<Real> down(const Sym6T<Real>& S, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const SpatialT<Real> v = motion_at(y_parent, arm_parent) + c;
    const Real qdd = e * (u - dot(U, v));
    const SpatialT<Real> w = S * v - f;
    f.angular = v.angular + qdd * axis;
    f.linear = v.linear + cross(arm, f.angular);
    return w;
  }
};

// Any F with f <= 3 columns (f = 0: a weld). D ← S.
template <class Real>
struct FreedomJoint {
  Vec3T<Real> arm, arm_parent;
  SpatialT<Real> c;
  int freedoms = 0;
  std::array<SpatialT<Real>, 3> F, U;
  std::array<Real, 3> u;
  Sym3T<Real> E;  // (FᵀU)⁻¹, unused rows and columns zero

  void eliminate(Sym6T<Real>& D) {
    D = shifted(D, arm);
    if (freedoms == 0) return;
    for (int k = 0; k < freedoms; ++k) at(U, k) = D * at(F, k);
    // The unit rows and columns of the freedoms that are not there keep the 3x3 inverse regular.
    const auto g = [this](int i, int k) {
      return i < freedoms && k < freedoms ? dot(at(F, i), at(U, k)) : Real(i == k ? 1 : 0);
    };
    E = inverse(Sym3T<Real>{g(0, 0), g(1, 1), g(2, 2), g(0, 1), g(0, 2), g(1, 2)});
    for (int k = 0; k < freedoms; ++k) subtract(D, k);
  }

  void add_to_parent(const Sym6T<Real>& S, Sym6T<Real>& parent) const { parent += shifted(S, -arm_parent); }

  SpatialT<Real> up(const Sym6T<Real>& S, SpatialT<Real>& f) {
    f = force_at(f, arm);
    for (int k = 0; k < freedoms; ++k) at(u, k) = dot(at(F, k), f);
    const Vec3T<Real> z = E * free_part();
    for (int k = 0; k < freedoms; ++k) f = f - z[k] * at(U, k);
    return force_from(f - S * c, arm_parent);
  }

  SpatialT<Real> down(const Sym6T<Real>& S, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const SpatialT<Real> v = motion_at(y_parent, arm_parent) + c;
    const SpatialT<Real> w = S * v - f;
    Vec3T<Real> r = free_part();
    for (int k = 0; k < freedoms; ++k) r[k] -= dot(at(U, k), v);
    const Vec3T<Real> qdd = E * r;
    f = v;
    for (int k = 0; k < freedoms; ++k) f += qdd[k] * at(F, k);
    f.linear += cross(arm, f.angular);
    return w;
  }

 private:
  template <class Array>
  static auto& at(Array& array, int k) {
    return array[static_cast<std::size_t>(k)];
  }
  Vec3T<Real> free_part() const {
    return {freedoms > 0 ? u[0] : Real(0), freedoms > 1 ? u[1] : Real(0), freedoms > 2 ? u[2] : Real(0)};
  }
  // D −= (U E)_k U_kᵀ summed over k keeps symmetry only as a whole; column k of U E is formed from the symmetric E.
  void subtract(Sym6T<Real>& D, int k) const {
    const Vec3T<Real> e = k == 0 ? E.row0() : k == 1 ? E.row1() : E.row2();
    SpatialT<Real> h{};
    for (int i = 0; i < freedoms; ++i) h += e[i] * at(U, i);
    D = minus_outer(D, h, at(U, k));
  }
};

}  // namespace catena
