// Dense problems so small that setting up a general method would take most of the time: plain LCPs of a few rows by Lemke's path on the stack,
// a single cone by its closed form.
#pragma once

#include <optional>

#include "catena/solve/solution.h"

namespace catena::solve {

// An exact answer to a dense problem of at most twelve complementary rows, or of one cone. Nothing where the problem is not of that kind, or
// where none was found: the general methods begin anew then.
std::optional<Solution> solve_tiny(const Problem& problem, double tolerance);

}  // namespace catena::solve
