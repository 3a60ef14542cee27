#include "catena/serve/run_history.h"

#include <algorithm>

namespace catena {
namespace {

constexpr double kHistoryBytes = 256e6;

std::size_t capacity_for(const State& state) {
  const auto state_bytes = static_cast<double>(state.bodies.size() * sizeof(BodyState) +
                                               state.joint_angles.size() * sizeof(JointArray) + 64);
  return static_cast<std::size_t>(std::clamp(kHistoryBytes / state_bytes, 60.0, 1e5));
}

}  // namespace

RunHistory::RunHistory(const State& start) : start_(start), capacity_(capacity_for(start)) {}

void RunHistory::remember(const State& state) {
  if (states_.size() >= capacity_)
    states_.erase(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(capacity_ / 4));
  if (!states_.empty() && states_.back().time >= state.time) states_.pop_back();
  states_.push_back(state);
}

State RunHistory::go_back_to(double time) {
  const auto after = std::upper_bound(states_.begin(), states_.end(), time + 1e-9,
                                      [](double t, const State& state) { return t < state.time; });
  const bool before_all = after == states_.begin();
  State state = before_all ? start_ : *(after - 1);
  states_.erase(before_all ? after : after - 1, states_.end());
  return state;
}

}  // namespace catena
