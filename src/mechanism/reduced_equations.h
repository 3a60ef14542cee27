// The equations of motion in joint coordinates: θ̈ by articulated bodies, loops and prescribed motions by multipliers, integrated with the
// coordinates on their manifold. Joints of the forest hold identically; loops are closed after each step.
#pragma once

#include "catena/mechanism/equations_of_motion.h"
#include "catena/mechanism/reduced_mechanism.h"

namespace catena {

class ReducedEquations final : public EquationsOfMotion {
 public:
  // At the initial state as the kinematics of `dynamics` have it; keeps a reference to it. `size` of the mechanism.
  ReducedEquations(Dynamics& dynamics, double size, const JointTuning& tuning);

  Mechanism& mechanism() override { return mechanism_; }
  bool is_reduced() const override { return true; }
  // Of the joints of the forest they are inertia along a coordinate.
  bool takes_rotors() const override { return takes_rotors_; }
  void place(State& state) override { mechanism_.place(state); }
  bool factor(State& state) override;
  bool accelerations(const State& state, const Asked& asked) override;
  void push(std::span<const BodyVector> load) override;
  double motor_power() const override;
  double residual() override;
  void keep() override;
  void recall() override;
  std::size_t size() const override;
  double* pack(const State& state, double* y) const override;
  const double* unpack(const double* y, State& state) override;
  double* rates(const State& state, double* dy) const override;
  void euler(double h, State& state) override;
  bool has_constraints() const override { return mechanism_.held().rows() > 0; }
  Closing close(State& state) override;
  Closing drift(State& state) override;
  void remember_angles(State& state) override { mechanism_.remember_angles(state); }
  double energy(const State& state) override;

 private:
  const ReducedModel& tree() const { return mechanism_.tree(); }
  double largest_imbalance();

  Dynamics* dynamics_;
  ReducedMechanism mechanism_;
  bool takes_rotors_ = false;
  double baumgarte_ = 0;  // of the last accelerations()
  struct Kept {
    std::vector<BodyVector> vdot;  //                                                          (n_body)
    std::vector<double> qdd;       //                                                          (n_v)
  } kept_;
  std::vector<double> qdd_;         // θ̈ that rates() and euler() use                       (n_v)
  std::vector<double> q_;           // coordinates being put together                       (n_q)
  std::vector<BodyVector> f_;       // applied forces, without velocity-dependent ones      (n_body)
  std::vector<BodyVector> given_;   // and with those of the held rows                      (n_body)
  std::vector<Spatial> imbalance_;  // of each link and what hangs on it, at its origin     (n_body)
};

}  // namespace catena
