// A kind of body that its user defines: a frame, which moves like a rigid body, and up to six coordinates q of its own, which say what form the body has
// in that frame. Dimension 6 + coordinates(), at most 12.                                                      Baraff §2
//
//   struct Stretching : catena::BodyForm { … };                                       // in the user's own header
//   builder.body({.name = "blob", .kind = BodyKind::formed, .mass = 2, .form = std::make_shared<Stretching>(…), .form_start = {1, 1, 1}});
//
// The mass block is  T = m v²/2 + ω·I(q) ω/2 + q̇·C(q) q̇/2.  Two things make it so for any body of material points, and are the user's to choose:
// the origin of the frame is the centre of mass for every q, and the frame is the one in which a change of form alone has no angular momentum
// (for stretches: principal axes).
#pragma once

#include <array>

#include "catena/math/vec3.h"

namespace catena {

inline constexpr int kMaxOwn = 6;  // coordinates of a form

// Numbers over the coordinates of a form; those past coordinates() are zero.
using OwnVector = std::array<double, kMaxOwn>;
using OwnMatrix = std::array<OwnVector, kMaxOwn>;

struct FormMotion {
  OwnVector q{}, qd{};
  Vec3 w{};  // angular velocity of the frame, its own axes
};

struct FormMass {
  Sym3 inertia{};   // I(q), about the centre of mass, axes of the frame [kg m²]
  OwnMatrix own{};  // C(q), symmetric and positive definite
};

struct FormForce {
  Vec3 torque{};    // on the frame, its own axes
  OwnVector own{};  // on the coordinates
};

// A material point: where it is in the frame, and how it moves there.
struct FormPoint {
  Vec3 x{};                           // from the centre of mass
  std::array<Vec3, kMaxOwn> slope{};  // ∂x/∂q
  Vec3 bias{};                        // Σ ∂²x/∂q_i∂q_k q̇_i q̇_k
};

class BodyForm {
 public:
  virtual ~BodyForm() = default;

  virtual int coordinates() const = 0;  // 1 … 6, always the same
  virtual FormMass mass(const OwnVector& q) const = 0;
  // What follows from Lagrange's equations for T: −ω × Iω − İω on the frame, ∂T/∂q − Ċ q̇ on the coordinates.
  virtual FormForce velocity_force(const FormMotion& motion) const = 0;
  // The point that is at `material` in the form the user calls undeformed.
  virtual FormPoint point(const Vec3& material, const FormMotion& motion) const = 0;

  // Its elasticity: a potential and minus its derivative.
  virtual double elastic_energy(const OwnVector& /*q*/) const { return 0; }
  virtual OwnVector elastic_force(const OwnVector& /*q*/) const { return {}; }
};

}  // namespace catena
