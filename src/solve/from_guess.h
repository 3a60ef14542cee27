// A problem with a good guess, as the steps of a simulation have it: quick ways to an answer that is good enough, before the sure ones of solve().
#pragma once

#include <optional>

#include "catena/solve/solve.h"

namespace catena::solve {

// Newton's method on states, which needs a few linear solves where the answer is one; else sweeps. Where contacts leave open which of them carries how
// much (a ball in a net), the way to the last digits is long for every method, and what the sweeps reach soon counts when it is within
// options.enough. Nothing: neither is, or the problem is so small that the sure ways are quick.
std::optional<Solution> from_guess(const Problem& problem, const Options& options, const Vector& guess);

}  // namespace catena::solve
