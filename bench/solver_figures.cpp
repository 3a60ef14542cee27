// catena's solvers on complementarity problems, and those of Siconos beside them where peer_siconos is built.
#include "bench/solver_problems.h"
#include "catena/solve/solve.h"

namespace catena::bench {
namespace {

using solve::Solver;

void measure(const Sink& sink, const SolverProblem& p, Solver solver) {
  if (!applies(solver, p.problem)) return;
  const SolverCall call = [&](double tolerance) {
    solve::Options options{.solver = solver, .tolerance = tolerance, .acceptable = tolerance};
    if (solver == Solver::gauss_seidel) options.max_iterations = kMostSweeps;
    const solve::Solution solution = solve::solve(p.problem, options);
    return SolverAttempt{solution.z, solution.certificate.status != solve::Status::exact};
  };
  report_times(sink, p, "catena: " + std::string(name_of(solver)), call);
}

}  // namespace

void solvers(const Sink& sink, const std::string& folder) {
  for (const SolverProblem& p : solver_problems(folder)) {
    measure(sink, p, Solver::automatic);
    if (p.friction()) {
      measure(sink, p, Solver::cone);
      measure(sink, p, Solver::gauss_seidel);
    } else {
      measure(sink, p, Solver::lemke);
      measure(sink, p, Solver::dantzig);
    }
  }
  run_peer(sink, "solvers", "siconos", {folder});
}

}  // namespace catena::bench
