// The stages of Baraff's linear-time solve, by size and shape.
#include <benchmark/benchmark.h>

#include "bench/workloads.h"
#include "catena/joints/tree_system.h"
#include "catena/mechanism/dynamics.h"

namespace {

using namespace catena;
using workloads::Shape;

struct Linkage {
  Scene scene;
  Dynamics dynamics;
  MaximalSystem& primary;
  std::vector<BodyVector> y;
  std::vector<double> b, lambda;

  Linkage(Shape shape, JointKind kind, int n)
      : scene(workloads::linkage(shape, kind, n)),
        dynamics(scene.model, scene.initial, LinearSolver::tree),
        primary(dynamic_cast<TreeSystem&>(dynamics.system()).primary()),
        y(scene.model.bodies.size()),
        b(static_cast<std::size_t>(dynamics.system().rows()), 0.5),
        lambda(b.size()) {
    dynamics.accelerations(scene.initial);
  }
};

void per_body(benchmark::State& state) {
  state.counters["a body"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <Shape shape, JointKind kind>
void factor(benchmark::State& state) {
  Linkage linkage(shape, kind, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(linkage.primary.factor(linkage.dynamics.kinematics()));
  per_body(state);
}

template <Shape shape, JointKind kind>
void solve(benchmark::State& state) {
  Linkage linkage(shape, kind, static_cast<int>(state.range(0)));
  for (auto _ : state) {
    std::fill(linkage.y.begin(), linkage.y.end(), BodyVector{{1, 2, 3}, {3, 2, 1}, 0});
    linkage.primary.solve(linkage.b, linkage.y, linkage.lambda);
  }
  per_body(state);
}

template <Shape shape, JointKind kind>
void acceleration(benchmark::State& state) {
  Linkage linkage(shape, kind, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(linkage.dynamics.accelerations(linkage.scene.initial));
  per_body(state);
}

BENCHMARK(factor<Shape::tree, JointKind::ball>)->RangeMultiplier(4)->Range(255, 65535);
BENCHMARK(solve<Shape::tree, JointKind::ball>)->RangeMultiplier(4)->Range(255, 65535);
BENCHMARK(acceleration<Shape::tree, JointKind::ball>)->RangeMultiplier(4)->Range(255, 65535);
BENCHMARK(factor<Shape::chain, JointKind::hinge>)->RangeMultiplier(4)->Range(128, 32768);
BENCHMARK(solve<Shape::chain, JointKind::hinge>)->RangeMultiplier(4)->Range(128, 32768);
BENCHMARK(acceleration<Shape::chain, JointKind::hinge>)->RangeMultiplier(4)->Range(128, 32768);
BENCHMARK(acceleration<Shape::chain, JointKind::slider>)->RangeMultiplier(4)->Range(128, 2048);
BENCHMARK(acceleration<Shape::chain, JointKind::universal>)->RangeMultiplier(4)->Range(128, 2048);

}  // namespace
