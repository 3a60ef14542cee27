// A problem with a good guess, as the steps of a simulation have it: quick ways to an answer that is good enough, before the sure ones of solve().
#pragma once

#include <optional>

#include "catena/solve/solve.h"

namespace catena::solve {

// Tries Newton's method on contact states from the guess, then up to 500 sweeps. Where the forces of contacts are not unique (a ball in a net) every
// method converges slowly, so an answer within options.enough is accepted, and the best one of problems of more than options.most_rows. Returns nothing if
// neither reaches it, or if the problem is so small that the exact solvers are fast.
std::optional<Solution> from_guess(const Problem& problem, const Options& options, const Vector& guess);

}  // namespace catena::solve
