#include "catena/step/impulse_laws.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/contact/warm_start.h"
#include "catena/mechanism/law_problem.h"
#include "catena/solve/solve.h"

namespace catena {

ImpulseLaws::ImpulseLaws(StepContext& context, Flight& flight, const Model& full)
    : context_(context),
      flight_(flight),
      ahead_(full, context.dynamics.kinematics(), context.settings.contact_margin, context.settings.facets),
      kinematics_ahead_(context.model()),
      exact_(context.tuning.velocity, context.settings) {
  ahead_.keep_rolling_axes();
  ahead_.let_give_way();
}

void ImpulseLaws::begin_step() {
  effort_ = {.rows = 0, .long_searches = tuning().long_searches};
  if (ahead_.left_out() != context_.laws->left_out()) ahead_.leave_out(context_.laws->left_out());
}

double ImpulseLaws::penetration() const {
  const Contact* contact = deepest();
  return contact ? -contact->gap : 0;
}

const Contact* ImpulseLaws::deepest() const {
  const Contact* deepest = nullptr;
  for (const Contact& contact : context_.laws->contacts())
    if (contact.gap < (deepest ? deepest->gap : 0)) deepest = &contact;
  return deepest;
}

bool ImpulseLaws::begin(double h, bool cut, const State& state) {
  active_.laws.clear();
  ending_.laws.clear();
  fast_.clear();
  certificate_ = {};
  h_ = h;
  search_.indeterminate = search_.inexact = false;
  double fastest = tuning().fall * h * norm(context_.model().gravity);
  for (const LawRow& row : found().rows) fastest = std::max(fastest, std::abs(row.speed));
  for_each_law(found(), [&](const LawBlock& block) {
    const double speed = found().row(block).speed;
    if (is_unilateral(block) && block.gap > parts().reach * fastest * h) return false;
    if (cut && rebounds(block) && block.gap > parts().touching && speed < -context_.settings.restitution_threshold) {
      fast_.push_back({block.key, block.gap, speed});
      return false;
    }
    if (gives_way(block) && block.gap > parts().touching) return false;
    LawBlock& added = append(found(), block, active_.laws);
    added.bound = 0.5 * h * block.force;
    set_sigma(added, active_.laws);
    return true;
  });
  active_.z = solve::Vector::Zero(static_cast<Eigen::Index>(active_.laws.rows.size()));
  if (active_.laws.blocks.empty()) return false;
  for (const LawBlock& block : active_.laws.blocks) {
    const WarmImpulse* warm = block.kind == LawKind::soft ? nullptr : remembered(state, block.key);
    for (int i = 0; warm && i < block.size; ++i)
      active_.z[block.first + i] = 0.5 * h * warm->z[static_cast<std::size_t>(i)];
  }
  search_.first = active_.z;
  search_.answered.assign(active_.laws.blocks.size(), 0);
  search_.last_change = fastest;
  return true;
}

// Whether the step ends where this pair meets, for its impact, or for its spring to begin to push. The particles of a cloth meet one after the other, a few in every step: without
// restitution they are stopped at the end of the step instead.
bool ImpulseLaws::rebounds(const LawBlock& block) const {
  return only_pushes(block) && (block.restitution > 0 || !is_of_cloth(block));
}

bool ImpulseLaws::is_of_cloth(const LawBlock& block) const {
  const auto in_group = [&](BodyId body) { return body.valid() && context_.model().bodies[body].collide_group != 0; };
  return in_group(block.a) || in_group(block.b);
}

// Whether a block pushes, or should.
bool ImpulseLaws::presses(std::size_t k) const {
  const LawBlock& block = active_.laws.blocks[k];
  if (block.kind == LawKind::turn) return k > 0 && presses(k - 1);  // they follow their contact
  return !only_pushes(block) || search_.w[block.first] < 0 || active_.z[block.first] != 0;
}

bool ImpulseLaws::lacks_active_law() const {
  for (std::size_t k = 0; k < active_.laws.blocks.size(); ++k)
    if (!search_.answered[k] && presses(k)) return true;
  return false;
}

// What moves is asked for where the bodies will be; what pushes stays along the rows at t (Baraff §8: K need not be Jᵀ).
void ImpulseLaws::move_ahead() {
  for (const LawBlock& block : search_.pressed.blocks) {
    const LawBlock* there = block_of(ahead_.rows(), block.key);
    if (!there || block.kind != LawKind::contact) continue;
    for (int i = 0; i < block.size; ++i) {
      LawRow& row = search_.pressed.row(block, i);
      const LawRow& later = ahead_.rows().row(*there, i);
      search_.pressed.push_obliquely(row);
      const double share = i == 0 ? 1 : 0.5;  // the gap at t + h; the mean of the slips at t and there
      row.a = (1 - share) * row.a + share * later.a;
      row.b = (1 - share) * row.b + share * later.b;
      if (row.on_forms < 0) continue;
      LawRows::OnForms& here = search_.pressed.forms_of(row);
      const LawRows::OnForms& then = ahead_.rows().forms_of(later);
      here.a = (1 - share) * here.a + share * then.a;
      here.b = (1 - share) * here.b + share * then.b;
    }
  }
}

void ImpulseLaws::assemble(bool ahead) {
  search_.pressed.clear();
  for (std::size_t k = 0; k < active_.laws.blocks.size(); ++k) {
    search_.answered[k] = search_.answered[k] || presses(k);
    if (search_.answered[k]) append(active_.laws, active_.laws.blocks[k], search_.pressed);
  }
  if (ahead) move_ahead();
  flight_.mechanism().assemble_rigid(search_.pressed);
}

// w of a normal is the gap at t + h over h, of what slides or turns the mean of its velocities at t and at t + h.
bool ImpulseLaws::evaluate_ahead(double h, const std::vector<BodyVector>& dv, const std::vector<BodyVector>& more,
                                 const State& predicted) {
  kinematics_ahead_.update(context_.model(), predicted);
  ahead_.find_among(context_.laws->contacts(), kinematics_ahead_);
  search_.w.resize(active_.z.size());
  bool presses = (active_.z.array() != 0).any();
  for (const LawBlock& block : active_.laws.blocks) {
    const LawBlock* there = block_of(ahead_.rows(), block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = active_.laws.row(block, i);
      const double first = row.speed + times(active_.laws, block, row, dv),
                   to_come = times(active_.laws, block, row, more);
      if (is_spring_row(block, i)) {
        search_.w[block.first + i] = spring_motion(block, i, there, first) + to_come;
        presses |= search_.w[block.first + i] < 0;
        continue;
      }
      if (i == 0 && is_unilateral(block)) {
        search_.w[block.first] = ((there ? there->gap : block.gap + h * first) - allowed_gap(block)) / h + to_come;
        presses |= search_.w[block.first] < 0;
        continue;
      }
      const double last = there ? ahead_.rows().row(*there, i).speed : speed_of(active_.laws, block, row, predicted);
      const double asked = there ? 0.5 * (row.phi + ahead_.rows().row(*there).phi) : 0;
      search_.w[block.first + i] =
          0.5 * (first + last) + to_come - (only_pushes(block) ? 0 : asked) + row.sigma * active_.z[block.first + i];
    }
    presses |= !only_pushes(block) && block.kind != LawKind::turn;
  }
  return presses;
}

// 0; overlaps that no step has made, but the scene, are opened no faster than tuned.
double ImpulseLaws::allowed_gap(const LawBlock& at_start) const {
  if (at_start.gap >= -parts().deep_overlap) return 0;
  return std::min(0.0, at_start.gap + h_ * parts().push_out);
}

bool ImpulseLaws::correct_impulses() {
  solve::Problem& problem = this->problem();
  solve::Vector z(search_.pressed.rows.size()), w(z.size()), motion;
  const auto for_each_row = [&](auto&& f) {
    Eigen::Index row = 0;
    for (std::size_t k = 0; k < active_.laws.blocks.size(); ++k)
      for (int i = 0; search_.answered[k] && i < active_.laws.blocks[k].size; ++i)
        f(row++, active_.laws.blocks[k].first + i);
  };
  for_each_row([&](Eigen::Index row, int of) { z[row] = active_.z[of], w[row] = search_.w[of]; });
  solve::multiply(problem.A, z, motion);
  problem.b = w - motion;
  search_.change.setZero(active_.z.size());
  if (search_.indeterminate) {
    const double left = solve::natural_residual(problem, z, w, solve::matrix_scale(problem.A)).value;
    if (left <= enough()) {
      certificate_.residual = left;
      return true;
    }
  }
  const solve::Vector before = z;
  certificate_.residual = 0;
  const double tolerance = std::max(context_.settings.contact_tolerance, tuning().enough * search_.last_change);
  const double residual = solve(tolerance, search_.pressed, z);
  const bool exact = std::min(residual, tolerance) <= context_.settings.contact_tolerance;  // or as exact as can be
  solve::multiply(problem.A, z - before, motion);
  search_.last_change = motion.lpNorm<Eigen::Infinity>();
  for_each_row([&](Eigen::Index row, int of) {
    search_.change[of] = z[row] - before[row];
    active_.z[of] = z[row];
  });
  return h_ * search_.last_change <= tuning().settled * context_.settings.method.position_tolerance() && exact;
}

// Residuals the laws may be left with: such that motions err by the tolerance of positions in the part, as those of the joints do.
double ImpulseLaws::enough() const {
  return context_.settings.method.position_tolerance() /
         (h_ * std::max(problem().b.norm(), context_.settings.method.velocity_tolerance()));
}

// Returns the residual.
double ImpulseLaws::solve(double tolerance, LawRows& laws, solve::Vector& z) {
  double residual = 0;
  solve_bound(problem().blocks, laws, z, 0, [&](solve::Vector& from) {
    const solve::Certificate found = solve_once(tolerance, laws, from);
    residual = found.residual;
    if (residual > certificate_.residual) certificate_ = found;
  });
  return residual;
}

// The chain of all solvers, while the step has such searches left. Else the residual is infinite.
solve::Solution ImpulseLaws::search_patiently(const solve::Vector& from) {
  solve::Solution none;
  none.certificate.residual = std::numeric_limits<double>::infinity();
  if (effort_.long_searches == 0) return none;
  --effort_.long_searches;
  return solve::solve(problem(), {.tolerance = context_.settings.contact_tolerance}, &from);
}

// Of impacts. Velocities of joints contradict each other by their tolerance, and what touches with them.
solve::Solution ImpulseLaws::answer_impact(const solve::Problem& problem) {
  exact_.solution = context_.impacts.answer(problem);
  exact_.improve(problem, context_.settings.method.velocity_tolerance());
  return exact_.solution;
}

// Exactly, as the other methods do (contact_solver.h). Where there are too many rows for that, or no exact answer has been found in this part, to the
// tolerance if that costs little and else to what the positions need.
solve::Certificate ImpulseLaws::solve_once(double tolerance, const LawRows& laws, solve::Vector& z) {
  const solve::Problem& problem = this->problem();
  ++context_.report.law_solves;
  effort_.rows += problem.size();
  const bool few = problem.size() <= context_.tuning.velocity.patient_rows;
  // More rows are swept, unless exact contacts are asked for.
  const int most = context_.settings.method.contacts() == ContactMode::exact ? 0 : context_.tuning.velocity.exact_rows;
  // What rows may contradict each other by; many are asked only where the answer is to be the last, and near. Nets leave open which of their particles carries how much.
  const double contradiction = context_.settings.method.velocity_tolerance();
  const bool last = tolerance <= context_.settings.contact_tolerance;
  const bool cloth = !few && std::any_of(laws.blocks.begin(), laws.blocks.end(),
                                         [&](const LawBlock& block) { return is_of_cloth(block); });
  if (!search_.inexact && !exact_.sweeps(problem.size()) && (most == 0 || problem.size() <= most)) {
    exact_.solution.z = z;
    const double good = std::max(solve::Options{}.acceptable, tuning().settled * enough());
    solve::Solution& found = exact_.solution;
    bool near = exact_.answer_nearby(problem, few ? contradiction : 0);
    if (near && !few && last && !cloth && found.certificate.residual < tuning().nearly_exact &&
        effort_.long_searches > 0) {
      exact_.improve(problem, contradiction);
      if (found.certificate.residual > tolerance) --effort_.long_searches;
    }
    near = near && found.certificate.residual <= good;
    // A few rows more patiently, a few times in a step.
    if (few && !near) {
      found = search_patiently(z);
      if (found.certificate.residual <= good) exact_.improve(problem, contradiction);
    }
    if (found.certificate.residual <= good && (near || few)) {
      z = found.z;
      return found.certificate;
    }
    search_.inexact = true;
  }
  const double wanted = search_.indeterminate ? tuning().indeterminate : tuning().settled;
  const solve::Options options{.tolerance = tolerance,
                               .acceptable = wanted * enough(),
                               .enough = enough(),
                               .most_rows = most,
                               .stop = context_.terms.stop};
  const solve::Solution solution = solve::solve(problem, options, &z);
  const double residual = solution.certificate.residual;
  z = solution.z;
  if (residual > tolerance && residual < tuning().nearly_exact && few && !exact_.sweeps(problem.size())) {
    exact_.solution = solution;
    exact_.improve(problem, contradiction);
    z = exact_.solution.z;
    return exact_.solution.certificate;
  }
  search_.indeterminate = search_.indeterminate || residual > std::max(options.tolerance, options.acceptable);
  return solution.certificate;
}

// gap + speed t + c t² = 0, with c from the gap at h.
double ImpulseLaws::time_of_meeting(double h, const State& predicted) {
  if (fast_.empty()) return h;
  kinematics_ahead_.update(context_.model(), predicted);
  ahead_.find_among(context_.laws->contacts(), kinematics_ahead_);
  double first = h;
  for (const Fast& pair : fast_) {
    const LawBlock* there = block_of(ahead_.rows(), pair.key);
    if (!there || there->gap >= 0) continue;
    const double c = (there->gap - pair.gap - pair.speed * h) / (h * h);
    const double root = pair.speed * pair.speed - 4 * c * pair.gap;
    if (root >= 0) first = std::min(first, 2 * pair.gap / (-pair.speed + std::sqrt(root)));
  }
  return first;
}

bool ImpulseLaws::has_pushed(std::uint64_t key) const {
  const LawBlock* block = block_of(active_.laws, key);
  if (block && block->kind == LawKind::soft) return true;
  return block && active_.z[block->first] > 0;
}

// Makes the velocities of what touches obey the laws. Pairs that have just met, and fast, are left to the impact.
bool ImpulseLaws::end(double h, VelocityChange& dv) {
  ahead_.find(context_.dynamics.kinematics());
  ending_.laws.clear();
  for_each_law(ahead_.rows(), [&](const LawBlock& block) {
    if (is_spring(block) && !has_pushed(block.key)) return false;
    const bool fast = rebounds(block) && ahead_.rows().row(block).speed < -context_.settings.restitution_threshold;
    if (is_unilateral(block) && !has_pushed(block.key) && (block.gap > parts().touching || fast)) return false;
    LawBlock& added = append(ahead_.rows(), block, ending_.laws);
    added.bound = 0.5 * h * block.force;
    set_creep(added, ending_.laws);
    return true;
  });
  gather_springs_at_end();
  ending_.z = solve::Vector::Zero(static_cast<Eigen::Index>(ending_.laws.rows.size()));
  if (ending_.laws.blocks.empty()) return false;
  const bool springs = hold_springs(dv);
  flight_.mechanism().assemble_rigid(ending_.laws);
  solve::Problem& problem = this->problem();
  problem.b.resize(ending_.z.size());
  for (const LawBlock& block : ending_.laws.blocks) {
    const LawBlock* before = block_of(active_.laws, block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = ending_.laws.row(block, i);
      problem.b[block.first + i] = is_spring_row(block, i) ? row.target : row.speed - row.phi;
      if (springs) problem.b[block.first + i] += times(ending_.laws, block, row, dv.bodies);
      if (before) ending_.z[block.first + i] = active_.z[before->first + i];
    }
  }
  solve(context_.settings.contact_tolerance, ending_.laws, ending_.z);
  if (springs) release_springs();
  flight_.respond(ending_.laws, ending_.z, dv);
  return true;
}

}  // namespace catena
