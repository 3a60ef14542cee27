// What a control (model/control.h) pulls at, and what its input asks of the actuators that stand for it.
#pragma once

#include <algorithm>

#include "catena/model/model.h"

namespace catena {

// Whether the force of the control is computed from its own numbers. Otherwise entries of Model::actuators, one for each coordinate it
// pulls at, stand for it, or it pulls at nothing.
inline bool acts_by_itself(const Control& control) {
  return control.actuator < 0 && (control.joint.valid() || control.tendon >= 0 || control.site >= 0);
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

// Calls visit(piece, g) for each straight piece of the path that the control's tendon takes, if it takes one.
template <class Visit>
void each_piece(const Model& model, const Control& control, Visit&& visit) {
  if (control.tendon < 0) return;
  for (const Tendon::Piece& piece : model.tendons[static_cast<std::size_t>(control.tendon)].path)
    visit(piece, control.gear * piece.coefficient);
}

// The same of a tendon, whose spring, damper and stops pull with p.
template <class Visit>
void each_term(const Tendon& tendon, Visit&& visit) {
  for (const Tendon::Term& term : tendon.terms) visit(term.joint, term.coordinate, term.coefficient);
}
template <class Visit>
void each_piece(const Tendon& tendon, Visit&& visit) {
  for (const Tendon::Piece& piece : tendon.path) visit(piece, piece.coefficient);
}

inline double clipped_input(const Control& control, double u) {
  return std::clamp(u, control.ctrl_lower, control.ctrl_upper);
}

// What a control's force is computed from: its clipped input, or the activation that follows it.
double acting_input(const Control& control, double u, double activation);

// Its activation x after h seconds of a constant input u at the length ℓ, and the mean of x over them: exact, whatever h (of a muscle, to a part
// in 10⁷).
struct Activation {
  double end = 0, mean = 0;
};
Activation follow(const Control& control, double x, double u, double length, double h);

// The set-point of an actuator that stands for the control at a coordinate with factor g, while x is what acts.
inline double set_point(const Control& control, const Actuator& actuator, double g, double x) {
  const double pull = control.gain[0] * x;
  switch (actuator.kind) {
    case Actuator::Kind::position: return (pull + control.bias[0]) / (-control.bias[1] * g);
    case Actuator::Kind::velocity: return pull / (-control.bias[2] * g);
    case Actuator::Kind::torque: break;
  }
  return g * (pull + control.bias[0]);
}

}  // namespace catena
