#include "catena/contact/contact_solver.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <variant>

#include "catena/mechanism/law_problem.h"
#include "catena/solve/consistent.h"

namespace catena {
namespace {

using SweepOptions = solve::GaussSeidelOptions;

// The scene's words for Lacoursière's algorithms.
SweepOptions sweep_options(const Settings& settings) {
  SweepOptions out;
  out.algorithm = settings.method.sweeps().algorithm == SweepAlgorithm::monitored ? SweepOptions::Algorithm::monitored
                : settings.method.sweeps().algorithm == SweepAlgorithm::kept_residual
                    ? SweepOptions::Algorithm::kept_residual
                    : SweepOptions::Algorithm::plain;
  out.order = settings.method.sweeps().order == SweepOrder::symmetric ? SweepOptions::Order::symmetric
            : settings.method.sweeps().order == SweepOrder::random    ? SweepOptions::Order::random
            : settings.method.sweeps().order == SweepOrder::coloured  ? SweepOptions::Order::coloured
                                                                      : SweepOptions::Order::given;
  out.friction = settings.method.sweeps().friction == SweepFriction::projection  ? solve::FrictionMethod::projection
               : settings.method.sweeps().friction == SweepFriction::approximate ? solve::FrictionMethod::approximate
                                                                                 : solve::FrictionMethod::exact;
  out.relaxation = settings.method.sweeps().relaxation;
  out.seed = settings.seed + 1;
  return out;
}

}  // namespace

ContactSolver::ContactSolver(const VelocityTuning& tuning, const Settings& settings)
    : tuning_(tuning),
      asked_{.solver = settings.method.law_solver(),
             .mode = settings.method.contacts(),
             .tolerance = settings.contact_tolerance,
             .sweeps = settings.method.sweeps().most,
             .sweep_options = sweep_options(settings),
             .order = settings.method.sweeps().order != SweepOrder::automatic} {
  sweeps_.options.warm_start = true;
  few_sweeps_.options = {.warm_start = true, .check_every = 0};
}

namespace {

// The contacts of one mechanism: stored by blocks, most of which are not zero.
bool is_dense_in_disguise(const solve::Problem& problem) {
  const auto* A = std::get_if<solve::BlockSparse>(&problem.A);
  const auto n = static_cast<std::size_t>(problem.size());
  return A && 2 * A->values.size() > n * n;
}

}  // namespace

bool ContactSolver::sweeps(int rows) const {
  if (asked_.mode != ContactMode::automatic) return asked_.mode == ContactMode::swept;
  return asked_.solver == LawSolver::automatic && rows > tuning_.exact_rows;
}

void ContactSolver::solve(const solve::Problem& problem, std::vector<solve::Block>& blocks, LawRows& laws,
                          int first_row, bool swept, bool guessed) {
  if (!swept && asked_.solver == LawSolver::automatic && solve_with_turns(problem, blocks, laws, first_row, guessed))
    return;
  solve_bound(blocks, laws, solution.z, first_row, [&](solve::Vector&) { answer(problem, swept, guessed); });
}

// Rolling and torsional friction, whose bounds are levers of the normal forces, within the problem of the contacts. The other solvers take bounds
// that are known: solve_bound() brings them in line by repetition.
bool ContactSolver::solve_with_turns(const solve::Problem& problem, std::vector<solve::Block>& blocks, LawRows& laws,
                                     int first_row, bool guessed) {
  if (!follow_normals(laws, blocks, first_row)) return false;
  if (!guessed) solution.z.setZero(problem.size());
  at_.start = solution.z;
  const solve::Problem& dense = as_dense(problem);
  const bool found = solve::StateNewton::takes(dense) && solve_from_guess(dense, {.tolerance = asked_.tolerance});
  if (!found) solution.z = at_.start;
  bind_turns(laws, blocks, solution.z, first_row);
  return found;
}

void ContactSolver::answer(const solve::Problem& problem, bool swept, bool guessed) {
  if (!guessed) solution.z.setZero(problem.size());
  if (swept || asked_.solver == LawSolver::split || asked_.solver == LawSolver::gauss_seidel)
    return sweep(problem, swept);
  solve_exactly(problem, guessed);
}

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
  if (!kept) dense_ = {Eigen::MatrixXd(to_dense(problem.A)), problem.b, problem.blocks};
  const solve::Problem& dense = kept ? problem : dense_;
  if (!solve::StateNewton::takes(dense)) return;
  for (int round = 0; round < tuning_.improve_rounds && solution.certificate.residual > asked_.tolerance; ++round) {
    if (!settle_contradictions(dense, contradiction)) return;
    if (solution.certificate.residual > asked_.tolerance) refine(consistent_);
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
  consistent_ = problem;
  double changed = 0;
  for (int round = 0; round < tuning_.contradiction_rounds; ++round) {
    changed += solve::make_consistent(solution.z, consistent_);
    at_.start = solution.z;
    if (changed > most) break;
    if (!solve_nearby(consistent_, options) && !solve_continued(consistent_, options)) break;
    if (solution.certificate.residual < best.certificate.residual) best = solution;
    if (solution.certificate.residual <= asked_.tolerance) break;
  }
  solution = best;
  return changed <= most;
}

// To the tolerance of exact contacts where only the solver was asked for.
void ContactSolver::sweep(const solve::Problem& problem, bool swept) {
  const int blocks = static_cast<int>(problem.blocks.size());
  const bool asked = !swept;
  sweeps_.options.max_sweeps =
      asked_.sweeps > 0 ? asked_.sweeps
      : asked           ? tuning_.most_sweeps
                        : std::clamp(tuning_.most_visits / (blocks + 1), tuning_.least_sweeps, tuning_.most_sweeps);
  sweeps_.options.tolerance = asked ? asked_.tolerance : std::max(tuning_.swept_tolerance, asked_.tolerance);
  sweeps_.options.algorithm = asked_.sweep_options.algorithm;
  sweeps_.options.friction = asked_.sweep_options.friction;
  sweeps_.options.relaxation = asked_.sweep_options.relaxation;
  sweeps_.options.seed = asked_.sweep_options.seed;
  sweeps_.options.order = asked_.order || asked ? asked_.sweep_options.order : SweepOptions::Order::coloured;
  sweeps_.options.check_first = asked ? 1 : 16;
  sweeps_.options.check_every = asked ? 10 : 32;
  sweeps_.solve(problem, solution);
  sweeps_made = std::max(sweeps_made, solution.certificate.iterations);
  monitored = std::max(monitored, sweeps_.monitored());
  // What else sweeps does so by the plain algorithm.
  sweeps_.options.algorithm = SweepOptions::Algorithm::plain;
  sweeps_.options.friction = solve::FrictionMethod::exact;
  sweeps_.options.relaxation = 1;
}

// Newton's method on states, and proximal steps where it goes round in circles.
bool ContactSolver::solve_nearby(const solve::Problem& problem, const solve::Options& options) {
  const solve::StateNewton::Approach steps{tuning_.approach_steps, tuning_.approach_soft, tuning_.approach_shrink};
  bool found = newton_.solve(problem, options.tolerance, options.acceptable, solution);
  if (!found) {
    found = newton_.approach(problem, options.tolerance, options.acceptable, steps, solution);
  } else if (solution.certificate.residual > options.tolerance) {
    // Contacts that contradict each other a little stop Newton's method above the tolerance; where they do not, proximal steps reach it.
    newton_.approach(problem, options.tolerance, options.tolerance, steps, solution);
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

// A few proximal steps from an answer that is acceptable, not exact.
void ContactSolver::settle(const solve::Problem& problem, const solve::Options& options) {
  if (solution.certificate.residual > options.tolerance) {
    newton_.approach(problem, options.tolerance, options.tolerance,
                     {tuning_.settle_steps, tuning_.settle_soft, tuning_.settle_shrink}, solution);
    keep_as_exact();
  }
  solution.certificate.fallbacks = 0;
}

bool ContactSolver::solve_from_guess(const solve::Problem& problem, const solve::Options& options) {
  return solve_softly(problem, options) || solve_patiently(problem, options);
}

// With the least σ, then by more patient steps, and from where a few sweeps lead.
bool ContactSolver::solve_patiently(const solve::Problem& problem, const solve::Options& options) {
  if (solve_nearby(problem, options)) return true;
  const auto sweep_and_newton = [&](int sweeps) {
    few_sweeps_.options.max_sweeps = sweeps;
    few_sweeps_.solve(problem, solution);
    return newton_.solve(problem, options.tolerance, options.acceptable, solution);
  };
  const bool found =
      newton_.approach(problem, options.tolerance, options.acceptable,
                       {tuning_.patient_steps, tuning_.patient_soft, tuning_.patient_shrink}, solution) ||
      sweep_and_newton(20) || sweep_and_newton(60);
  if (found) solution.certificate.fallbacks = 0;
  return found;
}

// The answer with a little compliance, Σ on every row, is found more easily, and that with a little less of it is near: Σ is let go until none is needed
// any more. Where Newton's method loses the way it goes on in smaller steps from the last answer, and gives up when these become too small.
bool ContactSolver::solve_continued(const solve::Problem& problem, const solve::Options& options) {
  const auto* A = std::get_if<Eigen::MatrixXd>(&problem.A);
  if (!A || A->rows() <= tuning_.patient_rows) return false;
  const double mean = A->diagonal().mean();
  const solve::Options exact{.tolerance = options.tolerance, .acceptable = options.tolerance};
  eased_.b = problem.b;
  eased_.blocks = problem.blocks;
  at_.nearest = at_.start;
  const auto answers_at = [&](double sigma, bool patiently) {
    eased_.A = *A;
    std::get<Eigen::MatrixXd>(eased_.A).diagonal().array() += sigma * mean;
    solution.z = at_.nearest;
    if (!(patiently ? solve_patiently(eased_, exact) : solve_nearby(eased_, exact))) return false;
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
  const solve::StateNewton::Approach steps{tuning_.approach_steps, tuning_.approach_soft, tuning_.approach_shrink};
  eased_.A = A;
  std::get<Eigen::MatrixXd>(eased_.A).diagonal().array() += sigma;
  eased_.blocks = problem.blocks;
  at_.nearest = at_.start;
  for (int step = 0; step < tuning_.proximal_steps; ++step) {
    eased_.b = problem.b - sigma * at_.nearest;
    solution.z = at_.nearest;
    if (!newton_.solve(eased_, options.acceptable, options.acceptable, solution) &&
        !newton_.approach(eased_, options.acceptable, options.acceptable, steps, solution))
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

// Equalities alone, as springs and dampers between points are: one linear solve.
bool ContactSolver::solve_equalities(const solve::Problem& problem) {
  const auto* A = std::get_if<Eigen::MatrixXd>(&problem.A);
  const bool equalities = std::all_of(problem.blocks.begin(), problem.blocks.end(),
                                      [](const solve::Block& block) { return block.law == solve::Law::free; });
  if (!A || !equalities) return false;
  ldlt_.compute(*A);
  if (ldlt_.info() != Eigen::Success || !ldlt_.isPositive()) return false;
  solution.z = -problem.b;
  ldlt_.solveInPlace(solution.z);
  solve::certify(problem, solve::matrix_scale(problem.A), asked_.tolerance, solution, at_.work);
  return solution.certificate.residual <= asked_.tolerance;
}

const solve::Problem& ContactSolver::as_dense(const solve::Problem& problem) {
  if (!is_dense_in_disguise(problem)) return problem;
  if (!std::holds_alternative<Eigen::MatrixXd>(dense_.A)) dense_.A = Eigen::MatrixXd();
  to_dense(std::get<solve::BlockSparse>(problem.A), std::get<Eigen::MatrixXd>(dense_.A));
  dense_.b = problem.b;
  dense_.blocks = problem.blocks;
  return dense_;
}

void ContactSolver::solve_exactly(const solve::Problem& problem, bool guessed) {
  if (solve_equalities(problem)) return;
  solve::Options options{.tolerance = asked_.tolerance, .stop = stop};
  if (asked_.solver == LawSolver::lemke) options.solver = solve::Solver::lemke;
  if (asked_.solver == LawSolver::cone) options.solver = solve::Solver::cone;
  const bool chosen = options.solver == solve::Solver::automatic;
  const solve::Problem& dense = as_dense(problem);
  const bool newton = chosen && solve::StateNewton::takes(dense);
  if (newton) {
    at_.start = solution.z;
    if (is_bounded(dense) && solve_bounded(dense, options)) return;
    solution.z = at_.start;
    if (solve_from_guess(dense, options) || solve_continued(dense, options)) return;
    solution.z = at_.start;
  }
  if (chosen && !newton && guessed) {
    // Last step's impulses are often the answer, or nearly. A reused answer doubles its error every step, so it must be far better than a
    // new one; and a new one as good as that lets the next step find its answer in this one.
    sweeps_.options.max_sweeps = tuning_.first_sweeps;
    sweeps_.options.tolerance = tuning_.reuse * asked_.tolerance;
    sweeps_.options.order = solve::GaussSeidelOptions::Order::given;
    sweeps_.options.check_first = 1;
    sweeps_.options.check_every = 10;
    sweeps_.solve(problem, solution);
    if (solution.certificate.residual <= sweeps_.options.tolerance) return;
    options.tolerance = sweeps_.options.tolerance;
    options.acceptable = asked_.tolerance;
  }
  at_.start = solution.z;
  solution = solve::solve(problem, options, guessed ? &at_.start : nullptr);
  if (asked_.solver == LawSolver::lemke && !(solution.certificate.residual <= asked_.tolerance))
    solve_without_free_rows(problem);
}

// Where pivoting has lost its way among contacts that leave open which of them carries how much: velocities and impulses of joints, which obey
// equations, are eliminated, and the laws left are solved by the chain of all solvers. The better answer stays.
void ContactSolver::solve_without_free_rows(const solve::Problem& problem) {
  std::vector<int> equations, laws;
  solve::Problem rest;
  for (const solve::Block& block : problem.blocks) {
    const bool is_free = block.law == solve::Law::free;
    if (!is_free) {
      rest.blocks.push_back(block);
      rest.blocks.back().first = static_cast<int>(laws.size());
    }
    for (int i = block.first; i < block.first + block.size; ++i) (is_free ? equations : laws).push_back(i);
  }
  if (laws.empty()) return;
  const Eigen::MatrixXd A = solve::to_dense(problem.A);
  Eigen::MatrixXd from_laws(0, static_cast<Eigen::Index>(laws.size()));
  Eigen::VectorXd constant(0);
  if (!equations.empty()) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A(equations, equations));
    from_laws = lu.solve(A(equations, laws));
    constant = lu.solve(problem.b(equations));
  }
  rest.A = Eigen::MatrixXd(A(laws, laws) - A(laws, equations) * from_laws);
  rest.b = problem.b(laws) - A(laws, equations) * constant;
  const solve::Solution answer = solve::solve(rest, {.tolerance = asked_.tolerance});
  if (!answer.z.allFinite()) return;
  solve::Solution whole;
  whole.z.setZero(problem.size());
  whole.z(laws) = answer.z;
  whole.z(equations) = -constant - from_laws * answer.z;
  solve::certify(problem, solve::matrix_scale(problem.A), asked_.tolerance, whole, at_.work);
  if (!(whole.certificate.residual < solution.certificate.residual)) return;
  solution = whole;
  solution.certificate.solver = answer.certificate.solver;
  solution.certificate.fallbacks = answer.certificate.fallbacks + 1;
}

}  // namespace catena
