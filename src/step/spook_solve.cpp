// The velocities of a step: what joints and laws ask for, and the three ways to solve for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/step/spook.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

constexpr int kSweeps = 500, kCrowdSweeps = 50, kFewSweeps = 20, kCrowdVisits = 100'000;
constexpr double kCrowdTolerance = 1e-6;
// m: what sweeps that have not converged leave would make overlaps that are pushed out at once oscillate from step to step, and grow.
constexpr double kSlop = 1e-4;

}  // namespace

// M dv = h f + Gᵀλ + Jᵀz with G (v + dv) = q and the laws between z and w = J (v + dv) + Σ z − target.
bool SpookStepper::solve_velocities(double h, bool cut, const State& state) {
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = restricted(model_->bodies[i].kind, velocity_of(state.bodies[i]));
  joint_targets(h);
  law_targets(h, cut);
  const LawRows& laws = active_;
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = h * f_[i] + damping_[i];
  if (solver_ == LawSolver::gauss_seidel) {
    solve_all(h, state);
  } else {
    dynamics_.system().solve(b_, y_, lambda_);
    if (laws.blocks.empty()) return true;
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += v_[i];  // v⁺ without the laws
    problem_.assemble(dynamics_.kinematics(), dynamics_.system(), laws);
    solve::Problem& problem = problem_.problem();
    problem.b.resize(static_cast<Eigen::Index>(laws.rows.size()));
    for (const LawBlock& block : laws.blocks)
      for (int i = block.first; i < block.first + block.size; ++i) {
        const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
        problem.b[i] = times(block, row, y_) - row.target;
      }
    solve_laws(state);
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = h * f_[i] + damping_[i];
    for (const LawBlock& block : laws.blocks)
      for (int i = block.first; i < block.first + block.size; ++i)
        add_force(block, laws.rows[static_cast<std::size_t>(i)], solution_.z[i], y_);
    dynamics_.system().solve(b_, y_, lambda_);
  }
  if (!solution_.z.allFinite()) {
    fail(Status::diverged, fmt::format("t = {}: the contact problem has no finite answer", state.time));
    return false;
  }
  report_.complementarity = std::max(report_.complementarity, solution_.certificate.residual);
  report_.fallbacks = std::max(report_.fallbacks, solution_.certificate.fallbacks);
  return true;
}

// What G dv must be: q − G v of eq. 2. Joints that are projected after the step have no g to take back.
void SpookStepper::joint_targets(double h) {
  const Kinematics& kinematics = dynamics_.kinematics();
  dynamics_.system().velocity_rhs(kinematics, b_);
  if (middle_here_) {  // the mean of v and v⁺ fits the joints at the middle, which turns about what does not fit; not where it is damped
    if (!stiff_step_)
      for (double& b : b_) b *= 2;
    return;
  }
  if (settings_.stabilise == Stabilisation::projection && solver_ != LawSolver::gauss_seidel) return;
  dynamics_.system().position_rhs(kinematics, phi_);
  joint_rows_.evaluate(*model_, kinematics);
  const double upsilon = damping(kRelaxation * h, h);
  for (std::size_t i = 0; i < b_.size(); ++i)
    if (joint_rows_.holonomic[i]) b_[i] = (4 / h) * upsilon * phi_[i] + (1 - upsilon) * b_[i];
}

void SpookStepper::law_targets(double h, bool cut) {
  LawStep step{h, settings_.step, middle_here_ ? h / 2 : h, norm(model_->gravity)};
  if (crowd_) {
    step.slop = kSlop;
    step.bounce = settings_.restitution_threshold;
    find_haste();
  }
  set_law_targets(
      laws_.rows(), step,
      [&](const LawBlock& block) { return crowd_ ? is_out_of_reach(block, h) : cut && will_meet(block, h); },
      [&](const LawBlock& block, double speed) { return push_out(step, block, speed, gap_at_start(block, speed, h)); },
      active_);
}

// Of each body of a crowd: the fastest that anything near it comes or goes.
void SpookStepper::find_haste() {
  std::fill(haste_.begin(), haste_.end(), 0.0);
  for (const LawBlock& block : laws_.rows().blocks)
    for (const BodyId body : {block.a, block.b})
      if (body.valid())
        for (int i = block.first; i < block.first + block.size; ++i)
          haste_[body] = std::max(haste_[body], std::abs(laws_.rows().rows[static_cast<std::size_t>(i)].speed));
}

// Too far apart to meet in this step even if what is near either knocks it on. What is knocked from farther off overlaps at the end of the
// step at worst, and is moved apart.
bool SpookStepper::is_out_of_reach(const LawBlock& block, double h) const {
  double haste = h * norm(model_->gravity);
  for (const BodyId body : {block.a, block.b})
    if (body.valid()) haste = std::max(haste, haste_[body]);
  return block.gap > 4 * haste * h;
}

int SpookStepper::most_sweeps(std::size_t blocks) const {
  if (settings_.sweeps > 0) return settings_.sweeps;
  return crowd_ ? std::clamp(kCrowdVisits / (static_cast<int>(blocks) + 1), kCrowdSweeps, kSweeps) : kSweeps;
}

void SpookStepper::solve_laws(const State& state) {
  const LawRows& laws = active_;
  const solve::Problem& problem = problem_.problem();
  solution_.z.resize(problem.size());
  recall(laws, state, solution_.z);
  // Interior points and pivots take time with the cube of the rows, sweeps with their number.
  constexpr std::size_t kManyRows = 150;
  const bool direct =
      solver_ == LawSolver::direct || (solver_ == LawSolver::automatic && !crowd_ && laws.rows.size() <= kManyRows);
  sweeps_.options.max_sweeps = direct ? kFewSweeps : most_sweeps(laws.blocks.size());
  // What is left of one step's error is twice as large in the next: an old answer must be far better than a new one.
  sweeps_.options.tolerance = direct ? 1e-2 * settings_.contact_tolerance
                            : crowd_ ? std::max(kCrowdTolerance, settings_.contact_tolerance)
                                     : settings_.contact_tolerance;
  solve_bound(problem_, active_, solution_.z, 0, [&](solve::Vector&) {
    // What pushed in the last step is often an answer in this one, or nearly.
    sweeps_.solve(problem, solution_);
    if (direct && !(solution_.certificate.residual <= sweeps_.options.tolerance)) {
      start_ = solution_.z;
      // As good as that, if it can be had: then the next step may find its answer in this one.
      solution_ = solve::solve(
          problem, {.tolerance = sweeps_.options.tolerance, .acceptable = settings_.contact_tolerance}, &start_);
    }
  });
}

// Every row of every joint and law, nothing answered beforehand: A = G M⁻¹Gᵀ + Σ, b = G (v + h M⁻¹ f) − q.
void SpookStepper::solve_all(double h, const State& state) {
  const Kinematics& kinematics = dynamics_.kinematics();
  const LawRows& laws = active_;
  joint_rows_.evaluate(*model_, kinematics);
  problem_.assemble_all(kinematics, joint_rows_, sigma_, laws);
  for (std::size_t i = 0; i < y_.size(); ++i)
    y_[i] = inverse_times(model_->bodies[i].kind, kinematics.M(BodyId(i)), h * f_[i]);
  solve::Problem& problem = problem_.problem();
  const int joints = joint_rows_.rows();
  problem.b.resize(joints + static_cast<Eigen::Index>(laws.rows.size()));
  for (int i = 0; i < joints; ++i) problem.b[i] = joint_rows_.times(i, y_) - b_[static_cast<std::size_t>(i)];
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      problem.b[joints + i] = row.speed + times(block, row, y_) - row.target;
    }
  start_.resize(problem.size());
  for (int i = 0; i < joints; ++i) start_[i] = lambda_[static_cast<std::size_t>(i)];
  const auto own_rows = static_cast<Eigen::Index>(laws.rows.size());
  recall(laws, state, start_.tail(own_rows));
  sweeps_.options.max_sweeps = most_sweeps(problem_.problem().blocks.size());
  sweeps_.options.tolerance = settings_.contact_tolerance;
  solve_bound(problem_, active_, start_, joints, [&](solve::Vector& from) {
    all_.z = from;
    sweeps_.solve(problem, all_);
    from = all_.z;
  });
  std::vector<BodyVector>& dv = y_;
  std::fill(dv.begin(), dv.end(), BodyVector{});
  for (int i = 0; i < joints; ++i) {
    joint_rows_.add_force(i, all_.z[i], dv);
    lambda_[static_cast<std::size_t>(i)] = all_.z[i];
  }
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, laws.rows[static_cast<std::size_t>(i)], all_.z[joints + i], dv);
  for (std::size_t i = 0; i < dv.size(); ++i)
    dv[i] = inverse_times(model_->bodies[i].kind, kinematics.M(BodyId(i)), dv[i] + h * f_[i]);
  solution_.z = all_.z.tail(own_rows);
  solution_.w = all_.w.tail(own_rows);
  solution_.certificate = all_.certificate;
}

}  // namespace catena
