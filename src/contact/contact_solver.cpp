#include "catena/contact/contact_solver.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <variant>

#include "catena/mechanism/law_problem.h"

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
    return sweep(problem, swept, guessed);
  solve_exactly(problem, guessed);
}

// To the tolerance of exact contacts where only the solver was asked for. How many sweeps were asked for is of problems that begin with last step's
// impulses: what begins with nothing, as overlaps and impacts do, would be left half done.
void ContactSolver::sweep(const solve::Problem& problem, bool swept, bool guessed) {
  const int blocks = static_cast<int>(problem.blocks.size());
  const bool asked = !swept;
  sweeps_.options.max_sweeps =
      asked_.sweeps > 0 && (asked || guessed) ? asked_.sweeps
      : asked                                 ? tuning_.most_sweeps
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
  missed =
      solution.certificate.residual * problem.b.norm() / std::sqrt(std::max(1.0, static_cast<double>(problem.size())));
  if (asked || guessed) sweeps_made = std::max(sweeps_made, solution.certificate.iterations);
  monitored = std::max(monitored, sweeps_.monitored());
  // What else sweeps does so by the plain algorithm.
  sweeps_.options.algorithm = SweepOptions::Algorithm::plain;
  sweeps_.options.friction = solve::FrictionMethod::exact;
  sweeps_.options.relaxation = 1;
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
  if (!std::holds_alternative<Eigen::MatrixXd>(forms_.dense.A)) forms_.dense.A = Eigen::MatrixXd();
  to_dense(std::get<solve::BlockSparse>(problem.A), std::get<Eigen::MatrixXd>(forms_.dense.A));
  forms_.dense.b = problem.b;
  forms_.dense.blocks = problem.blocks;
  return forms_.dense;
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
