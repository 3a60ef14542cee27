// A progress bar on stderr: only on a terminal, only when a second has passed.
#pragma once

#include <chrono>

namespace catena::cli {

class Progress {
 public:
  enum class Counts { seconds, members };  // of the simulation; of an ensemble
  explicit Progress(double end, bool quiet, Counts counts = Counts::seconds);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(double now);

 private:
  using Clock = std::chrono::steady_clock;
  double end_;
  bool enabled_, drawn_ = false;
  Counts counts_;
  Clock::time_point begin_, last_;
};

}  // namespace catena::cli
