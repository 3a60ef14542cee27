// Bender's impulse method in linear time: "Impulse-based dynamic simulation in linear time", 2007. Equation numbers are his.
//
// At t the joints receive impulses after which the bodies, flying freely over h (eqs. 1–4), meet their joints again at t + h: position
// correction. There they receive impulses that make the joints' velocities agree: velocity correction. Both solve
//     [ M  −Cᵀ ] [ y ]   [  0  ]
//     [ −C   0 ] [ x ] = [ −Δv ]                                                                                eq. 7
// with one factorisation a step: the velocity correction at the end of a step and the position correction of the next share it.
#pragma once

#include <memory>
#include <vector>

#include "catena/solve/mixing.h"
#include "catena/step/free_flight.h"
#include "catena/step/impulse_laws.h"
#include "catena/step/stepper.h"

namespace catena {

class ImpulseStepper final : private LawlessModel, public Stepper {
 public:
  ImpulseStepper(const Model& model, const State& initial, const Settings& settings);

 private:
  static constexpr double kRough = 0.1, kFine = 1e-10;  // accuracy of iterated solves in a step, and for reading
  static double largest(std::span<const double> b);

  void move(double h, State& state) override;
  bool evaluate_here(const State& state) override;
  const std::vector<ContactForce>& own_forces() const override { return contact_forces_; }
  const std::vector<Impact>& own_impacts() const override { return impacts_.list(); }
  bool compares_energy() const override { return true; }
  double lawful_part(double h, bool cut, State& state);
  bool correct_with_laws(double h, bool cut, const State& state);
  bool alternate(double h, bool act, const State& state);
  bool close_at_end_with_laws(double h, const State& state);
  void restart_from_laws();
  void answer_laws(bool ahead);
  void throw_back(double ahead, State& state);
  ImpulseLaws::Work obey_laws(double h, State& state);
  void end_laws(double h, State& state);
  void finish(double h, State& state);
  void part(double h, int halvings, State& state);
  void load(double h, const State& state);
  bool correct_positions(double h, bool again, const State& state);
  void add_joint_impulses(double h);
  bool close_at_end(double h, const State& state);
  bool ready_at_end(int iteration, double gap, double before, double allowed);
  void predict(double h, const State& state);
  void hold_velocities(double h, const State& state);
  void book_position_impulses(State& state);
  void integrate(double h, State& state);
  bool correct_velocities(State& state);
  void end_forces(double h, double begin, State& state);
  double gap_allowed() const;
  double energy_gained(std::span<const BodyVector> dv, const State& state) const;
  void open_joint(const char* what, double tolerance, const State& state);

  std::unique_ptr<ImpulseLaws> laws_;  // where the model has laws
  Impacts impacts_;
  FreeFlight flight_;
  Mixing mixing_;
  double size_;
  RowSet held_begin_, held_end_;  // joints with rows that are not holonomic, at t and at the predicted state
  State predicted_;
  Powers powers_;
  std::vector<BodyVector> f_, f_end_;  // external forces at t and at t + h                    (n_body)
  std::vector<BodyVector> law_dv_;     // what the laws' impulses at t change the velocities by (n_body)
  std::vector<BodyVector> load_;       // what the laws push with                              (n_body)
  std::vector<ContactForce> contact_forces_;
  std::vector<BodyState> before_laws_;  //                                                 (n_body)
  std::vector<BodyVector> dv_;          // what the impulses at t changed the velocities by     (n_body)
  std::vector<BodyVector> y_;           // what the impulses of one solve change them by        (n_body)
  std::vector<double> b_;               // −e, then −Δv                                         (n_row)
  std::vector<double> x_;               // impulses of one solve                                (n_row)
  std::vector<double> x_sum_;           // and of all position corrections of a step             (n_row)
  bool driven_ = false;                 // some row prescribes a velocity: its impulses do work
  std::uint64_t stamp_ = 0;             // of the kinematics at the state the next step starts from
};

}  // namespace catena
