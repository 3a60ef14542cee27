#include "catena/step/lagrange_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/contact/warm_start.h"
#include "catena/math/assert.h"
#include "catena/mechanism/law_problem.h"
#include "catena/solve/solve.h"

namespace catena {
namespace {

bool has_friction(const LawBlock& block) { return block.across.friction[0] > 0 || block.across.friction[1] > 0; }

// Coulomb's friction at z_n = 1 against a slip (s₀, s₁): the point of the ellipse that takes most power from it.
std::array<double, 2> friction_against(const std::array<double, 2>& friction, const std::array<double, 2>& slip) {
  const double size = std::hypot(friction[0] * slip[0], friction[1] * slip[1]);
  if (!(size > 0)) return {};
  return {-friction[0] * friction[0] * slip[0] / size, -friction[1] * friction[1] * slip[1] / size};
}

// Speeds along the tangents of a contact.
std::array<double, 2> slip_of(const LawRows& laws, const LawBlock& contact) {
  std::array<double, 2> slip{};
  for (int i = 1; i < contact.size; ++i) slip[static_cast<std::size_t>(i - 1)] = laws.row(contact, i).speed;
  return slip;
}

}  // namespace

LagrangeLaws::LagrangeLaws(StepContext& context, EquationsOfMotion& equations)
    : context_(context), equations_(equations), mechanism_(equations.mechanism()), d_(context.model().bodies.size()) {}

LagrangeLaws::Mode* LagrangeLaws::mode_of(std::uint64_t key) {
  const auto at = std::lower_bound(modes_.begin(), modes_.end(), key,
                                   [](const Mode& mode, std::uint64_t k) { return mode.key < k; });
  return at != modes_.end() && at->key == key ? &*at : nullptr;
}

// Where the part before has ended because a slip went against its first direction, and yet there is slip: it has turned on its way to rest, faster
// than friction along a given direction can follow.
void LagrangeLaws::note_turns() {
  for (const LawBlock& block : found().blocks) {
    const Mode* before = block.kind == LawKind::contact ? mode_of(block.key) : nullptr;
    if (!before || !before->slips || turns(block.key)) continue;
    const std::array<double, 2> slip = slip_of(found(), block);
    const double size = std::hypot(slip[0], slip[1]);
    if (size > tuning().still && slip[0] * before->slip[0] + slip[1] * before->slip[1] <= tuning().turned * size)
      turned_.push_back(block.key);
  }
}

void LagrangeLaws::begin(const State& state) {
  const double touching = context_.tuning.parts.touching;
  note_turns();
  modes_.clear();
  for_each_law(found(), [&](const LawBlock& block) {
    if (block.kind == LawKind::soft) return false;
    const LawRow* rows = found().rows.data() + block.first;
    Mode mode{.key = block.key, .unilateral = only_pushes(block), .gives = gives_way(block)};
    if (mode.gives && room(block) > 0) return false;
    if (is_unilateral(block) && (block.gap > touching || rows[0].speed > tuning().still)) return false;
    mode.slip = mode.unilateral ? slip_of(found(), block) : std::array{rows[0].speed - rows[0].phi, 0.0};
    const double size = std::hypot(mode.slip[0], mode.slip[1]);
    mode.creeps = block.across.creep > 0 && has_friction(block);
    mode.slips = size > tuning().still && !mode.creeps && (!mode.unilateral || has_friction(block));
    if (mode.slips) mode.slip = {mode.slip[0] / size, mode.slip[1] / size};
    mode.slow = mode.slips && turns(mode.key);
    if (const WarmImpulse* warm = remembered(state, block.key)) mode.z = warm->z;
    modes_.push_back(mode);
    return true;
  });
  std::sort(modes_.begin(), modes_.end(), [](const Mode& a, const Mode& b) { return a.key < b.key; });
}

void LagrangeLaws::note_beginnings() {
  for (Mode& mode : modes_) {
    mode.leaves = mode.unilateral && mode.a[0] > smallest_acceleration();
    mode.slow = false;
    if (mode.slips) continue;
    const double size = mode.across();
    mode.starts = mode.slow = size > smallest_acceleration();
    const std::size_t first = mode.unilateral ? 1 : 0;
    if (mode.starts) mode.slip = {mode.a[first] / size, mode.unilateral ? mode.a[2] / size : 0.0};
  }
  for (const LawBlock& block : found().blocks)
    if (Mode* mode = block.kind == LawKind::contact ? mode_of(block.key) : nullptr; mode && mode->slips)
      mode->slow = turns(block.key) || is_slow_slip(block);
}

// It gains speed and has little of it so far; or it comes to rest within a small part of a step, and turns on its way there.
bool LagrangeLaws::is_slow_slip(const LawBlock& contact) const {
  double gain = 0, size = 0, speed = 0;
  for (int i = 1; i < contact.size; ++i) {
    const LawRow& row = found().row(contact, i);
    const double a = times(found(), contact, row, context_.dynamics.vdot) + row.c;
    gain += a * row.speed;
    size += a * a;
    speed += row.speed * row.speed;
  }
  const double fast = (gain > 0 ? tuning().fast_slip : tuning().brief_slip) * context_.settings.step;
  const bool ends_straight = gain <= 0 && gain * gain > (1 - tuning().turned * tuning().turned) * size * speed;
  return speed < fast * fast * size && !ends_straight;
}

// Of joints that slip by their friction; of joints with compliance as springs, λ = −(phi + τ J v)/ε, SPOOK's in the limit of short steps.
int LagrangeLaws::select() {
  active_.clear();
  std::vector<BodyVector>& load = context_.load;
  std::fill(load.begin(), load.end(), BodyVector{});
  given_ = inconsistent_ = false;
  if (std::any_of(modes_.begin(), modes_.end(), [](const Mode& mode) { return mode.unilateral; }))
    context_.laws->find_bias(context_.dynamics.kinematics());
  for (const LawBlock& block : found().blocks) {
    const LawRow* rows = found().rows.data() + block.first;
    if (block.kind == LawKind::soft) {
      for (int i = 0; i < block.size; ++i)
        add_force(found(), block, rows[i],
                  -(rows[i].phi + block.spring.relaxation * rows[i].speed) / block.spring.compliance, load);
      given_ = true;
      continue;
    }
    Mode* mode = mode_of(block.key);
    if (!mode) continue;
    if (mode->gives) push_spring(block, *mode);
    if (block.kind == LawKind::contact) {
      select_contact(block, *mode);
    } else if (mode->gives) {
      continue;
    } else if (block.kind == LawKind::turn && mode->slips) {
      push_along(block, rows[0], -block.turn.lever * mode->slip[0]);
    } else if (mode->unilateral || !mode->slips) {
      append(found(), block, active_).bound = block.force;
    } else {
      mode->z[0] = std::copysign(block.force, -mode->slip[0]);
      add_force(found(), block, rows[0], mode->z[0], load);
      given_ = true;
    }
  }
  return static_cast<int>(active_.rows.size());
}

// Slip: the normal row alone, pushing along K = J_nᵀ + friction. Past the end of a slip its first direction counts, so that the motion a
// part of a step is integrated with has no kink; the part will be cut there. Where slip only begins its direction would turn faster than
// a step can follow, and so it would where slip has turned on its way to rest: there friction is opposite to the velocity v + τ v̇ a little later, and
// the solver finds it.
void LagrangeLaws::select_contact(const LawBlock& contact, Mode& mode) {
  const LawRow* rows = found().rows.data() + contact.first;
  const std::array<double, 2> slip = slip_of(found(), contact);
  const double size = std::hypot(slip[0], slip[1]);
  const double kept = slip[0] * mode.slip[0] + slip[1] * mode.slip[1];
  const bool same_way = size > tuning().still && kept > 0.5 * size;
  mode.oblique = mode.slips && !mode.slow && has_friction(contact);
  if (has_friction(contact) && !mode.oblique) {
    const LawBlock& added = select_rows(contact, mode);
    for (int i = 1; i < contact.size && mode.slow; ++i)
      active_.row(added, i).c += rows[i].speed / (tuning().slow_slip * context_.settings.step);
    return;
  }
  LawBlock normal = contact;
  normal.size = 1;
  select_rows(normal, mode);
  if (!has_friction(contact)) return;
  const std::array<double, 2> push = friction_against(contact.across.friction, same_way ? slip : mode.slip);
  for (int i = 1; i < contact.size; ++i) push_along(contact, rows[i], push[static_cast<std::size_t>(i - 1)]);
}

// How far a law that gives way is from pushing.
double LagrangeLaws::room(const LawBlock& block) const {
  return room_before_push(block, found().row(block).speed, context_.relaxation_of(block));
}

// μ = −(gap + τ J v)/ε, SPOOK's in the limit of short steps. It never pulls.
void LagrangeLaws::push_spring(const LawBlock& block, Mode& mode) {
  const LawRow& normal = found().row(block);
  mode.z[0] = std::max(0.0, -(block.gap + context_.relaxation_of(block) * normal.speed) / block.spring.compliance);
  add_force(found(), block, normal, mode.z[0], context_.load);
  given_ = true;
}

// The rows of a contact. Where it gives way what it pushes with is known, and its normal row is there for friction to be bounded by: nothing moves along
// it, and its answer is that force.
LawBlock& LagrangeLaws::select_rows(const LawBlock& contact, const Mode& mode) {
  LawBlock& added = append(found(), contact, active_);
  const double sigma = mode.gives || mode.creeps ? free_compliance(context_.model(), context_.dynamics.kinematics(),
                                                                   found(), contact, found().row(contact))
                                                 : 0;
  if (mode.gives) {
    hold_row(sigma, mode.z[0], active_.row(added));
    active_.row(added).push = -1;  // it has pushed already
  }
  for (int i = 1; i < added.size && mode.creeps; ++i) {
    LawRow& row = active_.row(added, i);
    active_.push_obliquely(row);
    hold_row(sigma, -row.speed / contact.across.creep, row);  // the same Σ along both: friction is opposite to the slip
  }
  return added;
}

// Nothing moves along the row, and its answer is that force, where its law allows it.
void LagrangeLaws::hold_row(double sigma, double force, LawRow& row) {
  row.hold();
  row.sigma = sigma;
  row.c = -sigma * force;
}

// The normal row of the contact selected last pushes along `with` as well, `share` times as hard.
void LagrangeLaws::push_along(const LawBlock& contact_or_turn, const LawRow& with, double share) {
  const auto contact = std::find_if(active_.blocks.rbegin(), active_.blocks.rend(),
                                    [](const LawBlock& block) { return block.kind == LawKind::contact; });
  const std::uint64_t key = contact_or_turn.kind == LawKind::turn ? contact_or_turn.turn.parent : contact_or_turn.key;
  if (contact == active_.blocks.rend() || contact->key != key) return;
  if (gives_way(*contact)) return add_force(found(), contact_or_turn, with, share * mode_of(key)->z[0], context_.load);
  active_.push_along(active_.row(*contact), found(), with, share);
}

// Four feet share a load in many ways, and friction turns what they carry into torques. A little Σ, lost in rounding of the accelerations,
// singles out the most even one.
void LagrangeLaws::share_evenly() {
  const Kinematics& kinematics = context_.dynamics.kinematics();
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      if (row.sigma == 0)
        row.sigma = tuning().even * free_compliance(context_.model(), kinematics, active_, block, row);
    }
}

// w = A μ + (J v̇ + c) with the laws, v̇ what the bodies do without these forces.
bool LagrangeLaws::solve(bool quick) {
  Dynamics& dynamics = context_.dynamics;
  if (given_) equations_.push(context_.load);
  if (active_.blocks.empty()) return true;
  share_evenly();
  mechanism_.assemble_rigid(active_);
  solve::Problem& problem = mechanism_.problem();
  problem.b.resize(static_cast<Eigen::Index>(active_.rows.size()));
  solve::Vector guess(problem.b.size());
  fill_unset(problem.b);
  fill_unset(guess);
  for (const LawBlock& block : active_.blocks)
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = active_.row(block, i);
      problem.b[block.first + i] = times(active_, block, row, dynamics.vdot) + row.c;
      guess[block.first + i] = mode_of(block.key)->z[static_cast<std::size_t>(i)];
    }
  scale_ = problem.b.lpNorm<Eigen::Infinity>();
  // Large problems that no quick way solves are left to the implicit scheme, which does not insist on an exact answer.
  quick = quick && problem.size() > context_.tuning.velocity.patient_rows;
  const solve::Options options{.tolerance = context_.settings.contact_tolerance, .enough = quick ? 1.0 : 0.0};
  solve::Solution solution;
  solve_bound(problem.blocks, active_, guess, 0, [&](solve::Vector& from) {
    solution = solve::solve(problem, options, &from);
    from = solution.z;
  });
  const solve::Certificate& certificate = solution.certificate;
  if (quick && certificate.residual > options.acceptable) {
    context_.fail(Status::too_long,
                  fmt::format("t = {}: the forces of {} rows of contacts are not found in the time of a step",
                              dynamics.kinematics().state().time, problem.size()));
    return false;
  }
  inconsistent_ = certificate.residual > tuning().consistent || certificate.status == solve::Status::ray;
  if (!inconsistent_) {
    context_.report.complementarity = std::max(context_.report.complementarity, certificate.residual);
    context_.report.fallbacks = std::max(context_.report.fallbacks, certificate.fallbacks);
  }
  std::fill(d_.begin(), d_.end(), BodyVector{});
  for (const LawBlock& block : active_.blocks) {
    Mode* mode = mode_of(block.key);
    mode->z = mode->a = {};
    for (int i = 0; i < block.size; ++i) {
      mode->z[static_cast<std::size_t>(i)] = solution.z[block.first + i];
      mode->a[static_cast<std::size_t>(i)] = solution.w[block.first + i];
      add_force(active_, block, active_.row(block, i), solution.z[block.first + i], d_);
    }
  }
  equations_.push(d_);
  for (std::size_t i = 0; i < d_.size(); ++i) context_.load[i] += d_[i];
  return true;
}

void LagrangeLaws::add_powers(const State& state, Ledger& powers) const {
  if (!given_ && active_.blocks.empty()) return;
  double all = 0, motors = 0;
  for (std::size_t i = 0; i < context_.load.size(); ++i) all += dot(context_.load[i], velocity_of(state.bodies[i]));
  for (const LawBlock& block : found().blocks)
    if (const Mode* mode = block.kind == LawKind::motor ? mode_of(block.key) : nullptr)
      motors += mode->z[0] * found().row(block).speed;
  powers.motors += motors;
  powers.contacts += all - motors;
}

void LagrangeLaws::end_slips_at_once(State& state) {
  held_.clear();
  for (const LawBlock& block : found().blocks) {
    const Mode* mode = mode_of(block.key);
    if (!mode || !is_unilateral(block)) continue;
    LawBlock& added = append(found(), block, held_);
    if (mode->slips && has_friction(block)) added.kind = LawKind::soft;  // equalities
  }
  mechanism_.place(state);
  mechanism_.assemble(held_, 0);
  solve::Problem& problem = mechanism_.problem();
  problem.b.resize(static_cast<Eigen::Index>(held_.rows.size()));
  for (std::size_t i = 0; i < held_.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = held_.rows[i].speed;
  mechanism_.answer(held_, solve::solve(problem, {.tolerance = context_.settings.contact_tolerance}).z);
  const double before = context_.dynamics.kinetic_energy(state);
  mechanism_.strike(state);
  state.ledger.contacts += context_.dynamics.kinetic_energy(state) - before;
  ++context_.report.shocks;
}

void LagrangeLaws::project(State& state) {
  equations_.place(state);
  context_.find_laws(0);
  held_.clear();
  for (const LawBlock& block : found().blocks) {
    const Mode* mode = mode_of(block.key);
    if (!mode || mode->leaves) continue;
    if (block.kind == LawKind::contact) context_.report.penetration = std::max(context_.report.penetration, -block.gap);
    if (!mode->unilateral && (mode->slips || mode->starts)) continue;
    LawBlock held = block;
    const bool slips = mode->slips || mode->starts || mode->creeps;
    if (mode->unilateral && (slips || mode->z[0] <= 0 || !has_friction(block))) held.size = 1;
    if (mode->gives) ++held.first, --held.size;  // across its normal alone
    if (held.size > 0) append(found(), held, held_).kind = LawKind::soft;
  }
  if (held_.blocks.empty()) return;
  equations_.factor(state);
  mechanism_.assemble_rigid(held_);
  const Eigen::MatrixXd A = to_dense(mechanism_.problem().A);
  semidefinite_.reserve(static_cast<int>(A.rows()));
  semidefinite_.factor(A, A.diagonal());
  const auto answer = [&](const solve::Vector& b) {
    solve::Vector z(b.size());
    semidefinite_.solve(b, z);
    mechanism_.answer(held_, z);
  };
  solve::Vector gaps = solve::Vector::Zero(A.rows()), speeds(A.rows());
  const double deepest = context_.tuning.parts.push_out * context_.settings.step;
  for (const LawBlock& block : held_.blocks) {
    if (const Mode* mode = mode_of(block.key); mode->unilateral && !mode->gives)
      gaps[block.first] = -std::max(block.gap, -deepest);
    for (int i = block.first; i < block.first + block.size; ++i)
      speeds[i] = held_.rows[static_cast<std::size_t>(i)].phi - held_.rows[static_cast<std::size_t>(i)].speed;
  }
  const double before = equations_.energy(state);
  answer(speeds);
  mechanism_.strike(state);
  answer(gaps);
  mechanism_.nudge(state);
  state.ledger.projection += equations_.energy(state) - before;
}

double LagrangeLaws::crossing(double open) const {
  double first = 1;
  for (const LawBlock& block : found().blocks) {
    if (block.kind == LawKind::soft) continue;
    const LawRow* rows = found().rows.data() + block.first;
    const Mode* mode = mode_of(block.key);
    if (gives_way(block)) first = std::min(first, mode ? -room(block) : room(block));
    if (!mode) {
      if (is_unilateral(block)) first = std::min(first, block.gap - open);
    } else if (mode->slips && mode->unilateral) {
      const std::array<double, 2> slip = slip_of(found(), block);
      first = std::min(first, slip[0] * mode->slip[0] + slip[1] * mode->slip[1]);
    } else if (mode->slips) {
      first = std::min(first, (rows[0].speed - rows[0].phi) * mode->slip[0]);
    }
  }
  return first;
}

bool LagrangeLaws::changes() const {
  return inconsistent_ || std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
           if (mode.unilateral && !mode.leaves && mode.a[0] > smallest_acceleration()) return true;
           return !mode.slips && !mode.starts && mode.across() > smallest_acceleration();
         });
}

void LagrangeLaws::report() {
  context_.contacts.drop_part();
  for (const LawBlock& block : found().blocks) {
    if (block.kind != LawKind::contact) continue;
    const Mode* mode = mode_of(block.key);
    const std::array<double, 2> slip = slip_of(found(), block);
    std::array<double, 3> force{};
    if (mode) force = mode->z;
    if (mode && mode->oblique) {
      const std::array<double, 2> push = friction_against(block.across.friction, slip);
      force = {mode->z[0], push[0] * mode->z[0], push[1] * mode->z[0]};
    }
    context_.contacts.add(*context_.laws, block, force, slip);
  }
  context_.contacts.replace_by_part();
}

void LagrangeLaws::remember(State& state) const {
  state.impulses.clear();
  for (const Mode& mode : modes_) state.impulses.push_back({mode.key, mode.z});
}

}  // namespace catena
