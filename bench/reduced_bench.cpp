// Joint coordinates, stage by stage: articulated bodies and the operational-space compliance.
#include <benchmark/benchmark.h>

#include "bench/joint_system.h"
#include "bench/workloads.h"

namespace {

using namespace catena;

using bench::JointSystem;

void per_joint(benchmark::State& state, double joints) {
  state.counters["a joint"] =
      benchmark::Counter(joints, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void forward_dynamics(benchmark::State& state, const Scene& scene) {
  JointSystem joints(scene);
  for (auto _ : state) {
    joints.forward();
    benchmark::DoNotOptimize(joints.vdot.data());
  }
  per_joint(state, static_cast<double>(joints.scene.model.joints.size()));
}

void hinges(benchmark::State& state) {
  forward_dynamics(state, workloads::peer_chain(static_cast<int>(state.range(0))));
}
void balls(benchmark::State& state) { forward_dynamics(state, workloads::peer_tree(static_cast<int>(state.range(0)))); }
void humanoid(benchmark::State& state) { forward_dynamics(state, workloads::humanoid()); }

void update(benchmark::State& state) {
  JointSystem joints(workloads::peer_chain(static_cast<int>(state.range(0))));
  for (auto _ : state) joints.system.update(joints.state);
  per_joint(state, static_cast<double>(state.range(0)));
}

void bodies(benchmark::State& state) {
  JointSystem joints(workloads::peer_chain(static_cast<int>(state.range(0))));
  std::vector<BodyState> out = joints.scene.initial.bodies;
  for (auto _ : state) joints.system.bodies(out);
  per_joint(state, static_cast<double>(state.range(0)));
}

// Λ between both hands and both feet.
void four_nodes(benchmark::State& state) {
  JointSystem joints(workloads::humanoid());
  joints.system.factor();
  NodeCompliance compliance(joints.system);
  const std::vector<int> nodes = joints.nodes({"foot_left", "foot_right", "hand_left", "hand_right"});
  for (auto _ : state) {
    compliance.compute(nodes);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(hinges)->RangeMultiplier(4)->Range(8, 2048);
BENCHMARK(balls)->Arg(127)->Arg(1023);
BENCHMARK(humanoid);
BENCHMARK(update)->RangeMultiplier(4)->Range(32, 2048);
BENCHMARK(bodies)->Arg(32);
BENCHMARK(four_nodes);

}  // namespace
