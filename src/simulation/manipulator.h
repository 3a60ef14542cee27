// Moving a mechanism by hand: a point of a body follows a target while every joint and loop stays closed. Time stands still.
//     M v − Jᵀλ = f,  J v = 0                     Baraff §3: dynamics of the first order, f = m v
// A force f at the point gives the velocities v of all bodies; the three unit forces give the compliance of the point, and its inverse
// the force whose v takes the point to the target. After the displacement the positions are projected onto the joints.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "catena/laws/laws.h"
#include "catena/mechanism/projection.h"
#include "catena/simulation/drag.h"

namespace catena {

class Manipulator {
 public:
  // `initial` must be assembled, and is where the coordinates of joints have their `start`. Motors let go: prescribed velocities do not hold the mechanism.
  Manipulator(const Model& model, const State& initial, LinearSolver solver);
  ~Manipulator();

  // Moves `point` (body coordinates, from the centre of mass; of a body with a form, material ones) of `body` towards `target` as far as the joints allow, and leaves the
  // mechanism at rest. Returns what is left of the joints' violation; a move that could not be closed is taken back.
  Drift pull(BodyId body, const Vec3& point, const Vec3& target, State& state);

  // Moves any number of points towards their targets at once, as far as joints, limits and contacts allow, until they are there or come no
  // nearer; leaves the mechanism at rest. Limits and contacts push and do not pull, without friction:
  //     w = A z + b,   A = [Jd; Jl] M̂⁻¹ [Jd; Jl]ᵀ,   drags: w = 0,   limits and gaps: 0 ≤ z ⟂ w = gap + Jl v ≥ 0       Baraff §3, §8
  DragReport drag(std::span<const Drag> drags, State& state);

  // At most the mass that a force at the point feels, in any direction: 1 / trace of the compliance. 0 when the joints hold it fast.
  double effective_mass(BodyId body, const Vec3& point, const State& state);

 private:
  struct Standing {
    double distance = 0, violation = 0, norm = 0;
  };
  bool respond(BodyId body, const Vec3& arm, const State& state);
  Standing standing(std::span<const Drag> drags, const State& state);
  struct Move {
    double part, length;
  };
  bool wanted_motion(std::span<const Drag> drags, double damping, double share);
  void add_pulls(std::span<const Drag> drags);
  bool add_stops(std::vector<char>& added);
  bool solve_pushes(Eigen::Index pulls, double damping, double share);
  Move next_move(double size) const;
  Drift move(double part, State& state);
  double extent(std::span<const Drag> drags, const State& state);
  // A row and the bodies it pushes: two and their forms at most.
  struct PushRow {
    std::array<BodyId, 4> body;
    std::array<BodyVector, 4> J;
    int count = 0;
    std::vector<BodyVector> motion;  // of all bodies, for a unit force along the row

    void add(BodyId pushed, const BodyVector& along) {
      if (!pushed.valid()) return;
      body[static_cast<std::size_t>(count)] = pushed;
      J[static_cast<std::size_t>(count++)] = along;
    }
    double times(const std::vector<BodyVector>& v) const {
      double sum = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) sum += dot(J[k], v[body[k]]);
      return sum;
    }
  };
  void add_response(PushRow row);

  Model model_;    // without motors
  State initial_;  // where joints count from
  double size_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Projection> projection_;
  std::vector<BodyVector> response_[3];  // velocities for a unit force along each axis    (n_body)
  Mat3 compliance_{};                    // of the point: velocity per force
  std::vector<double> no_motion_;        // J v = 0                                        (n_row)
  // Of drag().
  std::unique_ptr<Laws> laws_;
  std::vector<PushRow> rows_;
  std::vector<double> gaps_;        // what a row is open by, or a point away from its target along it   (rows_)
  std::vector<BodyVector> motion_;  // what is wanted of all bodies
};

}  // namespace catena
