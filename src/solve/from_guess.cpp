#include "catena/solve/from_guess.h"

#include <algorithm>

#include "catena/solve/gauss_seidel.h"
#include "catena/solve/state_newton.h"

namespace catena::solve {
namespace {

constexpr int kDenseRows = 200;  // beyond, a dense factorisation costs more than many sweeps
constexpr int kNewtonSteps = 4;  // from a good guess it takes no more, or finds nothing
constexpr int kSmallRows = 24;   // up to here exact answers cost little
constexpr int kFewSweeps = 100, kMoreSweeps = 400;

}  // namespace

std::optional<Solution> from_guess(const Problem& problem, const Options& options, const Vector& guess) {
  const double good = std::max(options.tolerance, options.acceptable);
  Solution solution;
  solution.z = guess;
  if (problem.size() <= kDenseRows) {
    const Problem dense{to_dense(problem.A), problem.b, problem.blocks};
    StateNewton states;
    if (StateNewton::takes(dense) &&
        states.solve(dense, options.tolerance, options.acceptable, solution, StateNewton::kHard, kNewtonSteps))
      return solution;
  }
  if (problem.size() <= kSmallRows) return {};
  GaussSeidel sweeps({.warm_start = true, .max_sweeps = kFewSweeps, .tolerance = good});
  sweeps.solve(problem, solution);
  if (solution.certificate.residual > std::max(good, options.enough)) {
    sweeps.options.max_sweeps = kMoreSweeps;
    sweeps.options.tolerance = std::max(good, options.enough);
    sweeps.solve(problem, solution);
  }
  const bool last = options.most_rows > 0 && problem.size() > options.most_rows;
  if (solution.certificate.residual > std::max(good, options.enough) && !last) return {};
  if (solution.certificate.residual <= good) solution.certificate.status = Status::exact;
  return solution;
}

}  // namespace catena::solve
