// Many worlds of one model, stepped side by side in threads.
//
//   catena::Batch batch(scene, 4096, {.step = 2e-3}, 8);      // worlds, options, threads
//   batch.ctrl()[world * batch.n_u() + 3] = 0.5;              // (n, n_u) in row-major order, as are q, v and tau
//   batch.step(5);
//   batch.q()[world * batch.n_q()];
//
// Memory. The model and, for each thread, one simulation with its workspaces are shared; a world is its State and its rows of the arrays,
// bytes_per_world() of them. A world that was given parameters of its own (set_parameters) has a model and a simulation of its own besides.
//
// Same bits. A world is stepped by one thread at a time, and what it does depends on its own state, controls and parameters alone: the
// results are the same for any number of threads, any number of other worlds and any order, and are those of a Simulation of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/model/scene.h"
#include "catena/simulation/options.h"
#include "catena/simulation/simulation.h"

namespace catena {

// What a rollout is given. Rows of one world follow each other; an empty span leaves things as they are.
struct RolloutInput {
  std::size_t steps = 0;
  std::span<const double> states{};  // where each world starts: time, q, v                       (n, 1 + n_q + n_v)
  std::span<const double> ctrl{};    // of every step                                             (n, steps, n_u)
  std::span<const double> tau{};     // of every step                                             (n, steps, n_v)
};

// How the steps of a batch were taken. A step is taken in lanes, four worlds at once (AVX2 where the processor has it, else SSE2), where the
// method is `operational` and the step is plain: one part at the middle of the step, and nothing but weight, user forces, and springs,
// dampers, rotors and actuators along the coordinates of joints. All others are taken by a simulation, one world after the other.
// Both give the same bits.
struct LaneReport {
  int width = 0;            // worlds that are stepped at once; 0: none ever is
  std::string why_not;      // why, where none is
  long steps_in_lanes = 0;  // steps of a world since the batch was made
  long steps_alone = 0;
};

class Batch {
 public:
  // Every world begins at the assembled initial state. Throws InputError as Simulation does, and where there is no world or no thread.
  // `options.threads` is not used: a world is stepped by one thread.
  Batch(const Scene& scene, std::size_t worlds, const Options& options = {}, int threads = 1);
  Batch(std::shared_ptr<const Model> model, const State& initial, const Settings& settings, std::size_t worlds,
        int threads = 1);
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  // ---- What it is ----
  std::size_t size() const;  // worlds
  std::size_t n_q() const;   // coordinates, rates and controls of a world, as Layout has them
  std::size_t n_v() const;
  std::size_t n_u() const;
  std::size_t n_state() const { return 1 + n_q() + n_v(); }
  std::size_t n_sensor() const;  // numbers that all sensors of a world read
  int threads() const;
  const Model& model() const;  // the shared one
  const Settings& settings() const;
  const Layout& layout() const;
  const State& initial() const;  // where reset() puts a world
  // Of a world without parameters of its own: its State and its rows of the arrays, as allocated now.
  std::size_t bytes_per_world() const;

  // ---- Arrays: row-major, one row a world. The spans stay at their place for as long as the batch lives ----
  std::span<const double> q() const;  // (n, n_q) after the last step
  std::span<const double> v() const;  // (n, n_v)
  std::span<double> tau();            // (n, n_v) force along each rate [N or N·m], until it is changed
  std::span<double> ctrl();           // (n, n_u) as Simulation::ctrl(), until it is changed
  // (n, n_sensor): what the sensors read, one after the other in the order of the model, zeros of those that cannot be read. The first call
  // reads them; from then on every step does, which costs a solve for those of accelerations and forces.
  std::span<const double> sensors();
  std::pair<std::size_t, std::size_t> sensor(std::string_view name) const;  // the first of its numbers, and how many
  std::span<const double> time() const;                                     // (n) s
  std::span<const double> residual() const;  // (n) of the last step() or rollout(): the worst of its steps (StepReport)
  std::span<const double> drift() const;     // (n) m, the same
  std::span<const int> contacts() const;     // (n) most contacts of a step, the same
  std::span<const Status> status() const;  // (n) a world that is not ok stays at its last good state until it is reset
  const std::string& message(std::size_t world) const;  // body, quantity and time where its status is not ok

  // ---- Time ----
  // `count` steps of settings().step in every world whose status is ok. A world that fails stops there; the others go on.
  void step(long count = 1);
  // How steps were taken so far. `use_lanes(false)` takes all of them alone from then on.
  LaneReport lanes() const;
  void use_lanes(bool use);
  // Starts every world at its row of `given.states`, or where it is, and steps it `given.steps` times. `out` takes time, q, v after every
  // step (n, steps, n_state()); from a step that fails on, the rows repeat the last good state. A world that was not ok before and is not
  // started anew repeats what it has. Throws InputError for wrong sizes and numbers that are not finite; a start whose loops cannot be
  // closed is a world with the status not_converged.
  void rollout(const RolloutInput& given, std::span<double> out);

  // ---- State ----
  // Puts the worlds where `mask` is not 0 (all, where it is empty) to the initial state; its status is ok again, tau 0 and ctrl as at the start.
  void reset(std::span<const unsigned char> mask = {});
  // To states of this model, one a world, those of the mask alone being read.
  void reset(std::span<const unsigned char> mask, std::span<const State> states);
  // To coordinates (n, n_q) and rates (n, n_v), with the loops closed (Simulation::set_coordinates). Throws InputError naming the world
  // where that cannot be done, and then leaves that world as it was.
  void reset(std::span<const unsigned char> mask, std::span<const double> q, std::span<const double> v);
  const State& state(std::size_t world) const;
  // Kinetic and potential energy of every world [J], (n) each.
  void energy(std::span<double> kinetic, std::span<double> potential);

  // ---- Parameters ----
  // A physical parameter by its path in a scene file (parameter.h), such as "bodies.rod.mass": its value in every world, (n).
  std::vector<double> parameter(std::string_view path) const;
  // Gives every world its value, (n) of them. Worlds whose value is not that of the shared model get a model of their own, and a
  // simulation with its workspaces: the memory of a Simulation each. State, tau and ctrl stay. Throws InputError and changes nothing when
  // a value makes no valid model.
  void set_parameter(std::string_view path, std::span<const double> values);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena
