#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace catena::cli {
namespace {

// What a handler may write to.
volatile std::sig_atomic_t noted = 0;
std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void note(int signal) {
  if (noted != 0) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
  noted = signal;
  stop = true;
}

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags =
      static_cast<int>(SA_NODEFER);  // the second one is not held back by the first; no SA_RESTART: a wait ends too
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int noted_signal() { return noted; }

const std::atomic<bool>* stop_request() { return &stop; }

}  // namespace catena::cli
