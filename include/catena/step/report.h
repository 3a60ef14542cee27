// What a step says of itself.
#pragma once

#include <string>

#include "catena/model/ids.h"

namespace catena {

enum class Status {
  ok,
  diverged,       // a number is no longer finite
  singular,       // the constraint system could not be factored
  not_converged,  // projection or the adaptive step could not reach its tolerance
  too_long,       // the step needs more work than a step may take
  interrupted,    // it was asked to stop (Simulation::stop_when)
};

struct StepReport {
  Status status = Status::ok;
  double time = 0;              // at the end of the step
  double residual = 0;          // of the step's constraint solve, relative (ConstraintSystem, Residual::worst)
  double drift_position = 0;    // largest violation of a joint after the step [m]
  double drift_angle = 0;       // [rad]
  int position_iterations = 0;  // method impulse: solves for the positions of this step, and for its velocities
  int velocity_iterations = 0;
  int damped = 0;            // times the joints were closed with their directions at the end of the step
  int halvings = 0;          // times a step or a part of it had to be taken in two halves
  int replaced = 0;          // steps that the method could not take, taken by the implicit scheme instead (stepper.h)
  std::string why_replaced;  // the first of them: what could not be done
  int contacts = 0;
  int impacts = 0;  // impacts within the step
  int asleep = 0;   // bodies that rest and are left out of the step (contact/sleep.h), at its end
  int shocks = 0;   // method lagrange: times friction left no force that obeys the laws, and an impulse ended the slip
  int branches =
      0;  // times the joints left another number of freedoms than before: at a singular pose motions branch (docs/methods/lagrange.md)
  double complementarity = 0;  // natural-map residual of the contact problem, relative (solve/natural_map.h)
  double penetration = 0;      // deepest overlap the step leaves [m]
  int swept = 0;               // times the contacts were swept rather than solved exactly
  int law_solves = 0;          // times a problem of contacts and other laws was solved for
  int sweeps = 0;              // most Gauss-Seidel sweeps one contact problem took
  double monitored = 0;  // error Σ‖r‖² at their end as Lacoursière's Algorithm 2.2 keeps it, where that is asked for
  int fallbacks = 0;    // solvers that were tried in vain
  std::string message;  // body, quantity and time when status is not ok

  bool ok() const { return status == Status::ok; }

  // Adds what a later step says: status, message and time are the later one's, impacts, shocks, branches, damped and replaced steps are summed, of everything
  // else the worst of all is kept.
  void merge(const StepReport& later);
};

}  // namespace catena
