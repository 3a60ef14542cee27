// Where a mechanism rests: v = 0 and no force left along any motion that its joints allow.
#pragma once

#include <string>

#include "catena/simulation/simulation.h"

namespace catena {

struct EquilibriumOptions {
  double tolerance = 1e-10;         // of the force left, relative to Equilibrium::scale
  int iterations = 200;             // of Newton's method
  double longest_move = 0.3;        // rad or m: no coordinate is moved further at once
  double settled_tolerance = 1e-6;  // the same of what rests in contacts or at limits
  double patience = 100;            // s of simulated time for it to come to rest
};

struct Equilibrium {
  bool found = false;
  double residual = 0;    // N or N·m: the largest force left along a motion the joints allow
  double scale = 0;       // N or N·m: weight times size, or the largest force of springs and loads if that is more
  int iterations = 0;     // of Newton's method
  bool stable = true;     // no motion lets the forces do work (contacts and limits aside)
  bool settled = false;   // in contacts or at limits, by letting it go and taking its speed away
  std::string message{};  // why it was not found
};

// Moves the simulation to where it rests under gravity, springs, loads, actuators, tau and ctrl as they are at its present time, and leaves it
// there at rest; nothing moves where it is not found.
// Newton's method on the coordinates with loops closed after each move, downhill: a move is taken where the forces do work along it, so that it
// ends where the potential is least rather than where it is flat. A simulation whose contacts, limits or dry friction carry a part of the load is
// let go instead, its speed taken away whenever its kinetic energy has passed a maximum (kinetic damping), until nothing moves.
// Throws InputError where a body changes its size.
Equilibrium find_equilibrium(Simulation& simulation, const EquilibriumOptions& options = {});

}  // namespace catena
