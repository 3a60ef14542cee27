// What a control (model/control.h) pulls at, and what its input asks of the actuators that stand for it.
#pragma once

#include <algorithm>

#include "catena/model/model.h"

namespace catena {

// Whether the force of the control is computed from its own numbers. Otherwise entries of Model::actuators, one for each coordinate it
// pulls at, stand for it, or it pulls at nothing.
inline bool acts_by_itself(const Control& control) {
  return control.actuator < 0 && (control.joint.valid() || control.tendon >= 0);
}

// Calls visit(joint, coordinate, g) for each coordinate the control pulls at: its length is Σ g q, and its force p pushes with g p.
template <class Visit>
void each_term(const Model& model, const Control& control, Visit&& visit) {
  if (control.tendon >= 0) {
    for (const Tendon::Term& term : model.tendons[static_cast<std::size_t>(control.tendon)].terms)
      visit(term.joint, term.coordinate, control.gear * term.coefficient);
  } else if (control.joint.valid()) {
    visit(control.joint, control.coordinate, control.gear);
  }
}

// The set-point of an actuator that stands for the control at a coordinate with factor g, while the input is u.
inline double set_point(const Control& control, const Actuator& actuator, double g, double u) {
  const double pull = control.gain[0] * std::clamp(u, control.ctrl_lower, control.ctrl_upper);
  switch (actuator.kind) {
    case Actuator::Kind::position: return (pull + control.bias[0]) / (-control.bias[1] * g);
    case Actuator::Kind::velocity: return pull / (-control.bias[2] * g);
    case Actuator::Kind::torque: break;
  }
  return g * (pull + control.bias[0]);
}

}  // namespace catena
