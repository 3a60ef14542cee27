// A sweep of Gauss-Seidel over n blocks of three rows between random pairs of nodes with six components, next to reading the same bytes.
//
// A block of a product, counted for friction on two nodes (src/solve/sweep_rows.h, doubles of 8 bytes):
//   stream, read      b 3, Σ 3, friction block 15 and 1 of padding, strips 2·18                  58 doubles    464 bytes
//   indices, read     1 row of 32 bytes, 2 strips of 24                                                         80
//   λ                 3 read and written                                                                         24
//   x                 2·6 gathered, and written back                                                             96
//   together          664 bytes, 221 a row (each byte counted once, though λ and x are also written)
//   flops             residual 2·36 + 9, update 2·36 + 3, local solve about 60 where it sticks     216, 72 a row
// In the coloured order (sweep_lanes.h) the stream has 57 doubles a block and the indices 12 bytes: 588 bytes, 196 a row.
// The streaming benchmarks read as many bytes: `stream` adds up one array of that size, `stream_and_gather` also reads and writes the
// nodes' components at the sweep's own indices. Run: build/bench/gauss_seidel_bench
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <random>

#include "catena/solve/gauss_seidel.h"

namespace {

using namespace catena::solve;

constexpr double kBytes = 664;
constexpr double kFlops = 216;

// Two blocks for each node, as in a heap of many; half of them pressed together, sliding or not, the others about to part.
Problem heap(int blocks) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int nodes = std::max(blocks / 2, 8);
  ProductBuilder builder;
  double Minv[36] = {};
  for (int i = 0; i < 6; ++i) Minv[7 * i] = i < 3 ? 1 : 2.5;
  for (int n = 0; n < nodes; ++n) builder.node(6, Minv);
  Vector b(3 * blocks);
  for (int k = 0; k < blocks; ++k) {
    builder.rows(std::vector<double>(3, 1e-3));
    const int first = static_cast<int>(engine() % static_cast<unsigned>(nodes));
    const int second = (first + 1 + static_cast<int>(engine() % static_cast<unsigned>(nodes - 1))) % nodes;
    for (const double side : {1.0, -1.0}) {
      Eigen::Matrix<double, 3, 6, Eigen::RowMajor> G;
      const Eigen::Vector3d p(uniform(engine), uniform(engine), uniform(engine));
      G << side * Eigen::Matrix3d::Identity(),
          side * (Eigen::Matrix3d() << 0, p[2], -p[1], -p[2], 0, p[0], p[1], -p[0], 0).finished();
      builder.entry(side > 0 ? first : second, {G.data(), 18});
    }
    b.segment<3>(3 * k) << uniform(engine) - 0.5, uniform(engine), uniform(engine);
  }
  return {builder.build(), b, friction_cones(Vector::Constant(blocks, 0.5), 3)};
}

void count(benchmark::State& state) {
  const auto blocks = static_cast<double>(state.range(0));
  state.counters["bytes/row"] = kBytes / 3;
  state.counters["flops/row"] = kFlops / 3;
  state.counters["a block"] =
      benchmark::Counter(blocks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["bytes/s"] = benchmark::Counter(blocks * kBytes, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["flops/s"] = benchmark::Counter(blocks * kFlops, benchmark::Counter::kIsIterationInvariantRate);
}

using Order = GaussSeidelOptions::Order;

template <FrictionMethod method, Order order>
void sweep(benchmark::State& state) {
  const Problem problem = heap(static_cast<int>(state.range(0)));
  GaussSeidel solver({.friction = method, .order = order});
  solver.begin(problem);
  for (int i = 0; i < 20; ++i) solver.sweep();
  for (auto _ : state) solver.sweep();
  benchmark::DoNotOptimize(solver.z().data());
  count(state);
}

void prepare(benchmark::State& state) {
  const Problem problem = heap(static_cast<int>(state.range(0)));
  GaussSeidel solver;
  for (auto _ : state) solver.begin(problem);
  count(state);
}

// Sixteen sums at once, as wide as any x86-64 processor: bound by loads, not by additions.
double sum_of(const double* p, std::ptrdiff_t size) {
  Eigen::Array<double, 16, 1> sum = Eigen::Array<double, 16, 1>::Zero();
  for (std::ptrdiff_t i = 0; i + 16 <= size; i += 16) sum += Eigen::Map<const Eigen::Array<double, 16, 1>>(p + i);
  return sum.sum();
}

void stream(benchmark::State& state) {
  const std::vector<double> bytes(static_cast<std::size_t>(static_cast<double>(state.range(0)) * kBytes / 8), 1.0);
  for (auto _ : state) benchmark::DoNotOptimize(sum_of(bytes.data(), static_cast<std::ptrdiff_t>(bytes.size())));
  count(state);
}

void stream_and_gather(benchmark::State& state) {
  const Problem problem = heap(static_cast<int>(state.range(0)));
  GaussSeidel solver;
  solver.begin(problem);
  const SweepRows& rows = solver.rows();
  Vector x = Vector::Zero(rows.place_start.back());
  for (auto _ : state)
    for (const SweepRows::Row& row : rows.rows) {
      const double sum = sum_of(rows.values.data() + row.value, 58);
      for (int s = row.strip; s < row.strip + row.strips; ++s)
        Eigen::Map<Eigen::Matrix<double, 6, 1>>(x.data() + rows.strips[s].start).array() += 1e-300 * sum;
    }
  benchmark::DoNotOptimize(x.data());
  count(state);
}

#define SIZES RangeMultiplier(10)->Range(100, 100000)->Unit(benchmark::kMicrosecond)
BENCHMARK_TEMPLATE(sweep, FrictionMethod::projection, Order::given)->SIZES;
BENCHMARK_TEMPLATE(sweep, FrictionMethod::approximate, Order::given)->SIZES;
BENCHMARK_TEMPLATE(sweep, FrictionMethod::exact, Order::given)->SIZES;
BENCHMARK_TEMPLATE(sweep, FrictionMethod::projection, Order::coloured)->SIZES;
BENCHMARK_TEMPLATE(sweep, FrictionMethod::approximate, Order::coloured)->SIZES;
BENCHMARK_TEMPLATE(sweep, FrictionMethod::exact, Order::coloured)->SIZES;
BENCHMARK(stream)->SIZES;
BENCHMARK(stream_and_gather)->SIZES;
BENCHMARK(prepare)->SIZES;

}  // namespace
