// Joint coordinates, stage by stage: articulated bodies and the operational-space compliance.
#include <benchmark/benchmark.h>

#include "bench/workloads.h"
#include "catena/primary/compliance.h"

namespace {

using namespace catena;

struct Joints {
  Scene scene;
  Kinematics kinematics;
  ReducedModel model;
  ReducedSystem system;
  JointState state;
  std::vector<double> vdot;

  explicit Joints(Scene s)
      : scene(std::move(s)),
        kinematics(scene.model),
        model(scene.model),
        system(model),
        vdot(static_cast<std::size_t>(model.n_v())) {
    kinematics.update(scene.model, scene.initial);
    model.read(kinematics, state);
    system.update(state);
  }
};

void per_joint(benchmark::State& state, double joints) {
  state.counters["a joint"] =
      benchmark::Counter(joints, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void forward_dynamics(benchmark::State& state, const Scene& scene) {
  Joints joints(scene);
  for (auto _ : state) {
    joints.system.update(joints.state);
    joints.system.forward({}, {}, joints.scene.model.gravity, joints.vdot);
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
  Joints joints(workloads::peer_chain(static_cast<int>(state.range(0))));
  for (auto _ : state) joints.system.update(joints.state);
  per_joint(state, static_cast<double>(state.range(0)));
}

void bodies(benchmark::State& state) {
  Joints joints(workloads::peer_chain(static_cast<int>(state.range(0))));
  std::vector<BodyState> out = joints.scene.initial.bodies;
  for (auto _ : state) joints.system.bodies(out);
  per_joint(state, static_cast<double>(state.range(0)));
}

// Λ between both hands and both feet.
void four_nodes(benchmark::State& state) {
  Joints joints(workloads::humanoid());
  joints.system.factor();
  NodeCompliance compliance(joints.system);
  std::vector<int> nodes;
  for (const char* name : {"foot_left", "foot_right", "hand_left", "hand_right"})
    nodes.push_back(joints.model.forest().node_of[joints.scene.model.body(name)]);
  std::sort(nodes.begin(), nodes.end());
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
