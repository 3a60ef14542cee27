// Lacoursière's stepping (SPOOK): constraints and contacts at velocity level, end-of-step velocities, positions with those.
//     M v⁺ = M v + h f + Gᵀ λ,      G v⁺ + Σ λ = q                                                              eq. 1
//     q = −(4/h) Υ g + Υ G v + w,   Σ = 4 ε/(h² (1 + 4 τ/h)),   Υ = 1/(1 + 4 τ/h)                                 eq. 2, errata
// Joints without compliance (ε = 0) are solved directly, Σ = 0. Contacts: 0 ≤ w ⟂ z ≥ 0 with Coulomb's law. Three ways to solve:
//     direct        joints by the tree or sparse LDLᵀ, all laws together by pivoting or interior points: exact
//     split         joints directly, laws by Gauss-Seidel on their compliance
//     gauss-seidel  all rows by Gauss-Seidel (Algorithm 3.1), nothing factored
// Departs from the paper in one thing: by default constraints, contacts and forces are taken at the middle of the step,
//     x½ = x + (h/2) v,   M v⁺ = M v + h f(x½) + …,   x⁺ = x½ + (h/2) v⁺,
// which is of second order; the integrator euler is the paper's. Joints with compliance are stepped as in the paper.
// By default steps at whose beginning nothing touches are smooth, and taken by the method lagrange with rk4 (lagrange_laws.h), where there
// are not too many bodies.
// Bodies that meet too fast for a restitution > 0 are thrown back when they meet: the step is cut there (docs/contact.md). Where many mechanisms
// move (a crowd) some always meet: steps are whole and the paper's, and what meets in one touches, or is thrown back, at its end.
// What still overlaps after a step is moved apart as joints are closed (spook_overlap.cpp).
#pragma once

#include <memory>
#include <vector>

#include "catena/mechanism/law_problem.h"
#include "catena/solve/gauss_seidel.h"
#include "catena/solve/solve.h"
#include "catena/laws/contact_force.h"
#include "catena/step/impacts.h"
#include "catena/step/lagrange_laws.h"
#include "catena/step/law_targets.h"
#include "catena/step/stepper.h"

namespace catena {

class SpookStepper final : private LawlessModel, public Stepper {
 public:
  SpookStepper(const Model& model, const State& initial, const Settings& settings);

  // With the forces of the last step's laws as loads.
  Integrator integrator() const override { return midpoint_ ? Integrator::midpoint : Integrator::euler; }
  bool evaluate(const State& state) override;
  const std::vector<ContactForce>& contact_forces() const override { return forces_; }
  const std::vector<Impact>& impacts() const override { return flew_ ? flight_->impacts() : impacts_.list(); }

 private:
  void move(double h, State& state) override;
  bool is_flight() const;
  void fly(double h, State& state);
  bool meets(State& state);
  double advance(double h, bool cut, State& state);
  bool go_to_middle(double h, const State& state);
  bool load_forces(double h, const State& state);
  bool stiffen(double h, const State& state);
  void firm();
  bool any_will_meet(double h) const;
  bool will_meet(const LawBlock& block, double h) const;
  double gap_at_start(const LawBlock& block, double speed, double h) const;
  bool solve_velocities(double h, bool cut, const State& state);
  void joint_targets(double h);
  void law_targets(double h, bool cut);
  void find_haste();
  bool is_out_of_reach(const LawBlock& block, double h) const;
  double time_of_impact(double h) const;
  void displace_all(double h, State& state);
  void find_pressed();
  int most_sweeps(std::size_t blocks) const;
  void solve_laws(const State& state);
  void solve_all(double h, const State& state);
  void report_contacts(double h);
  bool close(double next, State& state);
  void find_powers(const State& state);
  bool close_joints(State& state);
  void look(double ahead, const State& state);
  bool has_looked(double ahead) const { return unchanged_ && model_->joints.empty() && looked_ahead_ == ahead; }
  void could_not_close(const State& state);
  void separate(double next, State& state);
  double gather_normals(double deep);
  bool push_apart(State& state);
  void list_impacts(const State& state);

  const Model* full_;  // with all laws
  LawSolver solver_;
  Laws laws_;
  LawProblem problem_;
  Impacts impacts_;
  RowSet joint_rows_;
  LawRows active_;              // those of laws_ that have a say in this step, with their targets
  bool crowd_;                  // many mechanisms move
  std::vector<int> mechanism_;  // of each body, and whether a law presses on it
  std::vector<char> pressed_;
  std::vector<double> haste_;  // m/s, of a crowd
  bool uneven_;                // light links may hang between heavy bodies
  bool midpoint_;              // constraints and forces at the middle of the step; else at its beginning
  bool middle_here_ = false;   // of this part of it
  std::unique_ptr<LagrangeLawsStepper>
      flight_;           // steps in which nothing touches at first; none: such steps are as others
  bool flew_ = false;    // the last step was a flight
  bool driven_ = false;  // some row prescribes a velocity
  State middle_;
  bool stiff_step_ = false;
  Model stiff_;                      // with the inertias stiffen() raised
  std::vector<Sym3> raise_;          //                                                            (n_body)
  std::vector<BodyVector> damping_;  // impulses                                                   (n_body)
  Powers powers_;
  double looked_ahead_ =
      -1;  // laws_ are those of the state the next step starts from, with contacts this far ahead [s]
  State before_part_, apart_from_;
  std::vector<char> moved_;  // apart                                                       (n_body)
  LawRows normals_;          // of what overlaps or nearly touches
  solve::GaussSeidel sweeps_, apart_;
  solve::Solution distances_;
  solve::Vector start_;
  solve::Solution solution_;
  solve::Solution all_;                   // of joints and laws together
  std::vector<BodyVector> f_, v_, y_;     // forces, velocities, velocity changes           (n_body)
  std::vector<BodyVector> load_;          // what the laws of the last step pushed the bodies with [N]  (n_body)
  std::vector<BodyVector> shift_;         // positions                                       (n_body)
  std::vector<double> b_, phi_, lambda_;  // of the joints' rows
  std::vector<double> shift_lambda_;
  std::vector<double> sigma_;
  std::vector<ContactForce> forces_;
};

}  // namespace catena
