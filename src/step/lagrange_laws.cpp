// The laws at one state; when they change is in lagrange_events.cpp.
#include "catena/step/lagrange_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/solve/solve.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

constexpr double kStill = 1e-8;       // m/s or rad/s: slower is at rest
constexpr double kSlow = 0.5;         // steps: how much later the friction of slow slips looks
constexpr double kConsistent = 1e-6;  // natural-map residual above which forces do not obey the laws

bool has_friction(const LawBlock& block) { return block.friction[0] > 0 || block.friction[1] > 0; }

// Coulomb's friction at z_n = 1 against a slip (s₀, s₁): the point of the ellipse that takes most power from it.
std::array<double, 2> friction_against(const std::array<double, 2>& friction, const std::array<double, 2>& slip) {
  const double size = std::hypot(friction[0] * slip[0], friction[1] * slip[1]);
  if (!(size > 0)) return {};
  return {-friction[0] * friction[0] * slip[0] / size, -friction[1] * friction[1] * slip[1] / size};
}

}  // namespace

LagrangeLawsStepper::LagrangeLawsStepper(const Model& model, const State& initial, const Settings& settings)
    : LawlessModel(model),
      LagrangeStepper(lawless, initial, settings),
      laws_(model, dynamics_.kinematics(), settings.contact_margin, settings.facets),
      problem_(lawless),
      impacts_(lawless, settings.restitution_threshold, settings.contact_tolerance),
      begin_(initial),
      load_(model.bodies.size()),
      d_(model.bodies.size()),
      zero_(static_cast<std::size_t>(dynamics_.system().rows()), 0.0),
      lambda_(zero_.size()) {
  laws_.keep_rolling_axes();
}

LagrangeLawsStepper::Mode* LagrangeLawsStepper::mode_of(std::uint64_t key) {
  const auto at = std::lower_bound(modes_.begin(), modes_.end(), key,
                                   [](const Mode& mode, std::uint64_t k) { return mode.key < k; });
  return at != modes_.end() && at->key == key ? &*at : nullptr;
}

// Which laws act at the state `laws_` was found at, and whether they slip.
void LagrangeLawsStepper::begin_modes(const State& state) {
  modes_.clear();
  std::uint64_t pressed = 0;  // the contact whose turns may follow
  for (const LawBlock& block : laws_.rows().blocks) {
    if (block.kind == LawKind::soft || (block.kind == LawKind::turn && block.parent != pressed)) continue;
    const LawRow* rows = laws_.rows().rows.data() + block.first;
    Mode mode{.key = block.key, .unilateral = is_unilateral(block)};
    if (mode.unilateral && (block.gap > Impacts::kTouch || rows[0].speed > kStill)) continue;
    if (block.kind == LawKind::contact) pressed = block.key;
    if (mode.unilateral) {
      for (int i = 1; i < block.size; ++i) mode.slip[static_cast<std::size_t>(i - 1)] = rows[i].speed;
    } else {
      mode.slip[0] = rows[0].speed - rows[0].phi;
    }
    const double size = std::hypot(mode.slip[0], mode.slip[1]);
    mode.slips = size > kStill && (!mode.unilateral || has_friction(block));
    if (mode.slips) mode.slip = {mode.slip[0] / size, mode.slip[1] / size};
    if (const WarmImpulse* warm = remembered(state, block.key)) mode.z = warm->z;
    modes_.push_back(mode);
  }
  std::sort(modes_.begin(), modes_.end(), [](const Mode& a, const Mode& b) { return a.key < b.key; });
}

bool LagrangeLawsStepper::accelerate(const State& state) {
  if (!LagrangeStepper::accelerate(state)) return false;
  laws_.find(dynamics_.kinematics());
  contact_power_ = bounded_motor_power_ = 0;
  std::fill(load_.begin(), load_.end(), BodyVector{});
  const bool loaded = select(load_);
  if (!loaded && active_.blocks.empty()) return true;
  if (loaded) dynamics_.push(load_);
  if (!active_.blocks.empty()) {
    if (!is_within_budget(static_cast<int>(active_.rows.size()), state)) return false;
    std::fill(d_.begin(), d_.end(), BodyVector{});
    solve_laws(d_);
    if (!report_.ok()) return false;
    dynamics_.push(d_);
    for (std::size_t i = 0; i < d_.size(); ++i) load_[i] += d_[i];
  }
  for (std::size_t i = 0; i < load_.size(); ++i) contact_power_ += dot(load_[i], velocity_of(state.bodies[i]));
  for (const LawBlock& block : laws_.rows().blocks)
    if (const Mode* mode = block.kind == LawKind::motor ? mode_of(block.key) : nullptr)
      bounded_motor_power_ += mode->z[0] * laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
  contact_power_ -= bounded_motor_power_;
  return true;
}

// The rows of the laws that act, and the forces of those that have but one way to push: friction in joints that slip, springs for
// joints with compliance, λ = −(phi + τ J v)/ε, SPOOK's in the limit of short steps. True when there are such forces.
bool LagrangeLawsStepper::select(std::vector<BodyVector>& load) {
  active_.clear();
  bool loaded = false;
  const bool touching = std::any_of(modes_.begin(), modes_.end(), [](const Mode& mode) { return mode.unilateral; });
  if (touching) laws_.find_bias(dynamics_.kinematics());
  for (const LawBlock& found : laws_.rows().blocks) {
    const LawRow* rows = laws_.rows().rows.data() + found.first;
    if (found.kind == LawKind::soft) {
      for (int i = 0; i < found.size; ++i)
        add_force(found, rows[i], -(rows[i].phi + found.relaxation * rows[i].speed) / found.compliance, load);
      loaded = true;
      continue;
    }
    Mode* mode = mode_of(found.key);
    if (!mode) continue;
    if (found.kind == LawKind::contact) {
      select_contact(found, *mode);
    } else if (found.kind == LawKind::turn && mode->slips) {
      drag(found, rows[0], -found.lever * mode->slip[0]);
    } else if (mode->unilateral || !mode->slips) {
      append(laws_.rows(), found, active_).bound = found.force;
    } else {
      mode->z[0] = std::copysign(found.force, -mode->slip[0]);
      add_force(found, rows[0], mode->z[0], load);
      loaded = true;
    }
  }
  return loaded;
}

// Slip: the normal row alone, pushing along K = J_nᵀ + friction. Past the end of a slip its first direction counts, so that the motion a
// part of a step is integrated with has no kink; the part will be cut there. Where slip only begins its direction would turn faster than
// a step can follow: there friction is opposite to the velocity v + τ v̇ a little later, and the solver finds it.
void LagrangeLawsStepper::select_contact(const LawBlock& found, Mode& mode) {
  const LawRow* rows = laws_.rows().rows.data() + found.first;
  std::array<double, 2> slip{};
  for (int i = 1; i < found.size; ++i) slip[static_cast<std::size_t>(i - 1)] = rows[i].speed;
  const double size = std::hypot(slip[0], slip[1]);
  const double kept = slip[0] * mode.slip[0] + slip[1] * mode.slip[1];
  const bool same_way = size > kStill && kept > 0.5 * size;
  mode.dragging = mode.slips && !mode.slow && has_friction(found);
  if (has_friction(found) && !mode.dragging) {
    const LawBlock& added = append(laws_.rows(), found, active_);
    for (int i = 1; i < found.size && mode.slow; ++i)
      active_.rows[static_cast<std::size_t>(added.first + i)].c += rows[i].speed / (kSlow * settings_.step);
    return;
  }
  LawBlock block = found;
  block.size = 1;
  append(laws_.rows(), block, active_);
  if (!has_friction(found)) return;
  const std::array<double, 2> push = friction_against(found.friction, same_way ? slip : mode.slip);
  for (int i = 1; i < found.size; ++i) drag(found, rows[i], push[static_cast<std::size_t>(i - 1)]);
}

// The normal row of the contact selected last pushes along `with` as well, `share` times as hard.
void LagrangeLawsStepper::drag(const LawBlock& contact_or_turn, const LawRow& with, double share) {
  const auto contact = std::find_if(active_.blocks.rbegin(), active_.blocks.rend(),
                                    [](const LawBlock& block) { return block.kind == LawKind::contact; });
  const std::uint64_t key = contact_or_turn.kind == LawKind::turn ? contact_or_turn.parent : contact_or_turn.key;
  if (contact == active_.blocks.rend() || contact->key != key) return;
  LawRow& normal = active_.rows[static_cast<std::size_t>(contact->first)];
  if (!normal.oblique) {
    normal.oblique = true;
    normal.K_a = normal.a;
    normal.K_b = normal.b;
  }
  normal.K_a += share * with.a;
  normal.K_b += share * with.b;
}

// Four feet share a load in many ways, and friction turns what they carry into torques. A little Σ, lost in rounding of the accelerations,
// singles out the most even one.
void LagrangeLawsStepper::share_evenly() {
  constexpr double kEven = 1e-11;
  const auto compliance = [&](BodyId body, const BodyVector& row) {
    return body.valid() ? dot(row, inverse_times(model_->bodies[body].kind, dynamics_.kinematics().M(body), row)) : 0;
  };
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      LawRow& row = active_.rows[static_cast<std::size_t>(i)];
      row.sigma = kEven * (compliance(block.a, row.a) + compliance(block.b, row.b));
    }
}

// w = A μ + (J v̇ + c) with the laws, v̇ what the bodies do without these forces; adds K μ to `load`.
void LagrangeLawsStepper::solve_laws(std::vector<BodyVector>& load) {
  share_evenly();
  problem_.assemble(dynamics_.kinematics(), dynamics_.system(), active_);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(active_.rows.size()));
  solve::Vector guess(problem.b.size());
  for (const LawBlock& block : active_.blocks) {
    const Mode* mode = mode_of(block.key);
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = active_.rows[static_cast<std::size_t>(block.first + i)];
      problem.b[block.first + i] = times(block, row, dynamics_.vdot) + row.c;
      guess[block.first + i] = mode->z[static_cast<std::size_t>(i)];
    }
  }
  solve::Solution solution;
  // Large problems that no quick way solves are left to the implicit scheme, which does not insist on an exact answer.
  const bool quick = has_other() && !reading_ && problem.size() > VelocityTuning{}.patient_rows;
  const solve::Options options{.tolerance = settings_.contact_tolerance, .enough = quick ? 1.0 : 0.0};
  solve_bound(problem_, active_, guess, 0, [&](solve::Vector& from) {
    solution = solve::solve(problem, options, &from);
    from = solution.z;
  });
  scale_ = problem.b.lpNorm<Eigen::Infinity>();
  const solve::Certificate& certificate = solution.certificate;
  if (quick && certificate.residual > options.acceptable)
    fail(Status::too_long, fmt::format("t = {}: the forces of {} rows of contacts are not found in the time of a step",
                                       dynamics_.kinematics().state().time, problem.size()));
  inconsistent_ = certificate.residual > kConsistent || certificate.status == solve::Status::ray;
  if (!inconsistent_) {
    report_.complementarity = std::max(report_.complementarity, certificate.residual);
    report_.fallbacks = std::max(report_.fallbacks, certificate.fallbacks);
  }
  read_answers(solution);
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, active_.rows[static_cast<std::size_t>(i)], solution.z[i], load);
}

void LagrangeLawsStepper::read_answers(const solve::Solution& solution) {
  for (const LawBlock& block : active_.blocks) {
    Mode* mode = mode_of(block.key);
    mode->z = {};
    mode->a = {};
    for (int i = 0; i < block.size; ++i) {
      mode->z[static_cast<std::size_t>(i)] = solution.z[block.first + i];
      mode->a[static_cast<std::size_t>(i)] = solution.w[block.first + i];
    }
  }
}

// Painlevé's case: no force can keep a slipping contact from being pressed in, however large. The slip ends within no time: impulses bring
// what slips to rest in all its rows, the rest obeys the laws.
void LagrangeLawsStepper::shock(State& state) {
  LawRows rows;
  for (const LawBlock& block : laws_.rows().blocks) {
    const Mode* mode = mode_of(block.key);
    if (!mode || !mode->unilateral) continue;
    LawBlock& added = append(laws_.rows(), block, rows);
    if (mode->slips && has_friction(block)) added.kind = LawKind::soft;  // equalities
  }
  problem_.assemble(dynamics_.kinematics(), dynamics_.system(), rows);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(rows.rows.size()));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) problem.b[static_cast<Eigen::Index>(i)] = rows.rows[i].speed;
  const solve::Solution solution = solve::solve(problem, {.tolerance = settings_.contact_tolerance});
  std::fill(d_.begin(), d_.end(), BodyVector{});
  for (const LawBlock& block : rows.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, rows.rows[static_cast<std::size_t>(i)], solution.z[i], d_);
  dynamics_.system().solve(zero_, d_, lambda_);
  const double before = dynamics_.kinetic_energy(state);
  for (std::size_t i = 0; i < d_.size(); ++i) add_velocity(model_->bodies[i].kind, d_[i], state.bodies[i]);
  state.ledger.contacts += dynamics_.kinetic_energy(state) - before;
  ++report_.shocks;
}

// What goes on touching is held to it as joints are: gaps onto 0, and the velocities of what touches and sticks.
void LagrangeLawsStepper::hold(State& state) {
  constexpr double kPushOut = 1;  // m/s: overlaps there were before are pushed out no faster
  dynamics_.kinematics().update(*model_, state);
  laws_.find(dynamics_.kinematics());
  LawRows rows;
  for (const LawBlock& block : laws_.rows().blocks) {
    const Mode* mode = mode_of(block.key);
    if (!mode || mode->leaves) continue;
    if (block.kind == LawKind::contact) report_.penetration = std::max(report_.penetration, -block.gap);
    if (!mode->unilateral && (mode->slips || mode->starts)) continue;
    LawBlock held = block;
    if (mode->unilateral && (mode->slips || mode->starts || mode->z[0] <= 0 || !has_friction(block))) held.size = 1;
    append(laws_.rows(), held, rows).kind = LawKind::soft;
  }
  if (rows.blocks.empty()) return;
  if (!factored_) factor(state);
  problem_.assemble(dynamics_.kinematics(), dynamics_.system(), rows);
  const Eigen::MatrixXd A = to_dense(problem_.problem().A);
  semidefinite_.reserve(static_cast<int>(A.rows()));
  semidefinite_.factor(A, A.diagonal());
  const auto answer = [&](const solve::Vector& b) {
    solve::Vector z(b.size());
    semidefinite_.solve(b, z);
    std::fill(d_.begin(), d_.end(), BodyVector{});
    for (const LawBlock& block : rows.blocks)
      for (int i = block.first; i < block.first + block.size; ++i)
        add_force(block, rows.rows[static_cast<std::size_t>(i)], z[i], d_);
    dynamics_.system().solve(zero_, d_, lambda_);
  };
  solve::Vector gaps = solve::Vector::Zero(A.rows()), speeds(A.rows());
  for (const LawBlock& block : rows.blocks) {
    if (mode_of(block.key)->unilateral) gaps[block.first] = -std::max(block.gap, -kPushOut * settings_.step);
    for (int i = block.first; i < block.first + block.size; ++i)
      speeds[i] = rows.rows[static_cast<std::size_t>(i)].phi - rows.rows[static_cast<std::size_t>(i)].speed;
  }
  const double before = dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state);
  answer(speeds);
  for (std::size_t i = 0; i < d_.size(); ++i) add_velocity(model_->bodies[i].kind, d_[i], state.bodies[i]);
  answer(gaps);
  for (std::size_t i = 0; i < d_.size(); ++i) displace(model_->bodies[i].kind, d_[i], state.bodies[i]);
  state.ledger.projection += dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state) - before;
}

bool LagrangeLawsStepper::evaluate_here(const State& state) {
  const StepReport kept = report_;
  dynamics_.kinematics().update(*model_, state);
  laws_.find(dynamics_.kinematics());
  begin_modes(state);
  evaluations_ = rows_solved_ = 0;
  reading_ = true;
  const bool good = accelerate(state);
  reading_ = false;
  if (good) report_contacts();
  report_ = kept;
  return good;
}

void LagrangeLawsStepper::report_contacts() {
  forces_.clear();
  for (const LawBlock& block : laws_.rows().blocks) {
    if (block.kind != LawKind::contact) continue;
    const Mode* mode = mode_of(block.key);
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    for (int i = 1; i < block.size; ++i)
      slip[static_cast<std::size_t>(i - 1)] = laws_.rows().rows[static_cast<std::size_t>(block.first + i)].speed;
    if (mode) force = mode->z;
    if (mode && mode->dragging) {
      const std::array<double, 2> push = friction_against(block.friction, slip);
      force = {mode->z[0], push[0] * mode->z[0], push[1] * mode->z[0]};
    }
    forces_.push_back(contact_force(laws_.contacts()[static_cast<std::size_t>(block.source)], laws_.tangents(block),
                                    block.friction, block.shift, force, slip));
  }
}

void LagrangeLawsStepper::remember(State& state) const {
  state.impulses.clear();
  for (const Mode& mode : modes_) state.impulses.push_back({mode.key, mode.z});
}

}  // namespace catena
