#include "catena/solve/sweep_lanes.h"

#include <algorithm>

#include "catena/solve/slip_search.h"

namespace catena::solve {
namespace {

template <int kStrips>
void fill(const SweepRows& rows, const int* blocks, LaneRow<kStrips>& out) {
  for (int l = 0; l < kLanes; ++l) {
    const SweepRows::Row& row = rows.rows[blocks[l]];
    const auto spread = [l](const double* from, Quad* to, int count) {
      for (int i = 0; i < count; ++i) to[i][l] = from[i];
    };
    spread(rows.b(row), out.b, 3);
    spread(rows.sigma(row), out.sigma, 3);
    spread(rows.local(row), &out.friction.d_nn, kFrictionNumbers);
    out.first[l] = row.first;
    for (int s = 0; s < kStrips; ++s) {
      const SweepRows::Strip& strip = rows.strips[row.strip + s];
      for (int i = 0; i < 3; ++i) spread(rows.values.data() + strip.value + 6 * i, out.strip[i][s], 6);
      out.start[s][l] = strip.start;
    }
  }
}

// Lanes of x, or of λ.
struct Places {
  double* of[kLanes];

  CATENA_INLINE Places(double* all, const int* start)
      : of{all + start[0], all + start[1], all + start[2], all + start[3]} {}
  CATENA_INLINE void prefetch() const {
    for (double* p : of) __builtin_prefetch(p, 1);
  }
  CATENA_INLINE void load_two(int i, Quad* to) const {
    const double* const from[kLanes] = {of[0] + i, of[1] + i, of[2] + i, of[3] + i};
    gather_two(from, to[i], to[i + 1]);
  }
  CATENA_INLINE void store_two(int i, const Quad* from) const {
    double* const to[kLanes] = {of[0] + i, of[1] + i, of[2] + i, of[3] + i};
    scatter_two(from[i], from[i + 1], to);
  }
  CATENA_INLINE Quad load(int i) const { return Quad{of[0][i], of[1][i], of[2][i], of[3][i]}; }
  CATENA_INLINE void store(int i, Quad from) const {
    for (int l = 0; l < kLanes; ++l) of[l][i] = from[l];
  }
};

template <FrictionMethod method, int kStrips>
CATENA_INLINE void visit(const LaneRow<kStrips>& row, double* lambda_all, double* x_all) {
  alignas(sizeof(Quad)) Quad x[kStrips][6], lambda[3], r[3], z[3];
  for (int s = 0; s < kStrips; ++s) {
    const Places node(x_all, row.start[s]);
    for (int j = 0; j < 6; j += 2) node.load_two(j, x[s]);
  }
  const Places own(lambda_all, row.first);
  own.load_two(0, lambda);
  lambda[2] = own.load(2);
  for (int i = 0; i < 3; ++i) {  // lines 7–10, summed as Six does (sweep_kernels.h)
    alignas(sizeof(Quad)) Quad p[6];
    for (int j = 0; j < 6; ++j) {
      p[j] = row.strip[i][0][j] * x[0][j];
      if constexpr (kStrips == 2) p[j] += row.strip[i][1][j] * x[1][j];
    }
    r[i] = row.b[i] + row.sigma[i] * lambda[i] + (p[0] + p[2] + p[4] + (p[1] + p[3] + p[5]));
  }
  solve_friction<method>(row.friction, 2, r, lambda, z);                                                // 11
  alignas(sizeof(Quad)) const Quad change[3] = {z[0] - lambda[0], z[1] - lambda[1], z[2] - lambda[2]};  // 12
  own.store_two(0, z);
  own.store(2, z[2]);
  for (int s = 0; s < kStrips; ++s) {  // 13–16
    const Places node(x_all, row.start[s]);
    alignas(sizeof(Quad)) Quad next[6];
    for (int j = 0; j < 6; ++j)
      next[j] =
          x[s][j] + row.strip[0][s][j] * change[0] + row.strip[1][s][j] * change[1] + row.strip[2][s][j] * change[2];
    for (int j = 0; j < 6; j += 2) node.store_two(j, next);
  }
}

// How many groups ahead x is asked for: it is the only thing that is not read in order.
constexpr int kAhead = 3;

template <FrictionMethod method, int kStrips>
CATENA_INLINE void run(const std::vector<LaneRow<kStrips>>& rows, int at, int count, double* lambda, double* x) {
  const int size = static_cast<int>(rows.size());
  for (int i = at; i < at + count; ++i) {
    const LaneRow<kStrips>& later = rows[std::min(i + kAhead, size - 1)];
    for (int s = 0; s < kStrips; ++s) Places(x, later.start[s]).prefetch();
    visit<method>(rows[i], lambda, x);
  }
}

template <FrictionMethod method>
CATENA_INLINE void run_of(const LaneRows& lanes, int strips, int at, int count, double* lambda, double* x) {
  if (strips == 1) run<method>(lanes.on_one, at, count, lambda, x);
  else run<method>(lanes.on_two, at, count, lambda, x);
}

}  // namespace

void fill_lanes(const SweepRows& rows, const Colouring& colouring, LaneRows& out) {
  int groups[3] = {};
  for (const Colouring::Run& run : colouring.runs) groups[run.strips] += run.count / kLanes;
  out.on_one.resize(static_cast<std::size_t>(groups[1]));
  out.on_two.resize(static_cast<std::size_t>(groups[2]));
  auto one = out.on_one.begin();
  auto two = out.on_two.begin();
  for (const Colouring::Run& run : colouring.runs)
    for (int i = run.first; i < run.first + run.count; i += kLanes) {
      if (run.strips == 1) fill(rows, colouring.order.data() + i, *one++);
      if (run.strips == 2) fill(rows, colouring.order.data() + i, *two++);
    }
}

CATENA_DISPATCH void sweep_lanes(const LaneRows& lanes, FrictionMethod method, int strips, int at, int count,
                                 double* lambda, double* x) {
  switch (method) {
    case FrictionMethod::projection: return run_of<FrictionMethod::projection>(lanes, strips, at, count, lambda, x);
    case FrictionMethod::approximate: return run_of<FrictionMethod::approximate>(lanes, strips, at, count, lambda, x);
    case FrictionMethod::exact: return run_of<FrictionMethod::exact>(lanes, strips, at, count, lambda, x);
  }
}

}  // namespace catena::solve
