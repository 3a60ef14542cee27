// What the laws of a step push with, in operational space: Jain eq. 53.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/step/operational.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

// Interior points and pivots take time with the cube of the rows, sweeps with their number.
constexpr Eigen::Index kManyRows = 150;
// Work less than this is none, relative to the weight of everything times its size.
constexpr double kNoWork = 1e-13;

bool only_takes(LawKind kind) { return kind != LawKind::motor && kind != LawKind::soft; }

}  // namespace

bool OperationalStepper::solve_velocities(double h, bool cut, const State& state) {
  gather_laws(h, cut);
  const auto without_impulses = [&] {
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = now_.v[i] + h * vdot_[i];
  };
  without_impulses();
  z_.setZero(held_.rows() + static_cast<Eigen::Index>(active_.rows.size()));
  const bool joints_to_solve =
      settings_.formulation == Formulation::non_minimal || settings_.formulation == Formulation::non_minimal_os;
  if (z_.size() == 0 && !joints_to_solve) return true;
  problem_.assemble(dynamics_.kinematics(), held_, active_, settings_.facets);
  aim(h);
  if (!solve_rows(h, state)) return false;
  if (work_of_laws() <= kNoWork * energy_scale_) return true;
  aim_at_means();
  without_impulses();
  problem_.assemble(dynamics_.kinematics(), held_, active_, settings_.facets);
  return solve_rows(h, state);
}

// J v before, without impulses, and that minus what is asked for: of the held rows, then of the laws.
void OperationalStepper::prepare_rows() {
  const int held = held_.rows();
  const Eigen::Index rows = held + static_cast<Eigen::Index>(active_.rows.size());
  free_.resize(rows);
  before_rows_.resize(rows);
  b_.resize(rows);
  if (held > 0) {
    system_.motion(now_.v, y_);
    for (int i = 0; i < held; ++i) before_rows_[i] = held_.times(i, y_);
  }
  system_.motion(v_, y_);
  for (int i = 0; i < held; ++i) {
    // At the middle the mean of the velocities before and after fits the joints.
    const double u = held_.u[static_cast<std::size_t>(i)];
    free_[i] = held_.times(i, y_);
    b_[i] = free_[i] - (midpoint_ ? 2 * u - before_rows_[i] : u);
  }
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      before_rows_[held + i] = row.speed;
      free_[held + i] = times(block, row, y_);
      b_[held + i] = free_[held + i] - row.target;
    }
}

bool OperationalStepper::solve_rows(double h, const State& state) {
  prepare_rows();
  switch (settings_.formulation) {
    case Formulation::operational_space: return solve_in_operational_space(state);
    case Formulation::maximal_os: return solve_by_anticipation(state);
    default: return solve_formulated(h, state);
  }
}

// The impulses p of all rows, and θ̇⁺ = θ̇ + Δt θ̈_f + M⁻¹Jᵀp.
bool OperationalStepper::solve_in_operational_space(const State& state) {
  problem_.load(b_);
  solution_.z.resize(static_cast<Eigen::Index>(active_.rows.size()));
  recall(active_, state, solution_.z);
  if (!active_.rows.empty()) {
    solve_bound(problem_.blocks(), active_, solution_.z, 0,
                [&](solve::Vector&) { solve_laws(problem_.problem(), true, solution_); });
    if (!accept(solution_, state)) return false;
  }
  problem_.complete(solution_.z, z_);
  respond_to(active_);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += dv_[i];
  after_ = free_;
  after_.noalias() += problem_.compliance() * z_;
  return true;
}

bool OperationalStepper::accept(const solve::Solution& solution, const State& state) {
  report_.complementarity = std::max(report_.complementarity, solution.certificate.residual);
  report_.fallbacks = std::max(report_.fallbacks, solution.certificate.fallbacks);
  if (solution.z.allFinite()) return true;
  fail(Status::diverged, fmt::format("t = {}: the contact problem has no finite answer", state.time));
  return false;
}

// dv_ = M⁻¹Jᵀz_ of the held rows and of these laws.
void OperationalStepper::respond_to(const LawRows& laws) {
  std::fill(p_.begin(), p_.end(), BodyVector{});
  const int held = held_.rows();
  for (int i = 0; i < held; ++i) held_.add_force(i, z_[i], p_);
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, laws.rows[static_cast<std::size_t>(i)], z_[held + i], p_);
  system_.respond(p_, dv_);
}

// dv_ that takes b from the held rows, after problem_ was assembled with them alone: G dv = −b.
void OperationalStepper::respond_to_held(const Eigen::VectorXd& b) {
  problem_.load(b);
  problem_.complete({}, z_);
  respond_to({});
}

// Those with a say in this step; contacts and limits are aimed at what is asked of them by aim().
void OperationalStepper::gather_laws(double h, bool cut) {
  const LawStep step{h, settings_.step, midpoint_ ? h / 2 : h, norm(model_->gravity)};
  set_law_targets(
      laws_.rows(), step, [&](const LawBlock& block) { return cut && will_meet(block, h); },
      [](const LawBlock&, double) { return 0.0; }, active_);
}

// What contacts and limits are asked for. Let σ be the speed along a normal at the start of the step and σ⁺ that at its end, each there: the gap
// changes by h (σ + σ⁺)/2, but for h³. What is open is to touch at the end, what touches to come no nearer; σ⁺ ≤ 0, since slow meetings do not
// bounce, and σ⁺ ≤ −σ, so that no normal works on the bodies whatever it pushes with. What overlaps is not pushed out but moved
// (operational_overlap.cpp).
// At the middle J v is s before the step and s⁺ after it. As joints turn s is not σ, and s⁺ not σ⁺, by the same bend. A σ far below the bend is an
// error of the last step rather than a meeting, and turned about: else what rolls or swings along something would sink into it.
// Where next to nothing can move along a normal, a chain being stretched or folded so, it turns too fast to be followed from the start.
void OperationalStepper::aim(double h) {
  constexpr double kEasy = 1e-3, kError = 0.1;
  for (const LawBlock& block : active_.blocks) {
    if (!is_unilateral(block)) continue;
    LawRow& normal = active_.rows[static_cast<std::size_t>(block.first)];
    const Start start = at_start(block, normal.speed, h, problem_.ease(block.first) > kEasy);
    const double bend = normal.speed - start.speed;
    const double closing = midpoint_ ? -2 * start.gap / h - start.speed : -start.gap / h;
    const double end = std::min(closing, -start.speed);
    normal.target = (std::abs(start.speed) <= kError * std::abs(bend) ? end : std::min(end, 0.0)) - bend;
  }
}

// Laws on the means of the velocities before and after instead of those after: with them no row works on the bodies, while friction that brakes
// what slides after the step may push what slid the other way before it.
void OperationalStepper::aim_at_means() {
  for (const LawBlock& block : active_.blocks) {
    if (!only_takes(block.kind)) continue;
    for (int i = is_unilateral(block) ? 1 : 0; i < block.size; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      row.target = -row.speed;
    }
  }
}

// Of those that only take energy.
double OperationalStepper::work_of_laws() const {
  const int held = held_.rows();
  double work = 0;
  for (const LawBlock& block : active_.blocks) {
    if (!only_takes(block.kind)) continue;
    for (int i = held + block.first; i < held + block.first + block.size; ++i)
      work += 0.5 * z_[i] * (before_rows_[i] + after_[i]);
  }
  return work;
}

// From solution.z where that is a guess.
void OperationalStepper::solve_laws(const solve::Problem& problem, bool guessed, solve::Solution& solution) {
  const LawSolver asked = settings_.law_solver;
  const bool sweeps = asked == LawSolver::gauss_seidel || asked == LawSolver::split ||
                      (asked == LawSolver::automatic && problem.size() > kManyRows);
  if (!guessed) solution.z.setZero(problem.size());
  if (sweeps) return sweeps_.solve(problem, solution);
  solve::Options options{.tolerance = settings_.contact_tolerance};
  if (asked == LawSolver::automatic && solve::StateNewton::takes(problem) &&
      solve_from_guess(problem, options, solution))
    return;
  if (asked == LawSolver::lemke) options.solver = solve::Solver::lemke;
  if (asked == LawSolver::cone) options.solver = solve::Solver::cone;
  const solve::Vector guess = solution.z;
  solution = solve::solve(problem, options, guessed ? &guess : nullptr);
}

// Newton's method on states; where it goes round in circles, a few sweeps lead it nearer.
bool OperationalStepper::solve_from_guess(const solve::Problem& problem, const solve::Options& options,
                                          solve::Solution& solution) {
  for (const int sweeps : {0, 20, 60}) {
    if (sweeps > 0) {
      few_sweeps_.options.max_sweeps = sweeps;
      few_sweeps_.solve(problem, solution);
    }
    if (newton_.solve(problem, options.tolerance, options.acceptable, solution)) {
      solution.certificate.fallbacks = 0;
      return true;
    }
  }
  return false;
}

}  // namespace catena
