#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::array<int, 2> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  return ends;
}

// A descriptor above the few that the child gives meanings to.
int moved_up(int fd) {
  const int up = fcntl(fd, F_DUPFD_CLOEXEC, 10);
  if (up < 0) throw std::system_error(errno, std::generic_category(), "fcntl");
  close(fd);
  return up;
}

[[noreturn]] void become(char* const* arguments, int in, int reads_from, int out, int writes_to, const char* log) {
  const int said = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  dup2(said, 1);
  dup2(said, 2);
  dup2(in, reads_from);
  if (writes_to >= 0) dup2(out, writes_to);
  signal(SIGPIPE, SIG_DFL);
  execv(arguments[0], arguments);
  _exit(127);
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& name : names) {
    if (name.find('/') != std::string::npos && access(name.c_str(), X_OK) == 0) return name;
    for (std::size_t begin = 0; begin <= folders.size();) {
      const std::size_t end = std::min(folders.find(':', begin), folders.size());
      const std::filesystem::path file = std::filesystem::path(folders.substr(begin, end - begin)) / name;
      std::error_code error;
      if (std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return file.string();
      begin = end + 1;
    }
  }
  return "";
}

Process::Process(const std::vector<std::string>& arguments, int reads_from, int writes_to, const std::string& log) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const std::array<int, 2> down = open_pipe(), up = open_pipe();
  const int in = moved_up(down[0]), out = moved_up(up[1]);
  to_ = moved_up(down[1]);
  from_ = moved_up(up[0]);
  child_ = fork();
  if (child_ == 0) become(words.data(), in, reads_from, out, writes_to, log.c_str());
  const int why = errno;
  close(in);
  close(out);
  if (child_ > 0) return;
  close_pipes();
  throw std::system_error(why, std::generic_category(), "fork");
}

Process::~Process() {
  close_pipes();
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Process::close_pipes() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  to_ = from_ = -1;
}

bool Process::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(to_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool Process::read_to(char end, double seconds, std::string& text) {
  const auto limit = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::array<char, 65536> part{};
  for (std::size_t looked = 0;;) {
    const std::size_t at = buffer_.find(end, looked);
    if (at != std::string::npos) {
      text = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return true;
    }
    looked = buffer_.size();
    const double left = std::chrono::duration<double>(limit - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{from_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(std::min(1e3 * left + 1, 1e6))) <= 0) continue;
    const ssize_t got = read(from_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffer_.append(part.data(), static_cast<std::size_t>(got));
  }
}

int Process::finish() {
  close_pipes();
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace catena::cli
