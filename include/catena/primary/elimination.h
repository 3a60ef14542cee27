// Eliminate the freedoms, not the bodies: one joint and the body below it, taken out of
//     [ M  −Jᵀ ] [ y ]   [ f ]
//     [ J   0  ] [ λ ] = [ b ]                                                   Baraff eq. 8, right-hand sides of §8
// at the joint point. D' is the body's block seen from there, F the directions the joint leaves free, c a relative motion with P c = b
// (P: the constrained directions).
//     up      S, g at the joint point (freedoms.h);    parent:  D += X_pᵀ S X_p,   f += X_pᵀ (g − S c)
//     down    v = X_p y_p + c,   q̈ = E (Fᵀf' − Uᵀv),   y = X⁻¹(v + F q̈),   wrench on the body w = S v − g
// S is the inverse of the joint's compliance J D⁻¹ Jᵀ, written in 6x6: no 6x6 factorisation, no inverse as large as the constraint.
// Read w and you have Lagrange multipliers; read q̈ and you have joint coordinates.
//
// Two shapes of F have kernels of their own, written out, because most mechanisms are made of them: ball (three rotations) and
// hinge (one). FreedomJoint takes any F. All are templates on Real.
#pragma once

#include "catena/primary/freedoms.h"
#include "catena/primary/many_freedoms.h"

namespace catena {

// X⁻ᵀ f: a force at the centre of mass as it acts at the joint point r away.
template <class Real>
constexpr SpatialT<Real> force_at(const SpatialT<Real>& f, const Vec3T<Real>& r) {
  return {f.linear, f.angular + cross(f.linear, r)};
}

// F = [0; 1]: BallFreedom's D.
template <class Real>
struct BallJoint {
  Vec3T<Real> arm, arm_parent;  // from the two centres of mass to the joint point
  Vec3T<Real> c;                // relative velocity (acceleration, …) of the joint points, body minus parent

  void eliminate(Sym6T<Real>& D) const {
    D = shifted(D, arm);
    BallFreedom<Real>::eliminate(D);
  }

  // X_pᵀ S X_p with S = [S 0; 0 0].
  void add_to_parent(const Sym6T<Real>& D, Sym6T<Real>& parent) const { add_point_block(D.A, arm_parent, parent); }

  // f ← (g, angular part of f'); returns what the parent receives.
  SpatialT<Real> up(const Sym6T<Real>& D, SpatialT<Real>& f) const {
    f.angular += cross(f.linear, arm);
    BallFreedom<Real>::up(D, f);
    const Vec3T<Real> h = f.linear - D.A * c;
    return {h, cross(arm_parent, h)};
  }

  // f ← y; returns the force on the body at the joint point.
  Vec3T<Real> down(const Sym6T<Real>& D, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const Vec3T<Real> v = y_parent.linear + cross(y_parent.angular, arm_parent) + c;
    const Vec3T<Real> w = D.A * v - f.linear;
    f.angular = BallFreedom<Real>::turn(D, f, v);
    f.linear = v + cross(arm, f.angular);
    return w;
  }
};

// F = [0; a]. D ← S.
template <class Real>
struct HingeJoint : HingeFreedom<Real> {
  Vec3T<Real> arm, arm_parent;
  SpatialT<Real> c;  // relative motion at the joint point, body minus parent

  void eliminate(Sym6T<Real>& D) {
    D = shifted(D, arm);
    HingeFreedom<Real>::eliminate(D);
  }

  void add_to_parent(const Sym6T<Real>& S, Sym6T<Real>& parent) const { parent += shifted(S, -arm_parent); }

  SpatialT<Real> up(const Sym6T<Real>& S, SpatialT<Real>& f) {
    f = force_at(f, arm);
    HingeFreedom<Real>::up(f);
    return force_from(f - S * c, arm_parent);
  }

  SpatialT<Real> down(const Sym6T<Real>& S, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const SpatialT<Real> v = motion_at(y_parent, arm_parent) + c;
    const SpatialT<Real> w = S * v - f;
    f.angular = v.angular + this->rate(v) * this->axis;
    f.linear = v.linear + cross(arm, f.angular);
    return w;
  }
};

// Any F: by Freedoms up to three columns, by ManyFreedoms up to six. D ← S.
template <class Real, template <class> class Free = Freedoms>
struct FreedomJoint : Free<Real> {
  Vec3T<Real> arm, arm_parent;
  SpatialT<Real> c;

  void eliminate(Sym6T<Real>& D) {
    D = shifted(D, arm);
    Free<Real>::eliminate(D);
  }

  void add_to_parent(const Sym6T<Real>& S, Sym6T<Real>& parent) const { parent += shifted(S, -arm_parent); }

  SpatialT<Real> up(const Sym6T<Real>& S, SpatialT<Real>& f) {
    f = force_at(f, arm);
    Free<Real>::up(f, {});
    return force_from(f - S * c, arm_parent);
  }

  SpatialT<Real> down(const Sym6T<Real>& S, const SpatialT<Real>& y_parent, SpatialT<Real>& f) const {
    const SpatialT<Real> v = motion_at(y_parent, arm_parent) + c;
    const SpatialT<Real> w = S * v - f;
    f = v;
    Free<Real>::down(f);
    f.linear += cross(arm, f.angular);
    return w;
  }
};

}  // namespace catena
