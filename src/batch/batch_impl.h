// The inside of a Batch.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "catena/batch/batch.h"
#include "catena/primary/reduced_lanes.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {

struct Batch::Impl {
  ~Impl();
  Impl(std::shared_ptr<const Model> shared, const State& first, const Settings& asked, std::size_t worlds, int threads);

  static constexpr auto kBlock = static_cast<std::size_t>(kWorldLanes);

  // A world with parameters of its own.
  struct Own {
    Simulation simulation;
    State initial;
  };
  struct World {
    State state;
    // The state is as a lane left it, and these are its energies.
    bool is_placed = false;
    Mechanism::Energy energy{};
    std::unique_ptr<Own> own;
    std::string message;
  };

  struct Readings {
    bool shown = false;  // somebody has asked for them
    std::vector<std::size_t>
        first;                 // number of each sensor in a row                                      (n_sensor + 1)
    std::vector<double> rows;  // (n, first.back()); empty where nobody has asked
  };

  struct Lanes;  // batch_lanes.h

  // Calls f(first, last, member) for every block of worlds, as many as lanes hold, in the threads of the arena. `member` of the crew.
  template <class F>
  void for_each_block(F&& f) {
    const std::size_t blocks = (worlds.size() + kBlock - 1) / kBlock;
    const auto visit = [&](std::size_t block, std::size_t member) {
      f(block * kBlock, std::min(worlds.size(), (block + 1) * kBlock), member);
    };
    if (crew.size() == 1) {
      for (std::size_t i = 0; i < blocks; ++i) visit(i, 0);
      return;
    }
    arena->execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks), [&](const auto& range) {
        const auto mine = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
        for (std::size_t i = range.begin(); i != range.end(); ++i) visit(i, mine);
      });
    });
  }

  // Calls f(world, simulation) for every world, in the threads of the arena. The simulation is that of the thread, or the world's own; its
  // state is nobody's.
  template <class F>
  void for_each(F&& f) {
    const auto visit = [&](std::size_t i, Simulation& shared) {
      f(i, worlds[i].own ? worlds[i].own->simulation : shared);
    };
    if (crew.size() == 1) {
      for (std::size_t i = 0; i < worlds.size(); ++i) visit(i, crew.front());
      return;
    }
    arena->execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, worlds.size()), [&](const auto& range) {
        Simulation& mine = crew[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())];
        for (std::size_t i = range.begin(); i != range.end(); ++i) visit(i, mine);
      });
    });
  }

  // Exchanges a world's state with that of a simulation, whose caches are then stale.
  static void exchange(Simulation& simulation, State& state);
  // Sets what drives it. A world without forces takes the path of a simulation on which none was ever set.
  static void drive(Simulation& simulation, std::span<const double> ctrl, std::span<const double> tau);
  // One step after the other while all is well. drive() has been called.
  void step(std::size_t world, Simulation& simulation, long count);
  // Whether a world is to be stepped: it is well, and what drives it is finite.
  bool begin(std::size_t world);
  // A world of a rollout by its simulation; its rows of `out`.
  void roll_alone(std::size_t world, Simulation& simulation, const RolloutInput& given, std::span<double> out);
  // Its inputs and forces in step k of a rollout.
  std::span<const double> ctrl_of(std::size_t world, std::size_t k, const RolloutInput& given);
  std::span<const double> tau_of(std::size_t world, std::size_t k, const RolloutInput& given);
  // Whether worlds of a block may be in lanes: none has parameters of its own.
  bool may_use_lanes(std::size_t from, std::size_t until) const;
  // `count` steps of a world by its simulation, from its state and back to it.
  void step_alone(std::size_t world, Simulation& simulation, long count);
  void note(std::size_t world, const StepReport& report);
  void fail(std::size_t world, Status status, std::string message);
  // Copies coordinates, rates and time of the simulation to the world's rows, and what its sensors read where that is asked for: drive() must
  // have been called then.
  void show(std::size_t world, Simulation& simulation);
  // Puts the state at coordinates and rates, from the world's initial state, and restarts it where asked to. False: the loops cannot be
  // closed; `why` says so.
  bool place(std::size_t world, Simulation& simulation, std::span<const double> q, std::span<const double> v,
             bool restarts, std::string& why);
  void restart(std::size_t world);  // status ok, no forces
  const State& initial_of(std::size_t world) const { return worlds[world].own ? worlds[world].own->initial : initial; }
  void check_world(std::size_t world) const;
  void check_mask(std::span<const unsigned char> mask) const;

  void show_driven(std::size_t world, Simulation& simulation);  // drive() by the world's rows, then show()

  std::span<double> row(std::vector<double>& all, std::size_t world, std::size_t width) const {
    return {all.data() + world * width, width};
  }

  std::shared_ptr<const Model> model;
  State first;                                // as given; every simulation is built on it
  State initial;                              // assembled
  std::vector<Simulation> crew;               // one a thread
  std::vector<std::unique_ptr<Lanes>> lanes;  // one a thread, or none
  std::vector<long> steps_alone;              // of the worlds each thread did not take in lanes   (crew)
  std::string why_no_lanes;
  bool uses_lanes = true;
  std::unique_ptr<tbb::global_control> allowed;  // as many threads as asked for, even where the machine has fewer
  std::unique_ptr<tbb::task_arena> arena;
  std::vector<World> worlds;
  std::size_t n_q = 0, n_v = 0, n_u = 0;
  std::vector<double> first_ctrl;                              // inputs of a world that begins           (n_u)
  std::vector<double> q, v, tau, ctrl, time, residual, drift;  // (n, ·)
  std::vector<int> contacts;                                   // (n)
  std::vector<Status> status;                                  // (n)
  Readings readings;
};

// The first number that is not finite, or -1.
long first_not_finite(std::span<const double> numbers);

}  // namespace catena
