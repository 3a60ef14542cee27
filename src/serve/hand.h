// The hand of whoever watches a run. While the run plays it pulls at a point of a body, by a damped spring from the point to the cursor; while it
// stands still it leads the mechanism.
#pragma once

#include <memory>
#include <optional>

#include "catena/serve/command.h"
#include "catena/simulation/manipulator.h"

namespace catena {

class Hand {
 public:
  // `start`: the state the run began at, in which the mechanism fits together.
  void pull(const DragCommand& command, const State& start, Simulation& simulation);
  State lead(const DragCommand& command, const State& start, const Simulation& simulation);

  void apply(Simulation& simulation) const;  // the force of the spring as the body stands now
  void let_go(Simulation& simulation);
  void forget_model() { manipulator_.reset(); }  // the simulation is another one now

 private:
  struct Pull {
    DragCommand command;
    double mass = 0;  // kg, what the force feels
  };

  Manipulator& manipulator(const State& start, const Simulation& simulation);

  std::unique_ptr<Manipulator> manipulator_;
  std::optional<Pull> pull_;
};

}  // namespace catena
