// Interior points for the exact cone. Coulomb's law is a complementarity between z in the cone K and ŵ = w + (friction ‖w_t‖, 0, 0) in its
// dual (De Saxcé). In coordinates where every cone is n ≥ ‖t‖, with x for z and y for ŵ:
//     A x + b = G(y) = y − (‖y_t‖, 0, 0),      x ∘ y = σμ e,      x, y inside the cone
// Newton's method on both at once, the term ‖y_t‖ with its derivative: no outer loop over friction, and superlinear at the end. A may be singular
// (the barrier picks the answer in the middle of many) and a little unsymmetric.
#pragma once

#include "catena/solve/solution.h"

namespace catena::solve {

// How the slip term comes in. None is best everywhere (docs/methods/solvers.md): it is what makes the problem other than convex.
enum class SlipPath : std::uint8_t {
  direct,  // with its whole slope from the start: fewest steps
  ramped,  // left out while μ is large, whole when it is small
  halved,  // with half its slope: slower at the end, surer on the way where friction is strong
  lagged,  // with no slope while μ is large
};

struct ConeOptions {
  double tolerance = 1e-10;  // of the natural-map residual
  int max_iterations = 100;
  SlipPath slip = SlipPath::direct;
};

// Any law: those without a cone or bound of their own go by their LCP form. Now and then on the way newton() (newton.h) is tried from where
// the method is: where it takes hold it is at the end in a few steps.
Solution interior_point(const Problem& problem, const ConeOptions& options = {});

}  // namespace catena::solve
