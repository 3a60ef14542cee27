// Worlds of a batch in lanes, for one thread: a block of them at once by LaneStep, and those whose step is not plain by the simulation.
#pragma once

#include <array>

#include "catena/batch/batch_impl.h"
#include "catena/batch/lane_step.h"

namespace catena {

struct Batch::Impl::Lanes {
  // Null where steps are never plain, and why.
  static std::unique_ptr<Lanes> make(Simulation& simulation, std::string& why);
  Lanes(Simulation& simulation, std::unique_ptr<LaneStep> of);

  // `count` steps of the worlds first to last of the batch, as many as there are lanes at most. They have no parameters of their own.
  void step(Impl& all, std::size_t first, std::size_t last, long count);
  // A rollout of them from where they are.
  void roll(Impl& all, std::size_t first, std::size_t last, const RolloutInput& given, std::span<double> out);

  long steps_in_lanes = 0, steps_alone = 0;

 private:
  // A world in a lane.
  struct Lane {
    bool well = false;    // it is to be stepped
    bool loaded = false;  // the lane holds its state
    bool moved = false;   // and has taken a step since it does
    std::span<const double> ctrl{}, tau{};
  };
  // Where a number of tau goes: along a rate, or to a floating body.
  struct Target {
    int rate = -1;
    BodyId body{};
    int component = 0;
  };

  std::size_t world_of(int lane) const { return first_ + static_cast<std::size_t>(lane); }
  State& state_of(Impl& all, int lane) const { return all.worlds[world_of(lane)].state; }
  Lane& at(int lane) { return lanes_[static_cast<std::size_t>(lane)]; }
  void drive(Impl& all, int lane, std::span<const double> ctrl, std::span<const double> tau);
  void load(Impl& all);
  void store(Impl& all, int lane);
  void leave(Impl& all, int lane);
  void take(Impl& all);
  void take_alone(Impl& all, int lane);
  void show(Impl& all, int lane);
  void record(Impl& all, int lane, double* row);

  Simulation& simulation_;
  std::unique_ptr<LaneStep> step_;
  std::vector<Target> targets_;  //                                                                (n_v)
  bool controlled_;              // the model has actuators
  std::size_t first_ = 0;        // world of lane 0
  std::array<Lane, kBlock> lanes_;
};

}  // namespace catena
