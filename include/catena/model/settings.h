// What a run is asked to do: the `simulate:` block of a scene, overridden by the command line or by the program that makes a Simulation.
#pragma once

#include <cstdint>

#include "catena/model/method_settings.h"
#include "catena/model/tuning.h"

namespace catena {

struct Settings {
  MethodSettings method{};  // with what that method alone has: Lagrange{…}, Impulse{…}, Spook{…}, Operational{…}
  double step = 1e-3;       // s; for the adaptive integrator the first step
  double duration = 10;     // s
  double sample = 0;        // s between samples; 0: every 10 ms, or every step where that is longer
  double contact_margin = 5e-3;         // m: gaps up to this are contacts
  double contact_tolerance = 1e-10;     // natural-map residual the laws are solved to
  double restitution_threshold = 0.01;  // m/s or rad/s: slower meetings do not bounce
  int facets = 0;                       // of the friction pyramid that stands for the cone; 0: the cone itself
  // m/s and rad/s: joints that do not meet at t = 0 are brought together while the simulation runs, no faster; 0: before it begins
  double assembly_speed = 0;
  bool sleep = false;  // bodies that have come to rest are left out of the steps until something wakes them
  int threads = 1;
  std::uint64_t seed = 0;
  Tuning tuning{};  // the numbers that say how all that is done
};

}  // namespace catena
