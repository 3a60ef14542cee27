// Bender's impulse method in linear time: "Impulse-based dynamic simulation in linear time", 2007. Equation numbers are his.
//
// At t the joints receive impulses after which the bodies, flying freely over h (eqs. 1–4), meet their joints again at t + h: position
// correction. There they receive impulses that make the joints' velocities agree: velocity correction. Both solve
//     [ M  −Cᵀ ] [ y ]   [  0  ]
//     [ −C   0 ] [ x ] = [ −Δv ]                                                                                eq. 7
// with one factorisation a step: the velocity correction at the end of a step and the position correction of the next share it.
// In maximal coordinates every body flies and C has the rows of all joints; in joint coordinates trees of articulated bodies fly and C has those of loops
// and prescribed motions (mechanism/flight.h).
// Contacts and other laws (impulse_laws.h) are one more part of the constraints, solved in turn with the joints (§5).
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "catena/mechanism/flight.h"
#include "catena/solve/mixing.h"
#include "catena/step/impulse_laws.h"
#include "catena/step/method.h"

namespace catena {

inline double largest(std::span<const double> b) {
  double size = 0;
  for (const double x : b) size = std::max(size, std::abs(x));
  return size;
}

class ImpulseMethod final : public StepMethod {
 public:
  ImpulseMethod(StepContext& context, const Model& full, const State& initial);

  void begin(double h, State& state) override;
  void place(State& state) override { flight_->place(state); }
  std::span<const CarriedCoordinate> carried() const override { return flight_->mechanism().carried(); }
  bool takes_rotors() const override { return flight_->takes_rotors(); }
  PartOfStep plan(int number) const override { return cut_at_events(number, tuning().most_cuts); }
  Mechanism& factored_mechanism(State& state) override;
  solve::Solution answer_impact(const solve::Problem& problem) override { return laws_->answer_impact(problem); }
  double advance(PartOfStep part, const State& before, State& state) override;
  Closing close(State& /*state*/) override { return {.closed = closed_, .worst = {}}; }
  bool is_refused(const PartOfStep& part, double done, const Closing& closing, const State& before,
                  const State& state) override;
  void end(double h, const State& before, State& state) override;
  bool evaluate(const State& state) override;
  void forget() override;

 private:
  bool is_within_budget(const State& state);
  const ImpulseTuning& tuning() const { return context_.tuning.impulse; }

  void load(double h, State& state);
  bool correct(double h, bool cut, State& state);
  bool alternate(double h, bool act, const State& state);
  bool correct_positions(double h, bool again, const State& state);
  bool is_hopeless(int iteration, double gap, double second, double allowed) const;
  bool close_at_end(double h, bool act, State& state);
  bool is_ready_at_end(int iteration, double gap, double before, double allowed);
  void restart_from_laws();
  void assemble_laws(bool ahead);
  void add_joint_impulses(double h);
  void mix();
  void predict(double h, const State& state);
  double gap_allowed() const;
  void leave_gaps(double h);

  void finish(double h, State& state);
  void book_position_impulses(State& state);
  void fly(double h, State& state);
  bool correct_velocities(State& state);
  void end_forces(double h, double begin, State& state);
  double obey_laws(double h, State& state);
  void end_laws(double h, State& state);
  void fail_open(const char* what, double tolerance, const State& state);

  struct Loads {
    std::vector<BodyVector> begin, end;  // external forces at t and at t + h                      (n_body)
    Powers powers;
  };
  struct JointImpulses {       // or those of loops
    VelocityChange y;          // what the impulses of one solve change the velocities by
    std::vector<double> b;     // −e, then −Δv                                                (n_row)
    std::vector<double> x;     // impulses of one solve                                       (n_row)
    std::vector<double> sum;   // and of all position corrections of a step                   (n_row)
    std::vector<double> left;  // of −e at t: what a part shorter than the step leaves open   (n_row, or 0)
    double share = 1;          // of the gap allowed that a part may add
    bool driven = false;       // some row prescribes a velocity: its impulses do work
    std::span<double> wanted() { return driven ? std::span<double>(x) : std::span<double>(); }
  };
  struct Mixings {  // of the motions, and of the rates where they are made of them
    Mixing<BodyVector> bodies;
    Mixing<double> rates;
  };

  struct Energies {              // without the work that was put in [J]
    std::optional<double> most;  // as at the start, or where somebody changed the state: there may not be more
    double before = 0;           // at the start of the step
    bool stored = false;         // contacts and joints that give way give back what they have taken
  };

  std::unique_ptr<Flight> flight_;
  std::unique_ptr<ImpulseLaws> laws_;  // where the model has laws
  Loads loads_;
  JointImpulses joints_;
  Mixings mixing_;
  State predicted_;
  VelocityChange law_dv_;            // what the laws' impulses at t change the velocities by
  VelocityChange dv_;                // what all impulses at t change them by
  std::vector<BodyVector> arrived_;  // velocities at t + h before any impulses there                (n_body, or 0)
  bool closed_ = true;               // the part's joints were
  Energies energies_;
};

}  // namespace catena
