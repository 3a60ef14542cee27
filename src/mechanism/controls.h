// Actuators with control inputs, and what tendons pull with by themselves (model/control.h), at one state:
//     p = clip(gain · x + bias),   gain = g0 + g1 ℓ + g2 ℓ̇,   bias = b0 + b1 ℓ + b2 ℓ̇,   ℓ = Σ g_k q_k,   force along q_k: g_k p
// The same along the pieces of a tendon's path; a muscle has gain and bias of its own (model/muscle.h).
#pragma once

#include <array>
#include <span>

#include "catena/constraint/joint_coordinates.h"
#include "catena/model/transmission.h"

namespace catena {

// A piece of a tendon's path at one state (model/tendon_path.h): how long it is, how fast it grows, and for each of its straight spans along
// what the two bodies move when it does.
struct PathSpan {
  BodyId a, b;
  Row row;
  double rate = 0;
};
struct PathPiece {
  double length = 0, rate = 0;
  int spans = 0;
  std::array<PathSpan, 2> span;
};
PathPiece piece_of(const Model& model, const Kinematics& kinematics, const Tendon::Piece& piece);

struct ControlForce {
  double length = 0, rate = 0;        // ℓ and ℓ̇
  double force = 0;                   // p
  double stiffness = 0, damping = 0;  // −∂p/∂ℓ and −∂p/∂ℓ̇, at least 0; both 0 while p is at its bound
  double energy = 0;                  // stored in a tendon's spring and stops
};

// `acting`: x, the input or its activation (acting_input()). Costs the rows of the joints it pulls at, where no method knows their coordinates.
ControlForce control_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                           const Control& control, double acting);

// Of the tendon's own spring, damper and stops.
ControlForce tendon_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                          const Tendon& tendon);

// What its spring and stops store.
double tendon_energy(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                     const Tendon& tendon);

}  // namespace catena
