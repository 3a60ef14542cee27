#include "catena/solve/sweep_lanes.h"

#include <algorithm>

#include "catena/solve/slip_search.h"

namespace catena::solve {
namespace {

template <int kStrips, int kQuads>
void fill(const SweepRows& rows, const int* blocks, LaneRow<kStrips, kQuads>& out) {
  for (int l = 0; l < 4 * kQuads; ++l) {
    const SweepRows::Row& row = rows.rows[blocks[l]];
    auto& four = out.four[l / 4];
    const auto spread = [l](const double* from, Quad* to, int count, int step = 1) {
      for (int i = 0; i < count; ++i) to[i * step][l % 4] = from[i];
    };
    for (int s = 0; s < kStrips; ++s) {
      const SweepRows::Strip& strip = rows.strips[row.strip + s];
      four.start[s][l % 4] = strip.start;
      for (int i = 0; i < 3; ++i) spread(rows.values.data() + strip.value + 6 * i, four.strip[i][s], 6);
    }
    four.first[l % 4] = row.first;
    spread(rows.b(row), four.b, 3);
    spread(rows.sigma(row), four.sigma, 3);
    spread(rows.local(row), &out.friction.d_nn.q[l / 4], kFrictionNumbers, kQuads);
  }
}

template <int kStrips, int kQuads>
void fill_all(const SweepRows& rows, const Colouring& colouring, LaneRowList<kStrips, kQuads>& out) {
  const auto mine = [](const Colouring::Run& run) { return run.strips == kStrips && run.lanes == 4 * kQuads; };
  std::size_t groups = 0;
  for (const Colouring::Run& run : colouring.runs) groups += mine(run) ? run.count / run.lanes : 0;
  out.resize(groups);
  for (const Colouring::Run& run : colouring.runs)
    for (int i = 0; i < run.count / run.lanes && mine(run); ++i)
      fill(rows, colouring.order.data() + run.first + i * run.lanes, out[run.group + i]);
}

// Where the numbers of four blocks start: of x at a node, or of λ.
struct Places {
  double* of[4];

  CATENA_INLINE Places(double* all, const int* start)
      : of{all + start[0], all + start[1], all + start[2], all + start[3]} {}
  CATENA_INLINE void prefetch() const {
    for (double* p : of) __builtin_prefetch(p, 1);
  }
  // The i-th numbers, and those after them.
  CATENA_INLINE void load_two(int i, Quad& first, Quad& second) const {
    Pair p[4];
    for (int l = 0; l < 4; ++l) std::memcpy(&p[l], of[l] + i, sizeof p[l]);
    const Quad even = __builtin_shufflevector(p[0], p[2], 0, 1, 2, 3);
    const Quad odd = __builtin_shufflevector(p[1], p[3], 0, 1, 2, 3);
    first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
  CATENA_INLINE void store_two(int i, Quad first, Quad second) const {
    const Quad even = __builtin_shufflevector(first, second, 0, 4, 2, 6);
    const Quad odd = __builtin_shufflevector(first, second, 1, 5, 3, 7);
    const Pair p[4] = {low_half(even), low_half(odd), high_half(even), high_half(odd)};
    for (int l = 0; l < 4; ++l) std::memcpy(of[l] + i, &p[l], sizeof p[l]);
  }
  CATENA_INLINE Quad load(int i) const { return Quad{of[0][i], of[1][i], of[2][i], of[3][i]}; }
  CATENA_INLINE void store(int i, Quad from) const {
    for (int l = 0; l < 4; ++l) of[l][i] = from[l];
  }
};

// Ĝ_k x of one row of four blocks, summed as Six does (sweep_kernels.h).
template <int kStrips>
CATENA_INLINE Quad times(const Quad (&strip)[kStrips][6], const Quad (&x)[kStrips][6]) {
  Quad p[6];
  for (int j = 0; j < 6; ++j) {
    p[j] = strip[0][j] * x[0][j];
    if constexpr (kStrips == 2) p[j] += strip[1][j] * x[1][j];
  }
  return p[0] + p[2] + p[4] + (p[1] + p[3] + p[5]);
}

template <FrictionMethod method, int kStrips, int kQuads>
CATENA_INLINE void visit(const LaneRow<kStrips, kQuads>& row, double* lambda_all, double* x_all) {
  alignas(sizeof(Quad)) Quad x[kQuads][kStrips][6];
  Lanes<kQuads> lambda[3], r[3], z[3];
#pragma GCC unroll 2
  for (int k = 0; k < kQuads; ++k) {  // lines 7–10
    const auto& four = row.four[k];
#pragma GCC unroll 2
    for (int s = 0; s < kStrips; ++s) {
      const Places node(x_all, four.start[s]);
      for (int j = 0; j < 6; j += 2) node.load_two(j, x[k][s][j], x[k][s][j + 1]);
    }
    const Places own(lambda_all, four.first);
    own.load_two(0, lambda[0].q[k], lambda[1].q[k]);
    lambda[2].q[k] = own.load(2);
    for (int i = 0; i < 3; ++i) r[i].q[k] = four.b[i] + four.sigma[i] * lambda[i].q[k] + times(four.strip[i], x[k]);
  }
  solve_friction<method>(row.friction, 2, r, lambda, z);  // 11
#pragma GCC unroll 2
  for (int k = 0; k < kQuads; ++k) {
    const auto& four = row.four[k];
    const Places own(lambda_all, four.first);
    own.store_two(0, z[0].q[k], z[1].q[k]);
    own.store(2, z[2].q[k]);
    const Quad change0 = z[0].q[k] - lambda[0].q[k], change1 = z[1].q[k] - lambda[1].q[k],  // 12
        change2 = z[2].q[k] - lambda[2].q[k];
#pragma GCC unroll 2
    for (int s = 0; s < kStrips; ++s) {  // 13–16
      const Places node(x_all, four.start[s]);
      const auto next = [&](int j) __attribute__((always_inline)) {
        return x[k][s][j] + four.strip[0][s][j] * change0 + four.strip[1][s][j] * change1 +
               four.strip[2][s][j] * change2;
      };
      for (int j = 0; j < 6; j += 2) node.store_two(j, next(j), next(j + 1));
    }
  }
}

// How many fours ahead x is asked for: it is the only thing that is not read in order.
constexpr int kAhead = 4;

template <FrictionMethod method, int kStrips, int kQuads>
CATENA_INLINE void visit_all(const LaneRowList<kStrips, kQuads>& rows, const Colouring::Run& run, double* lambda,
                             double* x) {
  const int last = static_cast<int>(rows.size()) - 1;
  for (int i = run.group; i < run.group + run.count / (4 * kQuads); ++i) {
    const LaneRow<kStrips, kQuads>& later = rows[std::min(i + kAhead / kQuads, last)];
    for (int k = 0; k < kQuads; ++k)
      for (int s = 0; s < kStrips; ++s) Places(x, later.four[k].start[s]).prefetch();
    visit<method>(rows[i], lambda, x);
  }
}

template <FrictionMethod method>
CATENA_INLINE void visit_run(const LaneRows& lanes, const Colouring::Run& run, double* lambda, double* x) {
  if (run.strips == 1 && run.lanes == 4) visit_all<method>(std::get<0>(lanes.of), run, lambda, x);
  if (run.strips == 1 && run.lanes == 8) visit_all<method>(std::get<1>(lanes.of), run, lambda, x);
  if (run.strips == 2 && run.lanes == 4) visit_all<method>(std::get<2>(lanes.of), run, lambda, x);
  if (run.strips == 2 && run.lanes == 8) visit_all<method>(std::get<3>(lanes.of), run, lambda, x);
}

}  // namespace

void fill_lanes(const SweepRows& rows, const Colouring& colouring, LaneRows& out) {
  std::apply([&](auto&... list) { (fill_all(rows, colouring, list), ...); }, out.of);
}

CATENA_DISPATCH void sweep_lanes(const LaneRows& lanes, FrictionMethod method, const Colouring::Run& run,
                                 double* lambda, double* x) {
  switch (method) {
    case FrictionMethod::projection: return visit_run<FrictionMethod::projection>(lanes, run, lambda, x);
    case FrictionMethod::approximate: return visit_run<FrictionMethod::approximate>(lanes, run, lambda, x);
    case FrictionMethod::exact: return visit_run<FrictionMethod::exact>(lanes, run, lambda, x);
  }
}

}  // namespace catena::solve
