// Where the joints of a mechanism were factored last, so that nobody factors them twice at the same positions.
#pragma once

#include <vector>

#include "catena/mechanism/dynamics.h"
#include "catena/model/same_positions.h"

namespace catena {

class FactoredJoints {
 public:
  // `closed`: the states that factor() is given satisfy the joints (ConstraintSystem::factor()). Keeps a reference to `dynamics`.
  FactoredJoints(Dynamics& dynamics, bool closed) : dynamics_(&dynamics), closed_(closed) {}

  // Makes sure that the joints are factored at the positions of a state, and that the kinematics are there. At the state itself rather than at
  // what a method made of it, so that a restored state goes on with the same bits. False: they cannot be.
  bool factor(const State& state) {
    if (is_at(state)) return true;
    dynamics_->kinematics().update(dynamics_->model(), state);
    if (dynamics_->system().factor(dynamics_->kinematics(), closed_)) note(state);
    else forget();
    return !at_.empty() || state.bodies.empty();
  }

  // Steps leave the joints so nearly closed that a factorisation may rely on it.
  bool relies_on_closed() const { return closed_; }

  // Whether they are, and that somebody else has factored them there, or elsewhere.
  bool is_at(const State& state) const { return have_same_positions(at_, state.bodies); }
  void note(const State& state) { at_ = state.bodies; }
  void forget() { at_.clear(); }

 private:
  Dynamics* dynamics_;
  bool closed_;
  std::vector<BodyState> at_;  // empty: nowhere that counts                             (n_body)
};

}  // namespace catena
