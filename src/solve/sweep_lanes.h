// The loop of Algorithm 3.1 over friction on one or two nodes of a product, four blocks at a time (colouring.h). The numbers of four blocks lie
// interleaved, a block a lane, and residual, local problem and update run on all four with the operations of one (lanes.h).
#pragma once

#include <vector>

#include "catena/solve/colouring.h"

namespace catena::solve {

// As SweepRows has them, four by four.
template <int kStrips>
struct alignas(sizeof(Quad)) LaneRow {
  int start[kStrips][kLanes];  // of x
  int first[kLanes];           // of λ
  alignas(sizeof(Quad)) Quad strip[3][kStrips][6];
  Quad b[3], sigma[3];
  FrictionBlockOf<Quad> friction;
};

struct LaneRows {
  std::vector<LaneRow<1>> on_one;
  std::vector<LaneRow<2>> on_two;
};

// Fills the groups of a colouring, in its order.
void fill_lanes(const SweepRows& rows, const Colouring& colouring, LaneRows& out);

// Visits all that stand in a run; `at` is where the run starts among the rows of its kind.
void sweep_lanes(const LaneRows& lanes, FrictionMethod method, int strips, int at, int count, double* lambda,
                 double* x);

}  // namespace catena::solve
