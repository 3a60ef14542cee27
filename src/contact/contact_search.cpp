// The ways to an exact answer: Newton's method on states, proximal steps, a convex problem near by, sweeps, continuation.
#include <algorithm>
#include <cmath>
#include <variant>

#include "catena/contact/contact_solver.h"
#include "catena/solve/consistent.h"

namespace catena {

bool ContactSolver::answer_nearby(const solve::Problem& problem, double contradiction) {
  const solve::Problem& dense = as_dense(problem);
  if (!solve::StateNewton::takes(dense)) return false;
  const solve::Options options{.tolerance = asked_.tolerance};
  at_.start = solution.z;
  if (!solve_nearby(dense, options) && !solve_continued(dense, options)) return false;
  improve(dense, contradiction);
  return true;
}

// What refines an answer may change which rows hold, and what they contradict each other by.
void ContactSolver::improve(const solve::Problem& problem, double contradiction) {
  if (!(solution.certificate.residual > asked_.tolerance) || problem.size() > tuning_.exact_rows) return;
  const bool kept = std::holds_alternative<Eigen::MatrixXd>(problem.A);
  if (!kept) forms_.dense = {Eigen::MatrixXd(to_dense(problem.A)), problem.b, problem.blocks};
  const solve::Problem& dense = kept ? problem : forms_.dense;
  if (!solve::StateNewton::takes(dense)) return;
  for (int round = 0; round < tuning_.improve_rounds && solution.certificate.residual > asked_.tolerance; ++round) {
    if (!settle_contradictions(dense, contradiction)) return;
    if (solution.certificate.residual > asked_.tolerance) refine(forms_.consistent);
  }
}

// Where a contact hardly pushes or hardly moves Newton's method ends at the acceptable residual with the one taken for the other: more patient ways from there,
// none of which takes less than the tolerance for an answer. The better answer stays.
void ContactSolver::refine(const solve::Problem& problem) {
  const solve::Solution found = solution;
  const solve::Options exact{.tolerance = asked_.tolerance, .acceptable = asked_.tolerance};
  at_.start = solution.z;
  if (solve_patiently(problem, exact)) return;
  at_.start = found.z;
  if (!solve_continued(problem, exact) || !(solution.certificate.residual < found.certificate.residual))
    solution = found;
}

// Which rows hold may change with what they are asked for, but seldom more than once. False: they contradict each other by more than `most`.
bool ContactSolver::settle_contradictions(const solve::Problem& problem, double most) {
  const solve::Options options{.tolerance = asked_.tolerance};
  solve::Solution best = solution;
  forms_.consistent = problem;
  double changed = 0;
  for (int round = 0; round < tuning_.contradiction_rounds; ++round) {
    changed += solve::make_consistent(solution.z, forms_.consistent);
    at_.start = solution.z;
    if (changed > most) break;
    if (!solve_nearby(forms_.consistent, options) && !solve_continued(forms_.consistent, options)) break;
    if (solution.certificate.residual < best.certificate.residual) best = solution;
    if (solution.certificate.residual <= asked_.tolerance) break;
  }
  solution = best;
  return changed <= most;
}

solve::StateNewton::Approach ContactSolver::approach_steps() const {
  return {tuning_.approach_steps, tuning_.approach_soft, tuning_.approach_shrink};
}

// Newton's method on states, and proximal steps where it goes round in circles.
bool ContactSolver::solve_nearby(const solve::Problem& problem, const solve::Options& options) {
  bool found = newton_.solve(problem, options.tolerance, options.acceptable, solution);
  if (!found) {
    found = newton_.approach(problem, options.tolerance, options.acceptable, approach_steps(), solution);
  } else if (solution.certificate.residual > options.tolerance) {
    // Contacts that contradict each other a little stop Newton's method above the tolerance; where they do not, proximal steps reach it.
    newton_.approach(problem, options.tolerance, options.tolerance, approach_steps(), solution);
    keep_as_exact();
  }
  if (found) solution.certificate.fallbacks = 0;
  return found;
}

// An answer within what is acceptable, though a search for a better one has ended elsewhere.
void ContactSolver::keep_as_exact() {
  solution.certificate.status = solve::Status::exact;
  solution.certificate.solver = "states";
}

// Newton's method with σ above what contacts contradict each other by.
bool ContactSolver::solve_softly(const solve::Problem& problem, const solve::Options& options) {
  if (!newton_.solve(problem, options.tolerance, options.acceptable, solution, tuning_.newton_soft)) return false;
  settle(problem, options);
  return true;
}

// From an answer that is acceptable, not exact: steps with the least σ, in which contacts that contradict each other push so hard that one of them lets go.
void ContactSolver::settle(const solve::Problem& problem, const solve::Options& options) {
  if (solution.certificate.residual > options.tolerance) {
    newton_.approach(problem, options.tolerance, options.tolerance,
                     {tuning_.settle_steps, solve::StateNewton::kHard, 1}, solution);
    keep_as_exact();
  }
  solution.certificate.fallbacks = 0;
}

bool ContactSolver::solve_from_guess(const solve::Problem& problem, const solve::Options& options) {
  if (solve_softly(problem, options)) return true;
  const bool found = newton_.approach(problem, options.tolerance, options.acceptable, approach_steps(), solution) ||
                     newton_.solve(problem, options.tolerance, options.acceptable, solution);
  if (found) solution.certificate.fallbacks = 0;
  return found || search_on(problem, options);
}

// With the least σ, then by more patient ways.
bool ContactSolver::solve_patiently(const solve::Problem& problem, const solve::Options& options) {
  return solve_nearby(problem, options) || search_on(problem, options);
}

// From the answer of a convex problem near by, by more patient steps from solution.z, and from where a few sweeps lead.
bool ContactSolver::search_on(const solve::Problem& problem, const solve::Options& options) {
  const auto sweep_and_newton = [&](int sweeps) {
    few_sweeps_.options.max_sweeps = sweeps;
    few_sweeps_.solve(problem, solution);
    return newton_.solve(problem, options.tolerance, options.acceptable, solution);
  };
  const bool found =
      solve_from_convex(problem, options) ||
      newton_.approach(problem, options.tolerance, options.acceptable,
                       {tuning_.patient_steps, tuning_.patient_soft, tuning_.patient_shrink}, solution) ||
      sweep_and_newton(20) || sweep_and_newton(60);
  if (found) solution.certificate.fallbacks = 0;
  return found;
}

bool ContactSolver::solve_from_convex(const solve::Problem& problem, const solve::Options& options) {
  if (problem.size() > tuning_.patient_rows || !solve::ConvexNewton::takes(problem)) return false;
  at_.guess = solution.z;
  convex_.solve(problem, {tuning_.convex_soft, tuning_.convex_tolerance, tuning_.convex_steps}, solution.z);
  if (newton_.solve(problem, options.tolerance, options.acceptable, solution, tuning_.newton_soft) ||
      newton_.approach(problem, options.tolerance, options.acceptable, approach_steps(), solution))
    return true;
  solution.z = at_.guess;
  return false;
}

// The answer with a little compliance, Σ on every row, is found more easily, and that with a little less of it is near: Σ is let go until none is needed
// any more. Where Newton's method loses the way it goes on in smaller steps from the last answer, and gives up when these become too small.
bool ContactSolver::solve_continued(const solve::Problem& problem, const solve::Options& options) {
  const auto* A = std::get_if<Eigen::MatrixXd>(&problem.A);
  if (!A || A->rows() <= tuning_.patient_rows) return false;
  const double mean = A->diagonal().mean();
  const solve::Options exact{.tolerance = options.tolerance, .acceptable = options.tolerance};
  forms_.eased.b = problem.b;
  forms_.eased.blocks = problem.blocks;
  at_.nearest = at_.start;
  const auto answers_at = [&](double sigma, bool patiently) {
    forms_.eased.A = *A;
    std::get<Eigen::MatrixXd>(forms_.eased.A).diagonal().array() += sigma * mean;
    solution.z = at_.nearest;
    if (!(patiently ? solve_patiently(forms_.eased, exact) : solve_nearby(forms_.eased, exact))) return false;
    at_.nearest = solution.z;
    return true;
  };
  double sigma = tuning_.eased, shrink = tuning_.continued_shrink;
  for (; !answers_at(sigma, false); sigma *= tuning_.continued_growth)
    if (sigma >= tuning_.continued_softest) return false;
  const auto residual = [&] {
    solve::certify(problem, solve::matrix_scale(problem.A), options.tolerance, solution, at_.work);
    return solution.certificate.residual;
  };
  double left = residual();
  for (int step = 0; step < tuning_.continued_steps && left > options.tolerance; ++step) {
    if (!answers_at(shrink * sigma, true)) {
      if ((shrink = std::sqrt(shrink)) > tuning_.continued_slowest) break;
      continue;
    }
    const double before = left;
    left = residual();
    sigma *= shrink;
    // What is left is Σ's part and shrinks with it, unless contacts contradict each other.
    if (left > std::sqrt(shrink) * before) break;
    shrink = std::max(tuning_.continued_shrink, shrink * shrink);
  }
  solution.z = at_.nearest;
  left = residual();
  const bool exact_enough = left <= options.acceptable;
  solution.certificate.solver = "continued";
  solution.certificate.fallbacks = exact_enough ? 0 : 1;
  if (exact_enough) solution.certificate.status = solve::Status::exact;
  else solution.certificate.regularisation = sigma * mean;
  return exact_enough || (asked_.mode != ContactMode::exact && left <= tuning_.eased_residual);
}

// Whether a problem is so large that it gets a bounded number of factorisations, and the compliance its answer may need.
bool ContactSolver::is_bounded(const solve::Problem& problem) const {
  return asked_.mode != ContactMode::exact && problem.size() > tuning_.patient_rows &&
         std::holds_alternative<Eigen::MatrixXd>(problem.A);
}

// Bodies that lie on many contacts leave open which of them carries how much, and where these slip no solver may find an exact answer within the time of
// a step. Proximal steps decide it: with Σ (z − z₀) on every row, z₀ being the impulses of the last step and then the answer itself, Newton's method finds
// its answer, and forces stay where they were unless velocities ask for a change. What rests does not creep by it, since there z = z₀; what changes is late
// by Σ's part.
bool ContactSolver::solve_bounded(const solve::Problem& problem, const solve::Options& options) {
  if (newton_.solve(problem, options.tolerance, options.acceptable, solution, tuning_.newton_soft,
                    tuning_.bounded_newton)) {
    settle(problem, options);
    return true;
  }
  const auto& A = std::get<Eigen::MatrixXd>(problem.A);
  const double sigma = tuning_.proximal_soft * A.diagonal().mean(), scale = solve::matrix_scale(problem.A);
  forms_.eased.A = A;
  std::get<Eigen::MatrixXd>(forms_.eased.A).diagonal().array() += sigma;
  forms_.eased.blocks = problem.blocks;
  at_.nearest = at_.start;
  for (int step = 0; step < tuning_.proximal_steps; ++step) {
    forms_.eased.b = problem.b - sigma * at_.nearest;
    solution.z = at_.nearest;
    if (!newton_.solve(forms_.eased, options.acceptable, options.acceptable, solution) &&
        !newton_.approach(forms_.eased, options.acceptable, options.acceptable, approach_steps(), solution))
      return false;
    at_.nearest = solution.z;
    solve::certify(problem, scale, asked_.tolerance, solution, at_.work);
    if (solution.certificate.residual <= tuning_.proximal_aim) break;
  }
  solution.certificate.solver = "proximal";
  solution.certificate.regularisation = sigma;
  solution.certificate.fallbacks = solution.certificate.residual <= options.acceptable ? 0 : 1;
  return solution.certificate.residual <= tuning_.proximal_residual;
}

}  // namespace catena
