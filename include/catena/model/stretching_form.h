// Bodies that stretch along their own axes, as scene files say them (kind: stretching): a form (model/body_form.h) of one to three coordinates s, each
// the stretch of one axis or of several together.
//   x = c + R diag(s_x, s_y, s_z) X,     T = m v²/2 + ω·I(s) ω/2 + Σ p_k ṡ_k²/2,     I = diag(p_y s_y² + p_z s_z², …)
// p_k = Σ m X_k² are the second moments of the mass where nothing is stretched. The axes are principal axes, so that stretching alone has no angular
// momentum. A spring on each coordinate, of energy k (s − 1)²/2, pulls it back.
#pragma once

#include <string>

#include "catena/model/body_form.h"

namespace catena {

struct Stretches {
  std::array<int, 3> of_axis{0, 1, 2};  // the coordinate that stretches this axis of the body; −1: none does
  OwnVector stiffness{};                // of each coordinate [J]
  Vec3 moments{};  // p [kg m²]; all zero: those of the body's mass or density and its inertia or shapes
};

class StretchingForm final : public BodyForm {
 public:
  explicit StretchingForm(const Stretches& stretches);

  const Stretches& stretches() const { return stretches_; }
  Vec3 along_axes(const OwnVector& s) const;  // the stretch of each axis
  Sym3 inertia(const OwnVector& s) const;

  int coordinates() const override { return count_; }
  FormMass mass(const OwnVector& s) const override;
  FormForce velocity_force(const FormMotion& motion) const override;
  FormPoint point(const Vec3& material, const FormMotion& motion) const override;
  double elastic_energy(const OwnVector& s) const override;
  OwnVector elastic_force(const OwnVector& s) const override;

 private:
  double rate(const OwnVector& sd, int axis) const;

  Stretches stretches_;
  int count_ = 0;
};

// p of a body with this inertia about its centre of mass, where nothing is stretched. Throws InputError, naming the body, where its axes are not
// principal axes or an axis that stretches has no mass along it.
Vec3 second_moments(const std::string& name, const Sym3& inertia, const Stretches& stretches);

}  // namespace catena
