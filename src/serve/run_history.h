// Where a live run has been: its start, and a state a picture since then, by time. The oldest go when there are too many.
#pragma once

#include <vector>

#include "catena/model/state.h"

namespace catena {

class RunHistory {
 public:
  explicit RunHistory(const State& start);

  const State& start() const { return start_; }
  void remember(const State& state);  // replaces the last one where that is not earlier
  double last_time() const { return states_.back().time; }

  // The last state that is not after `time`, or the start; it and what came after it are forgotten.
  State go_back_to(double time);
  void forget_all() { states_.clear(); }

 private:
  State start_;
  std::vector<State> states_;
  std::size_t capacity_;
};

}  // namespace catena
