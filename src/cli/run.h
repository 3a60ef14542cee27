// A scene's run from start to end: steps, samples, recordings, and how it came to its end.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catena/catena.h"
#include "catena/record/recording.h"

namespace catena::cli {

// The times at which a row is recorded: those of a list, or the multiples of an interval.
struct SampleTimes {
  std::vector<double> list;
  double interval = 0;
  std::size_t count = 0;
  double operator[](std::size_t i) const { return list.empty() ? static_cast<double>(i) * interval : list[i]; }
};

// How a run ended: at its duration; where a step failed or a number was no longer finite; by a signal; because a file took no more.
enum class Outcome { done, stopped, interrupted, not_written };

struct Summary {
  Outcome outcome = Outcome::done;
  std::string message;  // what stopped it: body, quantity and time; the file and the system's reason
  int signal = 0;       // that interrupted it
  StepReport steps;     // of all steps together
  double wall = 0;
  Energy before, after;
};

using Recordings = std::vector<std::unique_ptr<Recording>>;

// Where and how often the state is set aside.
struct CheckpointPlan {
  std::string file;         // empty: nowhere
  double every = INFINITY;  // simulated seconds; it is written at the end in any case
  std::uint64_t model = 0;  // fingerprint of the scene
};

struct RunPlan {
  SampleTimes times{};
  Recordings recordings{};
  CheckpointPlan checkpoint{};
  bool quiet = false;
};

// Runs from the present state to the duration of the settings; samples that are not after the present time are left out, except at 0.
// Whatever ends the run, every recording is finished, and holds the last good state. Rows are written only when all their numbers are finite.
Summary run(Simulation& simulation, const RunPlan& plan);

// The exit code that belongs to a summary.
int exit_code(const Summary& summary);

void print_summary(const Simulation& simulation, const Summary& summary);
// With the ledger of a robot file, where there is one.
std::string summary_json(const Simulation& simulation, const Summary& summary, const ImportLedger& ledger);

}  // namespace catena::cli
