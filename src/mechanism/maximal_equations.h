// The equations of motion in maximal coordinates: M v̇ − Jᵀλ = F, J v̇ = −c over all joints (Baraff eq. 8), joints closed by projection.
#pragma once

#include "catena/mechanism/equations_of_motion.h"
#include "catena/mechanism/factored_joints.h"
#include "catena/mechanism/maximal_mechanism.h"

namespace catena {

class MaximalEquations final : public EquationsOfMotion {
 public:
  // Keeps references to the first three.
  MaximalEquations(Dynamics& dynamics, Projection& projection, FactoredJoints& factored, const JointTuning& tuning);

  Mechanism& mechanism() override { return mechanism_; }
  bool is_reduced() const override { return false; }
  bool takes_rotors() const override { return false; }
  void place(State& state) override { kinematics().update(model(), state); }
  bool factor(State& state) override { return factored_->factor(state); }
  bool accelerations(const State& state, const Asked& asked) override;
  void push(std::span<const BodyVector> load) override { dynamics_->push(load); }
  double motor_power() const override { return dynamics_->motor_power(); }
  double residual() override { return dynamics_->check().worst(); }
  void keep() override { kept_.assign(dynamics_->vdot.begin(), dynamics_->vdot.end()); }
  void recall() override { std::copy(kept_.begin(), kept_.end(), dynamics_->vdot.begin()); }
  std::size_t size() const override { return size_; }
  double* pack(const State& state, double* y) const override;
  const double* unpack(const double* y, State& state) override;
  double* rates(const State& state, double* dy) const override;
  void euler(double h, State& state) override;
  bool has_constraints() const override { return dynamics_->row_count() > 0; }
  Closing close(State& state) override;
  Closing drift(State& state) override;
  void remember_angles(State& state) override;
  double energy(const State& state) override { return dynamics_->energy(state); }

 private:
  const Model& model() const { return dynamics_->model(); }
  Kinematics& kinematics() { return dynamics_->kinematics(); }

  Dynamics* dynamics_;
  Projection* projection_;
  FactoredJoints* factored_;
  MaximalMechanism mechanism_;
  JointTuning tuning_;
  std::size_t size_;
  std::vector<BodyVector> kept_;  // accelerations                                        (n_body)
};

}  // namespace catena
