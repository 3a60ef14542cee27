// One call for every problem: solve(problem) tries what suits it, falls back on what is slower and surer, and certifies what it returns.
#pragma once

#include <atomic>
#include <optional>

#include "catena/solve/interior_point.h"
#include "catena/solve/lemke.h"
#include "catena/solve/solution.h"

namespace catena::solve {

enum class Solver : std::uint8_t {
  automatic,     // the chain of fall-backs
  lemke,         // lexicographic Lemke on the (mixed) LCP form; cones as pyramids
  dantzig,       // principal pivoting with LDLᵀ updates; bounded problems with a symmetric matrix
  gauss_seidel,  // Lacoursière's sweeps, friction solved exactly block by block
  cone,          // interior points on the exact cone, then Newton on the natural map
};
std::string_view name_of(Solver solver);
std::optional<Solver> solver_named(std::string_view name);

struct Options {
  Solver solver = Solver::automatic;
  double tolerance = 1e-10;  // of the natural-map residual: what solvers aim at
  double acceptable = 1e-8;  // what counts as exact when the aim is out of reach; not below the tolerance
  double enough =
      0;  // with a guess: what ends the search before the slow ways are tried (from_guess.h); 0: nothing does
  // With a guess and `enough`: problems of more rows take the best that the quick ways have found, however far it is from the answer; 0: none does.
  int most_rows = 0;
  // The search ends between two solvers, with the best answer so far, once this is true; null: it never is.
  const std::atomic<bool>* stop = nullptr;
  int max_iterations = 0;  // pivots, sweeps or steps; 0: the solver's own limit
  int cone_facets = 8;     // lemke: facets that stand for a cone
};

// Whether a solver can be asked to solve a problem: dantzig takes neither cones nor matrices that are not symmetric.
bool applies(Solver solver, const Problem& problem);

// The problem must have passed check(). Never throws, never returns a number that is not finite. `guess` starts the solvers that can use one.
Solution solve(const Problem& problem, const Options& options = {}, const Vector* guess = nullptr);

}  // namespace catena::solve
