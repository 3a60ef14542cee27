#include "catena/step/impulse_laws.h"

#include <algorithm>
#include <cmath>

#include "catena/solve/solve.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

// Of the tolerance of positions: impulses that change the motion over a step by less are good.
constexpr double kSettled = 1e-2;
constexpr double kIndeterminate = 0.1;  // the same where contacts leave open which of them carries how much
constexpr double kReach = 4;            // gaps wider than so many times what can be closed in a step have no say

const LawBlock* block_of(const LawRows& laws, std::uint64_t key) {
  const auto at =
      std::find_if(laws.blocks.begin(), laws.blocks.end(), [&](const LawBlock& block) { return block.key == key; });
  return at == laws.blocks.end() ? nullptr : &*at;
}

double speed_of(const LawBlock& block, const LawRow& row, const State& state) {
  double sum = 0;
  if (block.a.valid()) sum += dot(row.a, velocity_of(state.bodies[block.a]));
  if (block.b.valid()) sum += dot(row.b, velocity_of(state.bodies[block.b]));
  return sum;
}

}  // namespace

ImpulseLaws::ImpulseLaws(const Model& full, const Model& lawless, const Kinematics& kinematics,
                         const Settings& settings)
    : lawless_(&lawless),
      settings_(settings),
      laws_(full, kinematics, settings.contact_margin, settings.facets),
      ahead_(full, kinematics, settings.contact_margin, settings.facets),
      problem_(lawless),
      kinematics_ahead_(lawless) {
  laws_.keep_rolling_axes();
  ahead_.keep_rolling_axes();
}

const Laws& ImpulseLaws::find(const Kinematics& kinematics, double ahead) {
  laws_.find(kinematics, ahead);
  return laws_;
}

double ImpulseLaws::penetration() const {
  const Contact* contact = deepest();
  return contact ? -contact->gap : 0;
}

const Contact* ImpulseLaws::deepest() const {
  const Contact* deepest = nullptr;
  for (const Contact& contact : laws_.contacts())
    if (contact.gap < (deepest ? deepest->gap : 0)) deepest = &contact;
  return deepest;
}

bool ImpulseLaws::begin(double h, bool cut, const State& state) {
  active_.clear();
  ending_.clear();
  fast_.clear();
  certificate_ = {};
  h_ = h;
  indeterminate_ = false;
  double fastest = 10 * h * norm(lawless_->gravity);
  for (const LawRow& row : laws_.rows().rows) fastest = std::max(fastest, std::abs(row.speed));
  std::uint64_t pressed = 0;  // the contact whose turns may follow
  for (const LawBlock& block : laws_.rows().blocks) {
    if (block.kind == LawKind::turn && block.parent != pressed) continue;
    const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
    if (block.kind == LawKind::soft || (is_unilateral(block) && block.gap > kReach * fastest * h)) continue;
    if (cut && waits(block) && block.gap > Impacts::kTouch && speed < -settings_.restitution_threshold) {
      fast_.push_back({block.key, block.gap, speed});
      continue;
    }
    if (block.kind == LawKind::contact) pressed = block.key;
    append(laws_.rows(), block, active_).bound = 0.5 * h * block.force;
  }
  z_ = solve::Vector::Zero(static_cast<Eigen::Index>(active_.rows.size()));
  if (active_.blocks.empty()) return false;
  for (const LawBlock& block : active_.blocks) {
    const WarmImpulse* warm = remembered(state, block.key);
    for (int i = 0; warm && i < block.size; ++i) z_[block.first + i] = 0.5 * h * warm->z[static_cast<std::size_t>(i)];
  }
  z_first_ = z_;
  answered_.assign(active_.blocks.size(), 0);
  last_change_ = fastest;
  return true;
}

// Whether the step ends where this pair meets, for its impact. The particles of a cloth meet one after the other, a few in every step: without
// restitution they are stopped at the end of the step instead.
bool ImpulseLaws::waits(const LawBlock& block) const {
  const auto in_group = [&](BodyId body) { return body.valid() && lawless_->bodies[body].collide_group != 0; };
  return is_unilateral(block) && (block.restitution > 0 || !(in_group(block.a) || in_group(block.b)));
}

// Whether a block pushes, or should.
bool ImpulseLaws::presses(std::size_t k) const {
  const LawBlock& block = active_.blocks[k];
  if (block.kind == LawKind::turn) return k > 0 && presses(k - 1);  // they follow their contact
  return !is_unilateral(block) || w_[block.first] < 0 || z_[block.first] != 0;
}

bool ImpulseLaws::asks() const {
  for (std::size_t k = 0; k < active_.blocks.size(); ++k)
    if (!answered_[k] && presses(k)) return true;
  return false;
}

// What moves is asked for where the bodies will be; what pushes stays along the rows at t (Baraff §8: K need not be Jᵀ).
void ImpulseLaws::move_ahead() {
  for (const LawBlock& block : pressed_.blocks) {
    const LawBlock* there = block_of(ahead_.rows(), block.key);
    if (!there || block.kind != LawKind::contact) continue;
    for (int i = 0; i < block.size; ++i) {
      LawRow& row = pressed_.rows[static_cast<std::size_t>(block.first + i)];
      const LawRow& later = ahead_.rows().rows[static_cast<std::size_t>(there->first + i)];
      if (!row.oblique) row.K_a = row.a, row.K_b = row.b;
      row.oblique = true;
      const double share = i == 0 ? 1 : 0.5;  // the gap at t + h; the mean of the slips at t and there
      row.a = (1 - share) * row.a + share * later.a;
      row.b = (1 - share) * row.b + share * later.b;
    }
  }
}

void ImpulseLaws::answer(bool ahead, const Kinematics& kinematics, ConstraintSystem& system) {
  pressed_.clear();
  for (std::size_t k = 0; k < active_.blocks.size(); ++k) {
    answered_[k] = answered_[k] || presses(k);
    if (answered_[k]) append(active_, active_.blocks[k], pressed_);
  }
  if (ahead) move_ahead();
  problem_.assemble(kinematics, system, pressed_);
}

void ImpulseLaws::respond(const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv) {
  push(active_, z_, kinematics, system, dv);
}
void ImpulseLaws::respond_to_change(const Kinematics& kinematics, ConstraintSystem& system,
                                    std::vector<BodyVector>& dv) {
  push(active_, z_change_, kinematics, system, dv);
}

// Where it all acts on bodies without joints, they answer by themselves.
void ImpulseLaws::push(const LawRows& laws, const solve::Vector& z, const Kinematics& kinematics,
                       ConstraintSystem& system, std::vector<BodyVector>& dv) {
  std::fill(dv.begin(), dv.end(), BodyVector{});
  pushed_.clear();
  bool held = false;
  for (const LawBlock& block : laws.blocks) {
    if ((z.segment(block.first, block.size).array() == 0).all()) continue;
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, laws.rows[static_cast<std::size_t>(i)], z[i], dv);
    for (const BodyId body : {block.a, block.b})
      if (body.valid()) pushed_.push_back(body), held |= problem_.is_held(body);
  }
  if (!held) {
    std::sort(pushed_.begin(), pushed_.end());
    pushed_.erase(std::unique(pushed_.begin(), pushed_.end()), pushed_.end());
    for (const BodyId body : pushed_)
      dv[body] = inverse_times(lawless_->bodies[body].kind, kinematics.M(body), dv[body]);
    return;
  }
  zero_.assign(static_cast<std::size_t>(system.rows()), 0.0);
  lambda_.resize(zero_.size());
  system.solve(zero_, dv, lambda_);
}

// w of a normal is the gap at t + h over h, of what slides or turns the mean of its velocities at t and at t + h.
bool ImpulseLaws::look(double h, const std::vector<BodyVector>& dv, const std::vector<BodyVector>& more,
                       const State& predicted) {
  kinematics_ahead_.update(*lawless_, predicted);
  ahead_.find_among(laws_.contacts(), kinematics_ahead_);
  w_.resize(z_.size());
  bool presses = (z_.array() != 0).any();
  for (const LawBlock& block : active_.blocks) {
    const LawBlock* there = block_of(ahead_.rows(), block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      const double first = row.speed + times(block, row, dv), to_come = times(block, row, more);
      if (i == 0 && is_unilateral(block)) {
        w_[block.first] = ((there ? there->gap : block.gap + h * first) - allowed_gap(block)) / h + to_come;
        presses |= w_[block.first] < 0;
        continue;
      }
      const double last = there ? ahead_.rows().rows[static_cast<std::size_t>(there->first + i)].speed
                                : speed_of(block, row, predicted);
      const double asked = there ? 0.5 * (row.phi + ahead_.rows().rows[static_cast<std::size_t>(there->first)].phi) : 0;
      w_[block.first + i] = 0.5 * (first + last) + to_come - (is_unilateral(block) ? 0 : asked);
    }
    presses |= !is_unilateral(block) && block.kind != LawKind::turn;
  }
  return presses;
}

// 0; overlaps that no step has made, but the scene, are opened no faster than tuned.
double ImpulseLaws::allowed_gap(const LawBlock& at_start) const {
  if (at_start.gap >= -tuning_.deep_overlap) return 0;
  return std::min(0.0, at_start.gap + h_ * tuning_.push_out);
}

bool ImpulseLaws::improve(double h) {
  constexpr double kEnough = 1e-4;  // of the last change: what comes after it is corrected anyway
  solve::Problem& problem = problem_.problem();
  solve::Vector z(pressed_.rows.size()), w(z.size()), motion;
  const auto for_each_row = [&](auto&& f) {
    Eigen::Index row = 0;
    for (std::size_t k = 0; k < active_.blocks.size(); ++k)
      for (int i = 0; answered_[k] && i < active_.blocks[k].size; ++i) f(row++, active_.blocks[k].first + i);
  };
  for_each_row([&](Eigen::Index row, int of) { z[row] = z_[of], w[row] = w_[of]; });
  solve::multiply(problem.A, z, motion);
  problem.b = w - motion;
  z_change_.setZero(z_.size());
  if (indeterminate_ && holds(z, w)) return true;
  const solve::Vector before = z;
  certificate_.residual = 0;
  const double tolerance = std::max(settings_.contact_tolerance, kEnough * last_change_);
  const double residual = solve(tolerance, pressed_, z);
  const bool exact = std::min(residual, tolerance) <= settings_.contact_tolerance;  // or as exact as can be
  solve::multiply(problem.A, z - before, motion);
  last_change_ = motion.lpNorm<Eigen::Infinity>();
  for_each_row([&](Eigen::Index row, int of) {
    z_change_[of] = z[row] - before[row];
    z_[of] = z[row];
  });
  return h * last_change_ <= kSettled * settings_.position_tolerance && exact;
}

// Residuals the laws may be left with: such that motions err by the tolerance of positions in the part, as those of the joints do.
double ImpulseLaws::enough() const {
  return settings_.position_tolerance / (h_ * std::max(problem_.problem().b.norm(), settings_.velocity_tolerance));
}

// True if the accepted impulses still satisfy the laws to enough().
bool ImpulseLaws::holds(const solve::Vector& z, const solve::Vector& w) const {
  const solve::Problem& problem = problem_.problem();
  return solve::natural_residual(problem, z, w, solve::matrix_scale(problem.A)).value <= enough();
}

// Returns the residual.
double ImpulseLaws::solve(double tolerance, LawRows& laws, solve::Vector& z) {
  double residual = 0;
  const double wanted = indeterminate_ ? kIndeterminate : kSettled;
  const solve::Options options{.tolerance = tolerance, .acceptable = wanted * enough(), .enough = enough()};
  solve_bound(problem_, laws, z, 0, [&](solve::Vector& from) {
    const solve::Solution solution = solve::solve(problem_.problem(), options, &from);
    residual = solution.certificate.residual;
    if (residual > certificate_.residual) certificate_ = solution.certificate;
    from = solution.z;
  });
  indeterminate_ = indeterminate_ || residual > std::max(options.tolerance, options.acceptable);
  return residual;
}

// gap + speed t + c t² = 0, with c from the gap at h.
double ImpulseLaws::time_of_meeting(double h, const State& predicted) {
  if (fast_.empty()) return h;
  kinematics_ahead_.update(*lawless_, predicted);
  ahead_.find_among(laws_.contacts(), kinematics_ahead_);
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

bool ImpulseLaws::rests(std::uint64_t key) const {
  const LawBlock* block = block_of(active_, key);
  return block && z_[block->first] > 0;
}

// Makes the velocities of what touches obey the laws. Pairs that have just met, and fast, are left to the impact.
bool ImpulseLaws::end(double h, const Kinematics& kinematics, ConstraintSystem& system, std::vector<BodyVector>& dv) {
  ahead_.find(kinematics);
  ending_.clear();
  std::uint64_t pressed = 0;
  for (const LawBlock& block : ahead_.rows().blocks) {
    if (block.kind == LawKind::soft || (block.kind == LawKind::turn && block.parent != pressed)) continue;
    const double speed = ahead_.rows().rows[static_cast<std::size_t>(block.first)].speed;
    if (is_unilateral(block) && ((block.gap > Impacts::kTouch && !rests(block.key)) ||
                                 (waits(block) && speed < -settings_.restitution_threshold && !rests(block.key))))
      continue;
    if (block.kind == LawKind::contact) pressed = block.key;
    append(ahead_.rows(), block, ending_).bound = 0.5 * h * block.force;
  }
  z_end_ = solve::Vector::Zero(static_cast<Eigen::Index>(ending_.rows.size()));
  if (ending_.blocks.empty()) return false;
  problem_.assemble(kinematics, system, ending_);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(z_end_.size());
  for (const LawBlock& block : ending_.blocks) {
    const LawBlock* before = block_of(active_, block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = ending_.rows[static_cast<std::size_t>(block.first + i)];
      problem.b[block.first + i] = row.speed - row.phi;
      if (before) z_end_[block.first + i] = z_[before->first + i];
    }
  }
  solve(settings_.contact_tolerance, ending_, z_end_);
  push(ending_, z_end_, kinematics, system, dv);
  return true;
}

ImpulseLaws::Work ImpulseLaws::work(const State& state, const std::vector<BodyVector>& dv) const {
  Work sum;
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      double& account = block.kind == LawKind::motor ? sum.motors : sum.contacts;
      account += z_[i] * (speed_of(block, row, state) + 0.5 * times(block, row, dv));
    }
  return sum;
}

double ImpulseLaws::motor_work_at_end(const std::vector<BodyVector>& dv) const {
  double sum = 0;
  for (const LawBlock& block : ending_.blocks) {
    if (block.kind != LawKind::motor) continue;
    const LawRow& row = ending_.rows[static_cast<std::size_t>(block.first)];
    sum += z_end_[block.first] * (row.speed + 0.5 * times(block, row, dv));
  }
  return sum;
}

// The impulses of a block at t along the directions its contact has at t + h: one vector, whichever way it is written.
std::array<double, 3> ImpulseLaws::turned(const LawBlock& first, const LawBlock& last) const {
  std::array<double, 3> z{};
  for (int i = 0; i < first.size; ++i) z[static_cast<std::size_t>(i)] = z_[first.first + i];
  if (first.kind != LawKind::contact || first.shift != 0 || last.shift != 0) return z;
  const auto frame = [](const Laws& laws, const LawBlock& block) {
    const std::array<Vec3, 2>& tangents = laws.tangents(block);
    return std::array{laws.contacts()[static_cast<std::size_t>(block.source)].normal, tangents[0], tangents[1]};
  };
  const auto here = frame(laws_, first), there = frame(ahead_, last);
  const Vec3 impulse = z[0] * here[0] + z[1] * here[1] + z[2] * here[2];
  for (std::size_t i = 0; i < 3; ++i) z[i] = dot(impulse, there[i]);
  return z;
}

void ImpulseLaws::report(double h, State& state, std::vector<ContactForce>& forces,
                         std::vector<BodyVector>& load) const {
  std::fill(load.begin(), load.end(), BodyVector{});
  for (const auto& [laws, z] : {std::pair{&active_, &z_}, {&ending_, &z_end_}})
    for (const LawBlock& block : laws->blocks)
      for (int i = block.first; i < block.first + block.size; ++i)
        add_force(block, laws->rows[static_cast<std::size_t>(i)], (*z)[i] / h, load);
  forces.clear();
  state.impulses.clear();
  for (const LawBlock& block : ahead_.rows().blocks) {
    if (block.kind == LawKind::soft) continue;
    const LawBlock *first = block_of(active_, block.key), *last = block_of(ending_, block.key);
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    if (first) force = turned(*first, block);
    for (int i = 0; i < block.size; ++i) {
      auto& f = force[static_cast<std::size_t>(i)];
      f /= h;
      if (last) f += z_end_[last->first + i] / h;
      const LawRow& row = ahead_.rows().rows[static_cast<std::size_t>(block.first + i)];
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = speed_of(block, row, state);
    }
    if (first || last) state.impulses.push_back({block.key, force});
    if (block.kind == LawKind::contact)
      forces.push_back(contact_force(ahead_.contacts()[static_cast<std::size_t>(block.source)], ahead_.tangents(block),
                                     block.friction, block.shift, force, slip));
  }
  sort_impulses(state);
}

}  // namespace catena
