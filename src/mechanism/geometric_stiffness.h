// Light bodies that heavy ones pull on swing too fast for the step. A joint's force f at an arm r turns a body back with a stiffness of about
// K = |r||f| (1 − r̂r̂ᵀ), and a rotation whose ω² = K/I is beyond 4/h² would grow from step to step. There the torque is taken where the step
// ends, θ½ + (h/2) ω + h dω:
//     (I + h² K) dω = h τ½ − (h²/2) K ω
// What the step cannot resolve is damped, as by the backward Euler method; bodies whose swing is resolved are left alone.
#pragma once

#include <span>
#include <vector>

#include "catena/constraint/row_set.h"

namespace catena {

class GeometricStiffness {
 public:
  explicit GeometricStiffness(const Model& model);

  // From the joints' impulses `lambda` of a step of h with velocities `before`, at the positions of the kinematics. True when some body's
  // inertia is to be raised.
  bool evaluate(double h, const Kinematics& kinematics, const RowSet& rows, std::span<const double> lambda,
                const std::vector<BodyVector>& before);
  // I + factor · h² K of the raised bodies, in the kinematics' mass blocks.
  void raise(Kinematics& kinematics, double factor = 1) const;
  // The factor for the projection: a taut chain that is a little too short is then closed by a tiny shift of its load, not by
  // turning links past straight, where Newton's method cycles.
  static constexpr double kProjectionFactor = 1e4;
  // −(h²/2) K ω.
  const BodyVector& damping(BodyId body) const { return damping_[body]; }

 private:
  const Model* model_;
  std::vector<Sym3> added_;          // world axes                                     (n_body)
  std::vector<char> raised_;         //                                                (n_body)
  std::vector<BodyVector> damping_;  //                                                (n_body)
};

}  // namespace catena
