// The end of a step: shapes that overlap, and joints past their limits, are moved apart as joints are closed, by the smallest change of
// positions in the metric of the mass matrix that leaves the joints closed:
//     M d − Gᵀλ − Jᵀz = 0,   G d = 0,   0 ≤ z ⟂ gap + J d ≥ 0
// Velocities are left alone: nothing flies apart that was moved out of something. Overlaps come from slow meetings, which are stopped at the end
// of the step they fall in, from gaps that do not change evenly as bodies turn, and from sweeps that did not converge.
// To move out of an overlap takes energy. It is taken from what the contacts took in the step, and what that does not pay for stays: contacts
// never give energy, in no step. Deep overlaps, which only a scene can begin with, are left at a bounded speed whatever energy that takes, and
// booked as what closing joints takes.
#pragma once

#include <functional>

#include "catena/contact/contact_solver.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/mechanism.h"
#include "catena/model/tuning.h"

namespace catena {

class Overlaps {
 public:
  // Keeps a reference to the tuning.
  explicit Overlaps(Tuning&& tuning) = delete;
  explicit Overlaps(const Tuning& tuning) : tuning_(tuning.velocity), parts_(tuning.parts) {}

  // `laws` found at the state the mechanism is placed at, and found anew by find() wherever that is moved. `taken`: energy the contacts
  // took in the step of `h`. Returns whether anything was moved.
  bool separate(const Laws& laws, const std::function<void()>& find, double h, double taken, bool swept,
                Mechanism& mechanism, ContactSolver& solver, State& state);

  // At the start of a part of a step: what overlaps already is of the scene, not of the step.
  void note_start(const LawRows& laws);

  // The deepest overlap of two shapes [m].
  static double deepest_contact(const LawRows& laws);

 private:
  double gather(const LawRows& laws, double shallow);
  void find_way_apart(Mechanism& mechanism, ContactSolver& solver, bool swept);

  const VelocityTuning& tuning_;
  const PartTuning& parts_;
  double since_before_ = 0;  // the deepest overlap at the start of the part
  LawRows normals_;          // of what overlaps or nearly touches
};

}  // namespace catena
