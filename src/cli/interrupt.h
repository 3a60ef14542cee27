// Ctrl-C and SIGTERM as something a loop can look at: the step is ended, every file closed, the summary printed.
#pragma once

#include <atomic>

namespace catena::cli {

// From now on the first SIGINT or SIGTERM is only noted; a second one, of either kind, ends the process at once, as if none had been caught.
void note_signals();

// The signal that was noted, 0 while there is none.
int noted_signal();

// True once there is one: what a step looks at (Simulation::stop_when).
const std::atomic<bool>* stop_request();

}  // namespace catena::cli
