// Joints do not drift: after a step the positions are moved onto phi = 0 and the velocities onto J v = u, by the smallest change in
// the metric of the mass matrix, with the factorisation the accelerations use. No gains.
//     M d − Jᵀλ = 0,  J d = −phi          then          M Δv − Jᵀλ = 0,  J Δv = u − J v
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/mechanism/drift.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/geometric_stiffness.h"

namespace catena {

class Projection {
 public:
  // Positions are met to this, lengths relative to the size of the mechanism, angles in rad.
  static constexpr double kTolerance = 1e-13;
  // Rows that contradict each other by no more than this are met in the least-squares sense: axes in single precision are parallel to 1e-7.
  static constexpr double kContradiction = 1e-6;

  // `state`: assembled, or about to be: where it is open by no more than contradictions are, it is taken for as closed as can be;
  // `size`: see mechanism_size().
  Projection(Dynamics& dynamics, const State& state, double size);

  // Inertia to add to some bodies wherever the projection evaluates them; nullptr: none.
  void raise(const GeometricStiffness* added) { added_ = added; }

  Drift drift(const State& state);
  // The drift that position_rhs() of the system says.
  Drift read(std::span<const double> b) const;

  // Newton's method with the factorisation that is there; factors anew where that converges slowly. With `fresh` every iteration
  // factors (assembly). Returns what is left; the kinematics are then at the state's positions, but
  // their inertias only with `fresh`.
  Drift positions(State& state, bool fresh, int max_iterations, double tolerance = kTolerance);

  // The same with the factorisation that is there, to about the tolerance: ends when the last two moves show that the next would be smaller.
  void approach(State& state, int max_iterations, double tolerance);

  // One solve, after a factorisation at the state's positions, which it makes. False when that fails.
  bool velocities(State& state);

 private:
  void update(const State& state);
  Drift drift_here();
  void find_move(bool least);
  double size_of_move() const;

  Dynamics* dynamics_;
  const GeometricStiffness* added_ = nullptr;
  double size_;
  bool contradictory_ = false;     // rows of the first state contradict each other
  std::vector<double> is_angle_;   // 1 or 0             (n_row)
  std::vector<BodyId> jointed_;    // bodies that joints hold
  std::vector<JointId> joint_of_;  //                    (n_row)
  std::vector<double> b_;          //                    (n_row)
  std::vector<BodyVector> d_;      //                    (n_body)
};

// The largest distance between joint anchors and centres of mass the model has: what drift is measured against. At least 1e-6 m.
double mechanism_size(const Model& model, const State& state);

// Closes the joints of an initial state: positions, then velocities. Throws InputError naming the joint that cannot be closed and
// by how much. Says in `warnings` when it had to move something by more than 1e-6 of the size.
void assemble(const Model& model, State& state, LinearSolver solver, Warnings& warnings);

}  // namespace catena
