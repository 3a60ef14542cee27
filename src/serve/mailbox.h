// What the thread of a run shares with those who watch it: the commands that wait, the latest frame and status, and whether the run is to end.
// Every function may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "catena/serve/command.h"

namespace catena {

using Bytes = std::shared_ptr<const std::string>;

class Mailbox {
 public:
  using Clock = std::chrono::steady_clock;

  // Commands. post() is false when too many wait already; a drag replaces the drag that waits.
  bool post(const Command& command);
  std::deque<Command> take_commands();

  // The thread of the run sleeps until there is a command or it is to end; or, given a deadline, at most so long.
  void wait();
  void wait_until(Clock::time_point deadline);
  bool has_something() const;  // a command, or the wish that the run end

  void put_frame(Bytes frame);
  void put_status(Bytes status);
  Bytes latest_frame() const;
  Bytes latest_status() const;

  // From start to end of the thread.
  void begin();
  void ask_to_end();
  bool is_to_end() const;
  void has_ended();
  bool wait_for_end(std::chrono::duration<double> patience);  // false when it has not ended by then

 private:
  bool something() const { return stopping_ || !commands_.empty(); }  // under the lock

  mutable std::mutex mutex_;  // guards all of it
  std::condition_variable wake_;
  std::deque<Command> commands_;
  Bytes frame_, status_;
  bool stopping_ = false, stopped_ = true;  // stopped_: the thread is not there, or about to end
};

}  // namespace catena
