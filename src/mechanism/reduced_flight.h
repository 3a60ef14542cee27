// Trees of articulated bodies fly, by the classical Runge–Kutta method on their joint coordinates, rotations by their rotation vectors (Munthe-Kaas); their
// joints hold identically. What impulses are found for is what joint coordinates leave over: loops and prescribed motions (held_rows.h).
#pragma once

#include <array>

#include "catena/mechanism/flight.h"
#include "catena/mechanism/reduced_mechanism.h"

namespace catena {

class ReducedFlight final : public Flight {
 public:
  // At the initial state as the kinematics of `dynamics` have it; keeps a reference to it. `size` of the mechanism.
  ReducedFlight(Dynamics& dynamics, double size, const JointTuning& tuning);

  Mechanism& mechanism() override { return mechanism_; }
  bool takes_rotors() const override { return takes_rotors_; }
  VelocityChange still() const override;
  void place(State& state) override { mechanism_.place(state); }
  bool factor(State& state) override;
  void start(double h, std::span<const BodyVector> f) override;
  void find_positions(const VelocityChange& dv, State& out) override;
  void find_velocities(const VelocityChange& /*dv*/, State& /*out*/) override {}  // find_positions() has
  void arrive(State& predicted, State& state) override;
  int rows() const override { return mechanism_.held().rows(); }
  bool has_dependent_rows() const override { return mechanism_.has_dependent_rows(); }
  bool drives() const override { return mechanism_.held().drives(); }
  void gaps_here(std::span<double> b) override { read_gaps(mechanism_.held(), b); }
  void gaps_ahead(std::span<double> b) override { read_gaps(ahead_.held, b); }
  void speeds(std::span<double> b) override;
  void mean_gaps(double h, const VelocityChange& dv, const State& state, State& predicted,
                 std::span<double> b) override;
  Drift read(std::span<const double> b) const override;
  double motor_work(std::span<const double> x) const override;
  void solve(std::span<const double> b, VelocityChange& y, std::span<double> x) override;
  void respond(const LawRows& laws, const solve::Vector& z, VelocityChange& dv) override;
  void respond_freely(std::span<const BodyVector> p, VelocityChange& dv) override;
  void complete(VelocityChange& dv) override { mechanism_.system().motion(dv.rates, dv.bodies); }
  void add(const VelocityChange& dv, State& state) override;
  void keep(const State& /*state*/) override { kept_ = mechanism_.rates(); }
  void recall(State& state) override { mechanism_.set_rates(kept_, state); }
  double energy_gained(const VelocityChange& dv, const State& state) const override;
  void remember_angles(State& state) override { mechanism_.remember_angles(state); }
  double energy(const State& state) override;

 private:
  struct Slope {
    std::vector<double> q, v;  // along the rates; of them                                      (n_v)
  };

  static void read_gaps(const HeldRows& held, std::span<double> b);
  void fly(std::span<const double> dv);
  void find_slope(double t, Slope& slope);

  double size_;  // of the mechanism [m]
  ReducedMechanism mechanism_;
  bool takes_rotors_;
  struct Ahead {  // of the predicted state
    Kinematics kinematics;
    HeldRows held;
  } ahead_;
  HeldRows begin_;  // where the flight starts, of mechanisms with rows that are not holonomic
  ReducedSystem flying_;
  double h_ = 0;
  JointState start_;   // of the flight
  struct Stages {      // of the Runge–Kutta method
    JointState first;  // the start with what impulses add
    JointState now;    // and at last the end
    std::array<Slope, 4> slopes;
    std::vector<double> along;  // what a stage has moved along                                 (n_v)
  } stages_;
  std::vector<BodyVector> f_, p_;     // forces; impulses                                      (n_body)
  std::vector<double> rates_, kept_;  //                                                       (n_v)
  std::vector<double> b_;             //                                                       (held)
};

}  // namespace catena
