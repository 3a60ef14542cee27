// A run in whole steps, seen at any time: what is recorded never changes the motion.
#pragma once

#include <limits>

#include "catena/simulation/simulation.h"

namespace catena {

// The state at `time` between two states of one model: cubic in each position and rotation, with the positions and velocities of both
// ends. Velocities are the derivatives of that; the ledger is linear. Joints are not closed. O(n).
void interpolate(const Model& model, const State& begin, const State& end, double time, State& out);

// Steps a simulation and shows it at times between the ends of its steps.
class SteppedRun {
 public:
  // Keeps a reference to the simulation. The last step ends exactly at `end`.
  explicit SteppedRun(Simulation& simulation, double end = std::numeric_limits<double>::infinity());

  // One step of the simulation, not beyond the end.
  StepReport step();
  // Whether step() would do nothing: the simulation is at the end.
  bool done() const;
  // Whether `time` lies within what the last step covered.
  bool covers(double time) const;

  // The state at a time the last step covered. Between its ends: a trial step from its beginning, which is taken back and as exact as
  // the method. The method impulse, whose impulses grow as steps get shorter, is interpolated, and the joints are closed after that.
  void state_at(double time, State& out);
  // Calls `look()` while the simulation is at `time`, which the last step covered. Afterwards it goes on as if nothing had happened.
  template <class Look>
  void look_at(double time, Look&& look) {
    if (is_end(time)) return look();
    state_at(time, shown_);
    now_ = simulation_->state();
    simulation_->set_state(shown_);
    look();
    simulation_->set_state(now_);
  }
  // The simulation has been put into another state: the last step no longer counts.
  void restart() { begin_ = simulation_->state(); }

 private:
  bool is_end(double time) const;
  void close(State& state);

  Simulation* simulation_;
  double end_;
  State begin_;        // before the last step
  State now_, shown_;  // scratch
};

}  // namespace catena
