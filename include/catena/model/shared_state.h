// A state that several keep and none changes: where the coordinates of joints count from.
#pragma once

#include <memory>

#include "catena/model/state.h"

namespace catena {

class SharedState {
 public:
  SharedState(
      const State& state)  // NOLINT(google-explicit-constructor): wherever a state is given, a copy of it is kept
      : state_(std::make_shared<const State>(state)) {}
  const State& operator*() const { return *state_; }
  const State* operator->() const { return state_.get(); }

 private:
  std::shared_ptr<const State> state_;
};

}  // namespace catena
