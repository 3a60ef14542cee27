// Other programs: where they are, and one at work with pipes to and from it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

// The first of the names that is a program in one of the folders of PATH; empty when none is.
std::string find_program(const std::vector<std::string>& names);

class Process {
 public:
  // Starts it with a pipe that it reads from `reads_from` and, unless negative, one that it writes to `writes_to`, as file descriptors.
  // What it says to stdout and stderr goes to the file `log`. Throws std::system_error.
  Process(const std::vector<std::string>& arguments, int reads_from, int writes_to, const std::string& log);
  ~Process();  // ends it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool write(std::string_view bytes);  // all of them; false when nobody reads any more
  // The next bytes up to `end`, without it. False when the other end is closed or `seconds` have passed.
  bool read_to(char end, double seconds, std::string& text);
  int finish();  // closes the pipe to it and waits: its exit code, -1 when a signal ended it

 private:
  void close_pipes();
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_;
};

}  // namespace catena::cli
