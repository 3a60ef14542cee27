// The other formulations of the contact problem of the method operational (Jain §§3–6, 8; mechanism/formulation.h): the same impulses
// from problems that keep velocities, joints or loops among their unknowns, or whose compliance comes from Baraff's anticipation.
#pragma once

#include "catena/contact/contact_solver.h"
#include "catena/mechanism/law_problem.h"
#include "catena/mechanism/reduced_mechanism.h"

namespace catena {

class Formulations {
 public:
  // Whether the settings ask for another formulation than operational space.
  static bool needed(const Settings& settings);
  // Pivots need pyramids, and so do the formulations that leave velocities or joints in the problem; those are solved by pivots.
  static Settings adjusted(Settings settings);

  Formulations(const Model& model, const Settings& settings);

  // The impulses of the laws into solver.solution, and the mechanism's answer to them. The mechanism knows the motion without laws and has
  // been assembled with them; f are the forces of the step.
  void solve(double h, ReducedMechanism& mechanism, LawRows& laws, std::span<const BodyVector> f,
             ContactSolver& solver);

 private:
  void solve_formulated(double h, ReducedMechanism& mechanism, LawRows& laws, std::span<const BodyVector> f,
                        ContactSolver& solver);
  void solve_by_anticipation(ReducedMechanism& mechanism, LawRows& laws, ContactSolver& solver);

  Formulation formulation_;
  int facets_;
  LawProblem anticipated_;  // maximal-os
  std::vector<BodyVector> f_;
};

}  // namespace catena
