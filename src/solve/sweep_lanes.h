// The loop of Algorithm 3.1 over friction on one or two nodes of a product, four or eight blocks at a time (colouring.h). The numbers of
// a group lie interleaved, a block a lane, and residual, local problem and update run on all with the operations of one (lanes.h).
#pragma once

#include <tuple>
#include <vector>

#include "catena/solve/colouring.h"

namespace catena::solve {

// What SweepRows has of the blocks of a group, in the order in which a visit reads it: other orders cost a third and more out of cache.
template <int kStrips, int kQuads>
struct LaneRow {
  struct alignas(sizeof(Quad)) Four {
    int start[kStrips][4];  // of x
    int first[4];           // of λ
    Quad strip[3][kStrips][6];
    Quad b[3], sigma[3];
  };
  Four four[kQuads];
  FrictionBlockOf<Lanes<kQuads>> friction;
};

template <int kStrips, int kQuads>
using LaneRowList = std::vector<LaneRow<kStrips, kQuads>>;

// The groups of a colouring, each kind in the order of the sweep.
struct LaneRows {
  std::tuple<LaneRowList<1, 1>, LaneRowList<1, 2>, LaneRowList<2, 1>, LaneRowList<2, 2>> of;
};

void fill_lanes(const SweepRows& rows, const Colouring& colouring, LaneRows& out);

// Visits the blocks of a run of fours or eights.
void sweep_lanes(const LaneRows& lanes, FrictionMethod method, const Colouring::Run& run, double* lambda, double* x);

}  // namespace catena::solve
