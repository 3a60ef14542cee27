// Jain's formulations of one contact problem. All have the laws' impulses z among their unknowns and lead to the same velocities; they
// differ in what else is unknown, and so in size and in the work of setting up.                                          Jain Table 1
//     nmc     V⁺, impulses of all joints     [M −Gᵀ −Jᵀ; G 0 0; J 0 Σ]                   eq. 27     6n + n_b + n_u (n_f + 2)
//     mc      θ̇⁺, impulses of loops          the same with M(θ)                           eq. 36     N + n_b + n_u (n_f + 2)
//     rmc     –                              J Y Jᵀ + Σ                                   eq. 41     n_u (n_f + 2)
//     os      impulses of loops              Q Λ Qᵀ, Λ by recursion                       eq. 53     n_b + n_u (n_f + 2)
//     nmc-os  impulses of all joints         the same with Λ = J M⁻¹Jᵀ of single bodies   §8         n_b + n_u (n_f + 2)
// Departs from the paper in one thing: V⁺ is J θ̇⁺ at the positions of the step, without the J̇θ̇Δt that eq. 21 leaves in it, so that contacts
// mean the same in all of them.
#pragma once

#include <Eigen/Core>
#include <span>

#include "catena/mechanism/operational_problem.h"
#include "catena/model/settings.h"

namespace catena {

// The size of a formulation's mixed LCP with `contacts` contacts of n_f friction directions and `others` rows of other laws.
int formulation_size(Formulation formulation, const ReducedModel& model, int contacts, int n_f, int others = 0);

// What all of them are told.
struct ContactStep {
  const Kinematics& kinematics;
  ReducedSystem& system;  // updated, not factored
  const HeldRows& held;
  const LawRows& laws;
  std::span<const double> v;      // rates before
  std::span<const BodyVector> f;  // forces on the bodies without velocity-dependent ones [N, N·m]
  std::span<const double> u;      // what G v⁺ of the held rows must be
  double h;                       // s
};

class FormulationProblem {
 public:
  // Formulates; `n_f` = 0: the exact cone. Not for os and maximal-os, which have classes of their own.
  FormulationProblem(Formulation formulation, const ContactStep& step, int n_f);

  const solve::Problem& problem() const { return problem_; }
  std::vector<solve::Block>& blocks() { return problem_.blocks; }  // the laws' are the last, as their rows are
  // Of an answer: impulses of the held rows and of the laws, as OperationalProblem orders them, and the rates after.
  void read(const solve::Vector& answer, Eigen::VectorXd& z, std::span<double> v) const;

 private:
  void non_minimal(const ContactStep& step, bool keep_velocities);
  void minimal(const ContactStep& step, bool keep_velocities);
  void add_free(int count);

  const ReducedModel* model_;
  solve::Problem problem_;
  Eigen::MatrixXd A_;
  bool reduced_ = false;            // rmc: the laws' impulses are the only unknowns
  int velocities_ = 0;              // leading unknowns that are velocities
  int joints_ = 0;                  // unknowns after them: impulses of the forest's joints
  int held_ = 0;                    // then those of held rows that depend on no others
  int all_held_ = 0;                // held rows, with those that do
  std::vector<int> kept_;           // the former among the latter
  Eigen::MatrixXd from_impulses_;   // rates by impulses, where velocities are no unknowns
  Eigen::VectorXd free_;            // rates without impulses
  Eigen::MatrixXd held_from_laws_;  // rmc: impulses of held rows by those of the laws
  Eigen::VectorXd held_free_;       // and without
  Eigen::MatrixXd rates_of_;        // rates by the velocities of the bodies
};

}  // namespace catena
