// Ctrl-C and SIGTERM as something a loop can look at: the step is ended, every file closed, the summary printed.
#pragma once

namespace catena::cli {

// From now on the first SIGINT or SIGTERM is only noted; a second one ends the process at once, as if none had been caught.
void note_signals();

// The signal that was noted, 0 while there is none.
int noted_signal();

}  // namespace catena::cli
