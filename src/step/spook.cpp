#include "catena/step/spook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "catena/auxiliary/row_rhs.h"
#include "catena/model/mechanisms.h"
#include "catena/step/add_velocity.h"

namespace catena {
namespace {

// Cuts of one step; what is left of it then goes to its end. Where many bodies tumble there is always one that meets another.
constexpr int kMostImpacts = 20, kFewImpacts = 2;
constexpr std::size_t kManyBodies = 50, kManyContacts = 50, kManyMechanisms = 5;
constexpr double kUneven = 1e3;
constexpr int kSweeps = 500, kCrowdSweeps = 50, kFewSweeps = 20;
// m: what sweeps that have not converged leave would make overlaps that are pushed out at once oscillate from step to step, and grow.
constexpr double kSlop = 1e-4;
constexpr double kNever = 1e300;

// The body at `at`, with the velocity of `from` and dv.
BodyState with_velocity(BodyKind kind, const BodyState& from, const BodyVector& dv, BodyState at) {
  at.velocity = from.velocity;
  at.angular_velocity = from.angular_velocity;
  at.scale_velocity = from.scale_velocity;
  add_velocity(kind, dv, at);
  return at;
}

// What the laws pushed with in the last step, for those that are still there.
void remember_into(const LawRows& laws, const State& state, Eigen::Ref<solve::Vector> z) {
  z.setZero();
  for (const LawBlock& block : laws.blocks) {
    const auto at = std::lower_bound(state.impulses.begin(), state.impulses.end(), block.key,
                                     [](const WarmImpulse& w, std::uint64_t key) { return w.key < key; });
    if (at == state.impulses.end() || at->key != block.key) continue;
    for (int i = 0; i < std::min(block.size, 3); ++i) z[block.first + i] = at->z[static_cast<std::size_t>(i)];
  }
}

// Whether bodies held together by joints may pull on each other so hard that the light ones swing faster than steps can follow
// (spook_stiffness.cpp).
bool has_uneven_joints(const Model& model) {
  if (model.joints.empty() || model.bodies.empty()) return false;
  const auto [light, heavy] = std::minmax_element(model.bodies.begin(), model.bodies.end(),
                                                  [](const Body& a, const Body& b) { return a.mass < b.mass; });
  return heavy->mass > kUneven * light->mass;
}

// Many bodies in several mechanisms: some always meet.
bool is_crowd(const Model& model) {
  const std::vector<int> of = mechanisms(model);
  return model.bodies.size() > kManyBodies && std::set<int>(of.begin(), of.end()).size() >= kManyMechanisms;
}

}  // namespace

SpookStepper::SpookStepper(const Model& model, const State& initial, const Settings& settings)
    : LawlessModel(model),
      Stepper(lawless, initial, settings),
      full_(&model),
      solver_(settings.law_solver),
      laws_(model, dynamics_.kinematics(), settings.contact_margin, settings.facets),
      problem_(lawless),
      impacts_(lawless, settings.restitution_threshold, settings.contact_tolerance),
      joint_rows_(all_rows(lawless)),
      crowd_(settings.integrator == Integrator::automatic && is_crowd(model)),
      uneven_(has_uneven_joints(model)),
      midpoint_(settings.integrator == Integrator::midpoint ||
                (settings.integrator == Integrator::automatic && !crowd_ && !has_soft_joints(model))),
      middle_(initial),
      stiff_(lawless),
      damping_(model.bodies.size()),
      f_(model.bodies.size()),
      v_(f_.size()),
      y_(f_.size()),
      load_(f_.size()),
      shift_(f_.size()),
      b_(static_cast<std::size_t>(dynamics_.system().rows())),
      phi_(b_.size()),
      lambda_(b_.size()),
      shift_lambda_(b_.size()),
      sigma_(b_.size(), 0.0) {
  if (solver_ == LawSolver::gauss_seidel && has_grain(model)) solver_ = LawSolver::split;
  driven_ = std::any_of(lawless.joints.begin(), lawless.joints.end(), [&](const Joint& joint) {
    return lawless.extras_of(joint).motor || joint.kind == JointKind::coupling;
  });
  if (settings.integrator == Integrator::automatic && midpoint_ && !uneven_ && model.bodies.size() <= kManyBodies) {
    Settings smooth = settings;
    smooth.integrator = Integrator::rk4;
    flight_ = std::make_unique<LagrangeLawsStepper>(model, initial, smooth);
  }
  most_sweeps_ = settings.sweeps > 0 ? settings.sweeps : crowd_ ? kCrowdSweeps : kSweeps;
  sweeps_.options.warm_start = true;
  if (crowd_) sweeps_.options.check_every = 0;
  apart_.options.max_sweeps = 50;
  apart_.options.tolerance = 1e-6;
}

// Nothing touches, and no joint has friction, a motor of limited force or compliance.
bool SpookStepper::is_flight() const {
  return std::all_of(laws_.rows().blocks.begin(), laws_.rows().blocks.end(), [&](const LawBlock& block) {
    return is_unilateral(block) &&
           (block.gap > Impacts::kTouch ||
            laws_.rows().rows[static_cast<std::size_t>(block.first)].speed > settings_.restitution_threshold);
  });
}

void SpookStepper::fly(double h, State& state) {
  flight_->dynamics().forces() = dynamics_.forces();
  flight_->invalidate();
  report_ = flight_->step(h, state);
  forces_ = flight_->contact_forces();
  std::copy(flight_->load().begin(), flight_->load().end(), load_.begin());
  factored_ = false;
  dynamics_.kinematics().update(*model_, state);
}

void SpookStepper::move(double h, State& state) {
  double left = h;
  impacts_.clear();
  flew_ = false;
  if (flight_) {
    look(left, state);
    flew_ = is_flight();
    if (flew_) return fly(h, state);
  }
  for (int part = 0; left > 0 && report_.ok(); ++part) {
    if (part > 0 || !has_looked(left)) look(left, state);
    const bool cut = !crowd_ && part < (laws_.contacts().size() > kManyContacts ? kFewImpacts : kMostImpacts);
    if (cut && meets(state)) look(left, state);
    const double done = advance(left, cut, state);
    left -= done;
    // A rest this short would be rounding only.
    if (left < 1e-9 * h) {
      state.time += left;
      left = 0;
    }
    if (report_.ok()) close(left > 0 ? left : h, state);
  }
  report_.contacts = static_cast<int>(laws_.contacts().size());
  dynamics_.coordinates().remember(*model_, dynamics_.kinematics(), state);
}

// Bodies that touch and come together faster than the threshold are thrown back before the step goes on.
bool SpookStepper::meets(State& state) {
  if (!impacts_.meeting(laws_, settings_.restitution_threshold)) return false;
  if (!factored_) factor(state);
  impacts_.throw_back(laws_, dynamics_, state, report_);
  return true;
}

// A step of h or, with `cut`, to where bodies meet that come together fast. Returns its length.
double SpookStepper::advance(double h, bool cut, State& state) {
  // Bodies that meet where the step will not be cut must not be past each other at its middle.
  middle_here_ = midpoint_ && (cut || !any_will_meet(h));
  if (!middle_here_ && !factored_) factor(state);
  constexpr int kTries = 8;  // the time of an impact is exact for constant accelerations; else it is come near in a few
  for (int tries = 0;; ++tries) {
    if (middle_here_ && !go_to_middle(h, state)) {
      fail(Status::singular);
      return h;
    }
    if (!load_forces(h, state)) {
      fail(Status::singular);
      return h;
    }
    if (!solve_velocities(h, cut, state)) return h;
    const double impact = cut && tries < kTries ? time_of_impact(h) : h;
    if (impact >= (1 - 1e-9) * h) break;
    h = std::max(impact, 1e-9 * settings_.step);
  }
  const double kinetic = dynamics_.kinetic_energy(state);
  double work = 0;  // of the forces, with the mean velocity; joints at rest do none
  for (std::size_t i = 0; i < f_.size(); ++i)
    work += h * dot(f_[i], velocity_of(state.bodies[i]) + 0.5 * restricted(model_->bodies[i].kind, y_[i]));
  displace_all(h, state);
  // Impulses of rows with a velocity of their own work at it.
  double motors = 0;
  if (driven_) {
    joint_rows_.evaluate(*model_, dynamics_.kinematics());
    for (std::size_t i = 0; i < lambda_.size(); ++i) motors += lambda_[i] * joint_rows_.u[i];
  }
  state.ledger.motors += motors;
  state.ledger.actuators += h * powers_.actuators;
  state.ledger.external += h * powers_.external;
  state.ledger.damping += h * powers_.damping;
  state.ledger.contacts += dynamics_.kinetic_energy(state) - kinetic - work - motors;
  state.time += h;
  remember(state);
  report_contacts(h);
  if (crowd_) list_impacts(state);
  return h;
}

// x + (h/2) v + (h/2) v⁺, or x + h v⁺.
void SpookStepper::displace_all(double h, State& state) const {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyKind kind = model_->bodies[i].kind;
    BodyState& s = state.bodies[i];
    if (middle_here_) displace(kind, (h / 2) * velocity_of(s), s);
    add_velocity(kind, y_[i], s);
    displace(kind, (middle_here_ ? h / 2 : h) * velocity_of(s), s);
  }
}

// Constraints and contacts at x + (h/2) v.
bool SpookStepper::go_to_middle(double h, const State& state) {
  middle_ = state;
  middle_.time += h / 2;
  for (std::size_t i = 0; i < middle_.bodies.size(); ++i)
    displace(model_->bodies[i].kind, (h / 2) * velocity_of(state.bodies[i]), middle_.bodies[i]);
  dynamics_.kinematics().update(*model_, middle_);
  laws_.find(dynamics_.kinematics(), h);
  factored_ = false;
  return solver_ == LawSolver::gauss_seidel || dynamics_.system().factor(dynamics_.kinematics(), false);
}

// At the middle, forces that depend on velocities are taken with those half a step without the laws leads to.
bool SpookStepper::load_forces(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  dynamics_.forces().apply(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  stiff_step_ = false;
  std::fill(damping_.begin(), damping_.end(), BodyVector{});
  if (!middle_here_ || solver_ == LawSolver::gauss_seidel) return true;
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = h * f_[i];
  joint_targets(h);
  dynamics_.system().solve(b_, y_, lambda_);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    middle_.bodies[i] = with_velocity(model_->bodies[i].kind, state.bodies[i], 0.5 * y_[i], middle_.bodies[i]);
  }
  dynamics_.forces().apply(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  stiff_step_ = uneven_ && stiffen(h, state);
  for (std::size_t i = 0; i < y_.size(); ++i)
    middle_.bodies[i] = with_velocity(model_->bodies[i].kind, state.bodies[i], {}, middle_.bodies[i]);
  if (!stiff_step_) return true;
  kinematics.update(stiff_, middle_);
  return dynamics_.system().factor(kinematics, false);
}

// M dv = h f + Gᵀλ + Jᵀz with G (v + dv) = q and the laws between z and w = J (v + dv) + Σ z − target.
bool SpookStepper::solve_velocities(double h, bool cut, const State& state) {
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = restricted(model_->bodies[i].kind, velocity_of(state.bodies[i]));
  joint_targets(h);
  law_targets(h, cut);
  const LawRows& laws = active_;
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = h * f_[i] + damping_[i];
  if (solver_ == LawSolver::gauss_seidel) {
    solution_ = solve_all(h, state);
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
  set_law_targets(
      laws_.rows(),
      {h, settings_.step, middle_here_ ? h / 2 : h, norm(model_->gravity), crowd_ ? kSlop : 0,
       crowd_ ? settings_.restitution_threshold : kNever},
      [&](const LawBlock& block) { return cut && will_meet(block, h); },
      [&](const LawBlock& block, double speed) { return gap_at_start(block, speed, h); }, active_);
}

void SpookStepper::solve_laws(const State& state) {
  const LawRows& laws = active_;
  const solve::Problem& problem = problem_.problem();
  solution_.z.resize(problem.size());
  remember_into(laws, state, solution_.z);
  // Interior points and pivots take time with the cube of the rows, sweeps with their number.
  constexpr std::size_t kManyRows = 150;
  const bool direct =
      solver_ == LawSolver::direct || (solver_ == LawSolver::automatic && !crowd_ && laws.rows.size() <= kManyRows);
  sweeps_.options.max_sweeps = direct ? kFewSweeps : most_sweeps_;
  // What is left of one step's error is twice as large in the next: an old answer must be far better than a new one.
  sweeps_.options.tolerance = (direct ? 1e-2 : 1) * settings_.contact_tolerance;
  solve_bound(problem_, active_, solution_.z, 0, [&](solve::Vector&) {
    // What pushed in the last step is often an answer in this one, or nearly.
    sweeps_.solve(problem, solution_);
    if (direct && !(solution_.certificate.residual <= sweeps_.options.tolerance)) {
      start_ = solution_.z;
      solution_ = solve::solve(problem, {.tolerance = settings_.contact_tolerance}, &start_);
    }
  });
}

// Every row of every joint and law, nothing answered beforehand: A = G M⁻¹Gᵀ + Σ, b = G (v + h M⁻¹ f) − q.
solve::Solution SpookStepper::solve_all(double h, const State& state) {
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
  solve::Solution solution;
  solution.z = solve::Vector::Zero(problem.size());
  for (int i = 0; i < joints; ++i) solution.z[i] = lambda_[static_cast<std::size_t>(i)];
  const auto own_rows = static_cast<Eigen::Index>(laws.rows.size());
  remember_into(laws, state, solution.z.tail(own_rows));
  sweeps_.options.max_sweeps = most_sweeps_;
  sweeps_.options.tolerance = settings_.contact_tolerance;
  solve::Vector z = solution.z;
  solve_bound(problem_, active_, z, joints, [&](solve::Vector& from) {
    solution.z = from;
    sweeps_.solve(problem, solution);
    from = solution.z;
  });
  std::vector<BodyVector>& dv = y_;
  std::fill(dv.begin(), dv.end(), BodyVector{});
  for (int i = 0; i < joints; ++i) {
    joint_rows_.add_force(i, solution.z[i], dv);
    lambda_[static_cast<std::size_t>(i)] = solution.z[i];
  }
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, laws.rows[static_cast<std::size_t>(i)], solution.z[joints + i], dv);
  for (std::size_t i = 0; i < dv.size(); ++i)
    dv[i] = inverse_times(model_->bodies[i].kind, kinematics.M(BodyId(i)), dv[i] + h * f_[i]);
  solve::Solution own;
  own.z = solution.z.tail(own_rows);
  own.w = solution.w.tail(own_rows);
  own.certificate = solution.certificate;
  return own;
}

bool SpookStepper::evaluate(const State& state) { return evaluate_with(load_, state); }

void SpookStepper::remember(State& state) {
  const LawRows& laws = active_;
  state.impulses.clear();
  for (const LawBlock& block : laws.blocks) {
    WarmImpulse warm{block.key, {}};
    for (int i = 0; i < std::min(block.size, 3); ++i)
      warm.z[static_cast<std::size_t>(i)] = solution_.z[block.first + i];
    state.impulses.push_back(warm);
  }
  std::sort(state.impulses.begin(), state.impulses.end(),
            [](const WarmImpulse& a, const WarmImpulse& b) { return a.key < b.key; });
}

void SpookStepper::report_contacts(double h) {
  forces_.clear();
  std::fill(load_.begin(), load_.end(), BodyVector{});
  for (const LawBlock& block : active_.blocks)
    for (int i = block.first; i < block.first + block.size; ++i)
      add_force(block, active_.rows[static_cast<std::size_t>(i)], solution_.z[i] / h, load_);
  const LawRows& laws = active_;
  for (const LawBlock& block : laws.blocks) {
    if (block.kind != LawKind::contact) continue;
    std::array<double, 3> force{};
    std::array<double, 2> slip{};
    for (int i = 0; i < block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(block.first + i)];
      force[static_cast<std::size_t>(i)] = solution_.z[block.first + i] / h;
      if (i > 0) slip[static_cast<std::size_t>(i - 1)] = row.speed + times(block, row, y_);
    }
    forces_.push_back(contact_force(laws_.contacts()[static_cast<std::size_t>(block.source)], laws_.tangents(block),
                                    block.friction, block.shift, force, slip));
  }
}

}  // namespace catena
