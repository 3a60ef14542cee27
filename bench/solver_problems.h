// Complementarity problems that catena's solvers and others are measured on, and the measure: the time it takes to bring the natural-map
// residual (solve/natural_map.h), as catena computes it, below a target.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/figures.h"
#include "catena/solve/problem.h"

namespace catena::bench {

struct SolverProblem {
  std::string name;
  std::string kind;  // lcp, friction
  solve::Problem problem;

  bool friction() const { return kind == "friction"; }
  long size() const { return friction() ? static_cast<long>(problem.blocks.size()) : problem.size(); }
};

// The files of a folder by name, then boxes in columns and bricks in walls, on a floor and hit a little: W = G M⁻¹Gᵀ block-sparse.
std::vector<SolverProblem> solver_problems(const std::string& folder);
// A wall of base · (base + 1)/2 of those bricks, the lowest course of `base`.
SolverProblem brick_wall(int base);

// What every Gauss-Seidel may take.
constexpr int kMostSweeps = 20000;

// A solver under a tolerance of its own kind.
struct SolverAttempt {
  solve::Vector z;
  bool gave_up = false;  // a tighter tolerance would be no use
};
using SolverCall = std::function<SolverAttempt(double tolerance)>;

struct TimeTo {
  double residual;     // the best reached
  double seconds = 0;  // CPU time to the target, the fastest of several runs; 0: not reached
};
// The tolerance comes down by factors of ten, from above the target, until catena's residual is within it; that run is timed.
TimeTo time_to(const solve::Problem& problem, double target, const SolverCall& call);
// Both targets, 1e-4 and 1e-8, as figures; where one is out of reach, the best residual.
void report_times(const Sink& sink, const SolverProblem& problem, const std::string& solver, const SolverCall& call);

}  // namespace catena::bench
