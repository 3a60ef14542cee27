// Every body flies by itself (free_flight.h), and all joints are constraints.                                          Bender eqs. 1–7
#pragma once

#include "catena/mechanism/factored_joints.h"
#include "catena/mechanism/flight.h"
#include "catena/mechanism/free_flight.h"
#include "catena/mechanism/maximal_mechanism.h"

namespace catena {

class MaximalFlight final : public Flight {
 public:
  // At the initial state as the kinematics of `dynamics` have it. Keeps references to the first three.
  MaximalFlight(Dynamics& dynamics, Projection& projection, FactoredJoints& factored, Integrator rule,
                const Tuning& tuning);

  Mechanism& mechanism() override { return mechanism_; }
  VelocityChange still() const override { return {std::vector<BodyVector>(model().bodies.size()), {}}; }
  void place(State& state) override;
  void forget() override { stamp_ = 0; }
  bool factor(State& state) override { return factored_->factor(state); }
  void set_accuracy(double accuracy) override { dynamics_->system().set_accuracy(accuracy); }
  void start(double h, std::span<const BodyVector> f) override;
  void find_positions(const VelocityChange& dv, State& out) override;
  void find_velocities(const VelocityChange& dv, State& out) override { flight_.velocities(dv.bodies, out.bodies); }
  void arrive(State& predicted, State& state) override;
  int rows() const override { return dynamics_->system().rows(); }
  bool has_dependent_rows() const override { return !dynamics_->system().redundant().empty(); }
  bool drives() const override { return drives_; }
  void gaps_here(std::span<double> b) override { dynamics_->system().position_rhs(kinematics(), b); }
  void gaps_ahead(std::span<double> b) override { dynamics_->system().position_rhs(kinematics(), b); }
  void speeds(std::span<double> b) override { dynamics_->system().velocity_rhs(kinematics(), b); }
  void mean_gaps(double h, const VelocityChange& dv, const State& state, State& predicted,
                 std::span<double> b) override;
  Drift read(std::span<const double> b) const override { return projection_->read(b); }
  double motor_work(std::span<const double> x) const override { return dynamics_->motor_power(x); }
  void solve(std::span<const double> b, VelocityChange& y, std::span<double> x) override;
  void respond(const LawRows& laws, const solve::Vector& z, VelocityChange& dv) override;
  void respond_freely(std::span<const BodyVector> p, VelocityChange& dv) override;
  void add(const VelocityChange& dv, State& state) override;
  void keep(const State& state) override { kept_ = state.bodies; }
  void recall(State& state) override { state.bodies = kept_; }
  void remember_angles(State& state) override;

 private:
  struct VelocityRows {  // of joints with rows that are not holonomic
    RowSet begin, end;   // at the beginning of the flight and at the predicted state
  };

  Projection* projection_;
  FactoredJoints* factored_;
  MaximalMechanism mechanism_;
  FreeFlight flight_;
  VelocityRows velocity_rows_;
  bool drives_;
  std::uint64_t stamp_ = 0;  // of the kinematics at a state that place() need not go to again
  std::vector<BodyState> kept_;
  std::vector<double> zero_;    //                                                         (n_row)
  std::vector<BodyId> pushed_;  // by laws
};

}  // namespace catena
