// Moving a mechanism by hand: a point of a body follows a target while every joint and loop stays closed. Time stands still.
//     M v − Jᵀλ = f,  J v = 0                     Baraff §3: dynamics of the first order, f = m v
// A force f at the point gives the velocities v of all bodies; the three unit forces give the compliance of the point, and its inverse
// the force whose v takes the point to the target. After the displacement the positions are projected onto the joints.
#pragma once

#include <memory>
#include <vector>

#include "catena/mechanism/projection.h"

namespace catena {

class Manipulator {
 public:
  // `initial` must be assembled. Motors let go: prescribed velocities do not hold the mechanism.
  Manipulator(const Model& model, const State& initial, LinearSolver solver);
  ~Manipulator();

  // Moves `point` (body coordinates, from the centre of mass) of `body` towards `target` as far as the joints allow, and leaves the
  // mechanism at rest. Returns what is left of the joints' violation; a move that could not be closed is taken back.
  Drift pull(BodyId body, const Vec3& point, const Vec3& target, State& state);

  // At most the mass that a force at the point feels, in any direction: 1 / trace of the compliance. 0 when the joints hold it fast.
  double effective_mass(BodyId body, const Vec3& point, const State& state);

 private:
  bool respond(BodyId body, const Vec3& arm, const State& state);

  Model model_;  // without motors
  double size_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Projection> projection_;
  std::vector<BodyVector> response_[3];  // velocities for a unit force along each axis    (n_body)
  Mat3 compliance_{};                    // of the point: velocity per force
  std::vector<double> no_motion_;        // J v = 0                                        (n_row)
};

}  // namespace catena
