#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace catena::cli {
namespace {

volatile std::sig_atomic_t noted = 0;  // the one thing a handler may write to

void note(int signal) { noted = signal; }

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // no SA_RESTART: a wait ends too
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

int noted_signal() { return noted; }

}  // namespace catena::cli
