// A kind of body the library does not have: rigid, and stretching along its three principal axes. Dimension 9 (v, ω, ds/dt).
//   x = c + R diag(s) X,     T = m v²/2 + ω·I(s) ω/2 + Σ p_k (ds_k/dt)²/2,     I = diag(p_2 s_2² + p_3 s_3², …)
// p_k are the second moments of its mass, Σ m X_k², at s = (1, 1, 1). A spring on each axis pulls it back to that form.
#pragma once

#include <catena/body_form.h>

#include <cstddef>

class StretchingBody : public catena::BodyForm {
 public:
  StretchingBody(const catena::Vec3& second_moments, const catena::Vec3& stiffness)
      : p_(second_moments), k_(stiffness) {}

  // A box of uniform density with these sides.
  static StretchingBody box(double mass, const catena::Vec3& sides, double stiffness) {
    return {(mass / 12) * catena::Vec3{sides.x * sides.x, sides.y * sides.y, sides.z * sides.z},
            {stiffness, stiffness, stiffness}};
  }

  int coordinates() const override { return 3; }

  catena::FormMass mass(const catena::OwnVector& s) const override {
    catena::FormMass out;
    out.inertia = inertia(s);
    for (int k = 0; k < 3; ++k) out.own[at(k)][at(k)] = p_[k];
    return out;
  }

  catena::FormForce velocity_force(const catena::FormMotion& m) const override {
    catena::Vec3 rate{};  // d/dt of p_k s_k²
    catena::FormForce out;
    for (int k = 0; k < 3; ++k) {
      rate[k] = 2 * p_[k] * m.q[at(k)] * m.qd[at(k)];
      out.own[at(k)] = p_[k] * m.q[at(k)] * (dot(m.w, m.w) - m.w[k] * m.w[k]);
    }
    const catena::Vec3 change{(rate.y + rate.z) * m.w.x, (rate.x + rate.z) * m.w.y, (rate.x + rate.y) * m.w.z};
    out.torque = -cross(m.w, inertia(m.q) * m.w) - change;
    return out;
  }

  catena::FormPoint point(const catena::Vec3& X, const catena::FormMotion& m) const override {
    catena::FormPoint out;
    for (int k = 0; k < 3; ++k) {
      out.x[k] = m.q[at(k)] * X[k];
      out.slope[at(k)][k] = X[k];
    }
    return out;
  }

  double elastic_energy(const catena::OwnVector& s) const override {
    double energy = 0;
    for (int k = 0; k < 3; ++k) energy += 0.5 * k_[k] * (s[at(k)] - 1) * (s[at(k)] - 1);
    return energy;
  }
  catena::OwnVector elastic_force(const catena::OwnVector& s) const override {
    catena::OwnVector out{};
    for (int k = 0; k < 3; ++k) out[at(k)] = -k_[k] * (s[at(k)] - 1);
    return out;
  }

 private:
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  catena::Sym3 inertia(const catena::OwnVector& s) const {
    const double x = p_.x * s[0] * s[0], y = p_.y * s[1] * s[1], z = p_.z * s[2] * s[2];
    return catena::Sym3::diagonal(y + z, x + z, x + y);
  }

  catena::Vec3 p_, k_;
};
