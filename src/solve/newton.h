// Newton's method on the natural map F(z) = z − P(z − ρ ŵ(z)), which has a slope almost everywhere: quadratic close to an answer, also where
// there are many (Levenberg and Marquardt's term fades with ‖F‖). For the last digits of what another method has begun.
#pragma once

#include "catena/solve/interior_point.h"

namespace catena::solve {

// Improves solution.z in place; never makes it worse. Free, complementary, boxed and cone rows; problems with other laws are left alone.
void newton(const Problem& problem, const ConeOptions& options, Solution& solution);

}  // namespace catena::solve
