// Many worlds measured: forward dynamics in lanes, steps a second of one core, what a second thread adds, memory of a world.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "bench/figures.h"
#include "bench/joint_system.h"
#include "bench/workloads.h"
#include "catena/batch.h"
#include "catena/primary/reduced_lanes.h"

namespace catena::bench {
namespace {

struct Case {
  std::string name;
  Scene scene;
  std::size_t worlds;
  long steps;
  Options options;
};

// Bytes in use of the heap.
double heap() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A push that differs by world, so that no two do the same.
void drive(Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i)
    for (std::size_t k = 0; k < batch.n_v(); ++k)
      batch.tau()[i * batch.n_v() + k] = 0.1 * std::sin(1.0 + static_cast<double>(i + 7 * k));
}

// The time of f [s], the shortest of some runs of about 20 ms.
template <class F>
double shortest(F&& f) {
  double best = 1e9;
  for (int run = 0; run < 9; ++run) {
    long count = 0;
    const double start = cpu_seconds();
    double took = 0;
    do {
      for (int k = 0; k < 20; ++k) f();
      count += 20;
      took = cpu_seconds() - start;
    } while (took < 0.02);
    best = std::min(best, took / static_cast<double>(count));
  }
  return best;
}

// Accelerations from joint coordinates, sines and all, of a chain of hinges: a world in each lane, and one world alone.
void measure_lanes(const Sink& sink, int n) {
  JointSystem alone(workloads::peer_chain(n));
  LaneSystem lanes(alone.model);
  JointStateT<WorldLanes> state{std::vector<WorldLanes>(alone.state.q.size()),
                                std::vector<WorldLanes>(alone.state.v.size())};
  for (std::size_t i = 0; i < state.q.size(); ++i)
    for (int lane = 0; lane < kWorldLanes; ++lane) {
      state.q[i].set(lane, alone.state.q[i] + 0.01 * lane);
      state.v[i].set(lane, alone.state.v[i]);
    }
  std::vector<WorldLanes> vdot(state.v.size());
  const Vec3& g = alone.scene.model.gravity;
  const Vec3T<WorldLanes> gravity{g.x, g.y, g.z};
  const double together = shortest([&] {
    lanes.update(state);
    lanes.forward({}, {}, gravity, vdot);
  });
  sink({"batch", "chain of hinges", n, "forward dynamics in lanes, a hinge and world", 1e9 * together / n / kWorldLanes,
        "ns"});
  sink({"batch", "chain of hinges", n, "forward dynamics alone, a hinge", 1e9 * shortest([&] { alone.forward(); }) / n,
        "ns"});
}

void measure(const Sink& sink, const Case& c) {
  const auto n = static_cast<long>(c.worlds);
  const auto line = [&](const std::string& metric, double value, const char* unit) {
    sink({"batch", c.name, n, metric, value, unit});
  };
  const double before = heap();
  Batch batch(c.scene, c.worlds, c.options);
  drive(batch);
  batch.step(1);
  line("memory of a world, of the heap", (heap() - before) / static_cast<double>(c.worlds), "B");
  line("memory of a world, counted", static_cast<double>(batch.bytes_per_world()), "B");
  const double empty = heap();
  {
    std::vector<Simulation> alone;
    for (int i = 0; i < 10; ++i) alone.emplace_back(c.scene, c.options).step();
    line("memory of a simulation of its own", (heap() - empty) / 10, "B");
  }
  const auto steps = static_cast<double>(c.worlds) * static_cast<double>(c.steps);
  double start = cpu_seconds();
  batch.step(c.steps);
  line(fmt::format("steps of one core, {} a call", c.steps), steps / (cpu_seconds() - start), "1/s");
  const double residual = *std::max_element(batch.residual().begin(), batch.residual().end());
  line("worst residual", residual, "");
  start = cpu_seconds();
  for (long k = 0; k < c.steps; ++k) batch.step(1);
  line("steps of one core, 1 a call", steps / (cpu_seconds() - start), "1/s");
  const LaneReport lanes = batch.lanes();
  line("steps taken in lanes",
       static_cast<double>(lanes.steps_in_lanes) / static_cast<double>(lanes.steps_in_lanes + lanes.steps_alone), "");
  const auto failed =
      std::count_if(batch.status().begin(), batch.status().end(), [](Status s) { return s != Status::ok; });
  line("worlds that failed", static_cast<double>(failed), "");

  double alone = 0;
  for (const int threads : {1, 2}) {
    Batch again(c.scene, c.worlds, c.options, threads);
    drive(again);
    again.step(1);
    const double begin = wall_seconds();
    again.step(c.steps);
    const double took = wall_seconds() - begin;
    if (threads == 1) alone = took;
    else line("two threads against one, wall time", alone / took, "");
  }
}

}  // namespace

void batch(const Sink& sink, const std::string& robots) {
  for (const int n : {8, 32, 128}) measure_lanes(sink, n);
  measure(sink, {"cart-pole", workloads::cart_pole(), 10000, 50, {.method = Method::operational}});
  measure(sink, {"45 hinges on a pelvis", workloads::humanoid(), 256, 50, {.method = Method::operational}});
  measure(sink, {"biped on its feet", workloads::biped(), 64, 50, {.method = Method::operational}});
  for (const char* name : {"humanoid", "cassie"}) {
    const std::filesystem::path file = std::filesystem::path(robots) / fmt::format("{}.xml", name);
    if (!std::filesystem::exists(file)) continue;
    ImportOptions import;
    import.missing_meshes = true;
    measure(sink, {fmt::format("{}.xml", name), load(file, {}, import), 64, 50, {}});
    run_peer(sink, "batch", "mujoco_batch", {file.string(), "64", "50"});
  }
}

}  // namespace catena::bench
