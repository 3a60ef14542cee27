#include "child.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void run_here(int out, const std::function<void(std::FILE*)>& work) {
  std::FILE* file = fdopen(out, "w");
  if (file == nullptr) _exit(1);
  work(file);
  _exit(std::fclose(file) == 0 ? 0 : 1);
}

// Takes lines until the other end is closed: true, or until the time is over.
bool take_lines(int in, Clock::time_point end, const std::function<void(const std::string&)>& take) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{in, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min(1e3 * left + 1, 1e6)));
    if (ready < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "poll");
    if (ready <= 0) continue;
    const ssize_t got = read(in, part.data(), part.size());
    if (got <= 0) return true;
    text.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n')) {
      take(text.substr(0, at));
      text.erase(0, at + 1);
    }
  }
}

}  // namespace

Ended in_child(double seconds, const std::function<void(std::FILE*)>& work,
               const std::function<void(const std::string&)>& take) {
  std::fflush(nullptr);
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    close(pipe_ends[0]);
    run_here(pipe_ends[1], work);
  }
  close(pipe_ends[1]);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  const bool closed = take_lines(pipe_ends[0], end, take);
  if (!closed) kill(child, SIGKILL);
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!closed) return Ended::out_of_time;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Ended::done : Ended::crashed;
}

}  // namespace catena::cli
