// What a method that steps in joint coordinates shows of itself to whoever takes plain steps of several worlds at once (batch/lane_step.h).
#pragma once

#include "catena/mechanism/impedance.h"
#include "catena/mechanism/reduced_mechanism.h"
#include "catena/step/step_context.h"

namespace catena {

struct PlainStep {
  StepContext& context;
  const ReducedMechanism& mechanism;
  const Impedance& impedance;
  bool midpoint = false;  // forces are taken at the middle of the step
  bool damps = false;     // springs and dampers are taken at its end, which loses energy
  bool swept = false;     // contacts are swept even where there are none
  bool lawful = false;    // there may be contacts, limits or friction
};

}  // namespace catena
