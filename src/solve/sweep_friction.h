// The loop of Algorithm 3.1 over neighbours that are all friction on strips of six or of three: where a sweep spends its time.
#pragma once

#include "catena/solve/sweep_rows.h"

namespace catena::solve {

// The order of a sweep: which block comes i-th.
struct SweepOrder {
  const int* shuffled;  // null: one after the other
  int count;
  bool backward;

  int operator[](int i) const { return shuffled != nullptr ? shuffled[i] : (backward ? count - 1 - i : i); }
};

// Visits the blocks from the i-th on as long as they have the shape of friction. Returns the first that has not, or the count.
int sweep_friction(const SweepRows& rows, FrictionMethod method, const SweepOrder& order, int i, double* lambda,
                   double* x);

}  // namespace catena::solve
