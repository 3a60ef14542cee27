// Long runs: whether they stop, gain energy, grow in memory or slow down.
#pragma once

#include <string>

#include "catena/model/scene.h"
#include "catena/model/settings.h"

namespace catena::bench {

struct SoakOptions {
  double seconds = 100;  // of simulated time, at most
  double budget = 60;    // s of processor time, at most
};

struct SoakRun {
  double until = 0;      // s of simulated time
  bool stopped = false;  // a step failed; `message` says why
  std::string message;
  double made =
      0;  // J: the most that energy ever was above the start and the work put in by motors, actuators and loads since
  double gain = 0;       // J: the same with the work of contacts and dampers, as the ledger has it
  double step_gain = 0;  // J: the most that one step gave
  double scale = 0;    // J: kinetic energy, changes of potential energy, and weight times size; the largest of the run
  long memory = 0;     // bytes that the process has grown by from the middle of the run on
  double slowing = 1;  // time of a step in the last third of the run over that in its middle third
  double step_time = 0;  // s, mean
  int replaced = 0;      // steps of the implicit scheme in place of the method's own
};

// Energy beyond work: kinetic and potential energy less the work of motors, actuators, loads, dampers and contacts. What closing joints and
// the integration itself give counts as gain.
SoakRun soak(const Scene& scene, Method method, const SoakOptions& options);

}  // namespace catena::bench
