// What every solver returns: the answer and a certificate of how good it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "catena/solve/natural_map.h"

namespace catena::solve {

enum class Status : std::uint8_t {
  exact,          // the laws hold to the tolerance, for the problem as given
  regularised,    // they hold for A + εI; `regularisation` says ε. The residual is that of the problem as given
  not_converged,  // the best answer found; `residual` says how good it is
  ray,            // no answer: the search ended on a ray. `proved` says whether it shows that there is none
};
std::string_view name_of(Status status);

struct Certificate {
  Status status = Status::not_converged;
  std::string_view solver;  // the one whose answer this is
  int iterations = 0;       // pivots, sweeps or Newton steps of that solver
  int fallbacks = 0;        // solvers that were tried before it
  double residual = 0;      // natural map, relative (natural_map.h)
  int worst_row = -1;
  double gap = 0;             // complementarity, relative
  double regularisation = 0;  // ε on the diagonal of the matrix that was solved
  bool proved = false;  // status ray: x = `ray` ≥ 0 has Aᵀx ≤ 0 and bᵀx < 0, so no z ≥ 0 has A z + b ≥ 0
};

struct Solution {
  Vector z, w;
  Vector ray;  // status ray: where z ran off to, and the proof where there is one
  Certificate certificate;
};

// Computes w = A z + b and fills residual, worst row and gap; `exact` where the residual is within the tolerance.
void certify(const Problem& problem, double scale, double tolerance, Solution& solution);
// The same with scratch of the caller's: does not allocate when repeated.
void certify(const Problem& problem, double scale, double tolerance, Solution& solution, Vector& work);

}  // namespace catena::solve
