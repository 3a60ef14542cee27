// Jain's stepping: joint coordinates, contacts at velocity level in operational space.
//     θ̇⁺ = θ̇ + Δt θ̈_f + M⁻¹Jᵀ p,      0 ≤ w ⟂ z ≥ 0  with  w = Q Λ Qᵀ z + Q (V + Δt …) − target                          eqs. 33, 53
//     θ⁺ = θ ⊕ Δt θ̇⁺     on the manifold: joints of the forest cannot drift, there is nothing to stabilise
// Bodies that meet fast are thrown back by compression and decompression, two complementarity problems without time (§7).
// Departs from the paper in two things. By default forces and contacts are taken at the middle of the step, which is of second order; the
// integrator euler is the paper's. And the step is cut where bodies meet that will be thrown back (docs/contact.md).
// What overlaps is moved apart after the step, not pushed, and contacts never give energy.
// Loops, joints without coordinates and motors that prescribe a velocity are held rows of the same problem; loops are closed after the step.
#pragma once

#include <vector>

#include "catena/mechanism/formulation.h"
#include "catena/mechanism/law_problem.h"
#include "catena/solve/gauss_seidel.h"
#include "catena/solve/solve.h"
#include "catena/solve/state_newton.h"
#include "catena/step/impacts.h"
#include "catena/step/law_targets.h"
#include "catena/laws/laws.h"
#include "catena/step/stepper.h"

namespace catena {

class OperationalStepper final : private LawlessModel, public Stepper {
 public:
  OperationalStepper(const Model& model, const State& initial, const Settings& settings);

  // With the forces of the last step's laws as loads.
  Integrator integrator() const override { return midpoint_ ? Integrator::midpoint : Integrator::euler; }
  bool evaluate(const State& state) override { return evaluate_with(load_, state); }
  const std::vector<ContactForce>& contact_forces() const override { return forces_; }
  const std::vector<Impact>& impacts() const override { return impacts_; }

 private:
  void move(double h, State& state) override;
  void read(State& state);
  void find_laws(double ahead = 0);
  void place(State& state);
  double advance(double h, bool cut, State& state);
  void go_to_middle(double h, const State& state);
  void accelerate(double h);
  void correct(double h);
  bool solve_velocities(double h, bool cut, const State& state);
  void gather_laws(double h, bool cut);
  void aim(double h);
  void aim_at_means();
  double work_of_laws() const;
  bool solve_rows(double h, const State& state);
  void prepare_rows();
  bool solve_in_operational_space(const State& state);
  bool solve_formulated(double h, const State& state);
  bool solve_by_anticipation(const State& state);
  void respond_to(const LawRows& laws);
  void respond_to_held(const Eigen::VectorXd& b);
  void read_after();
  bool accept(const solve::Solution& solution, const State& state);
  void solve_laws(const solve::Problem& problem, bool guessed, solve::Solution& solution);
  bool solve_from_guess(const solve::Problem& problem, const solve::Options& options, solve::Solution& solution);
  void report_contacts(double h);
  void book(double h, State& state) const;
  void remember_angles(State& state) const;
  void close_loops(State& state);
  void separate(double taken, State& state);
  double gather_overlaps();
  void find_way_apart();
  void go_apart(double part, State& state);
  double energy(const State& state);

  bool will_meet(const LawBlock& block, double h) const;
  // A contact or limit where the step starts.
  struct Start {
    std::uint64_t key;
    double gap, speed;
  };
  void note_starts();
  Start at_start(const LawBlock& block, double speed, double h, bool followed = true) const;
  double time_of_impact(double h);
  bool collide(State& state);
  void throw_back(const std::vector<int>& touching, State& state);

  struct Angle {  // a coordinate that counts whole turns
    JointId joint;
    int coordinate;
    int q;          // where it is among the joint coordinates
    double offset;  // from there to what people read
  };

  ReducedModel tree_;
  ReducedSystem system_;
  HeldRows held_;
  OperationalProblem problem_;
  LawProblem anticipated_;  // of the formulation maximal-os
  Laws laws_;
  LawRows active_;             // those of laws_ that have a say in this step, with their targets
  std::vector<Start> starts_;  // by key
  LawRows normals_;            // of what overlaps or nearly touches
  bool midpoint_;
  double size_;             // of the mechanism
  double energy_scale_;     // its weight times its size [J]
  JointState now_, other_;  // at the start of what is stepped over; at the middle, or a trial
  JointState apart_from_;
  State middle_;
  std::vector<BodyState> placed_;  // the bodies as the last step left them                    (n_body)
  std::uint64_t stamp_ = 0;        // and the kinematics
  std::uint64_t found_ = 0;        // the kinematics laws_ are of
  std::vector<Angle> angles_;
  Powers powers_;
  solve::StateNewton newton_;
  solve::GaussSeidel sweeps_, few_sweeps_;
  solve::Solution solution_;
  // Of the held rows, then of the laws: impulses, what they must take away, J v before, without impulses and after.
  Eigen::VectorXd z_, b_, before_rows_, free_, after_;
  std::vector<double> vdot_, v_;       // accelerations without laws; rates after the step   (n_v)
  std::vector<double> dv_;             //                                                    (n_v)
  std::vector<BodyVector> f_, p_, y_;  // forces, impulses, motions                          (n_body)
  std::vector<BodyVector> load_;       // what the laws of the last step pushed with [N]     (n_body)
  std::vector<ContactForce> forces_;
  std::vector<Impact> impacts_;
};

}  // namespace catena
