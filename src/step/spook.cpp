#include "catena/step/spook.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "catena/joints/row_rhs.h"
#include "catena/model/mechanisms.h"
#include "catena/step/add_velocity.h"
#include "catena/step/warm_start.h"

namespace catena {
namespace {

// Cuts of one step; what is left of it then goes to its end. Where many bodies tumble there is always one that meets another.
constexpr int kMostImpacts = 20, kFewImpacts = 2;
constexpr std::size_t kManyBodies = 50, kManyContacts = 50, kManyMechanisms = 4;
constexpr int kLongMechanism = 20;
constexpr int kMostHalvings = 6;  // of a step whose joints cannot be closed
constexpr double kUneven = 1e3;

// The body at `at`, with the velocity of `from` and dv.
BodyState with_velocity(BodyKind kind, const BodyState& from, const BodyVector& dv, BodyState at) {
  at.velocity = from.velocity;
  at.angular_velocity = from.angular_velocity;
  at.scale_velocity = from.scale_velocity;
  add_velocity(kind, dv, at);
  return at;
}

// Whether bodies held together by joints may pull on each other so hard that the light ones swing faster than steps can follow
// (spook_stiffness.cpp).
bool has_uneven_joints(const Model& model) {
  if (model.joints.empty() || model.bodies.empty()) return false;
  const auto [light, heavy] = std::minmax_element(model.bodies.begin(), model.bodies.end(),
                                                  [](const Body& a, const Body& b) { return a.mass < b.mass; });
  return heavy->mass > kUneven * light->mass;
}

// Many bodies in several mechanisms: some always meet. Long chains need the second order to be closed at all.
bool is_crowd(const Model& model) {
  std::map<int, int> size;
  for (const int mechanism : mechanisms(model)) ++size[mechanism];
  const bool short_ones =
      std::all_of(size.begin(), size.end(), [](const auto& m) { return m.second <= kLongMechanism; });
  return model.bodies.size() > kManyBodies && size.size() >= kManyMechanisms && short_ones;
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
      mechanism_(mechanisms(lawless)),
      pressed_(model.bodies.size()),
      haste_(model.bodies.size()),
      uneven_(has_uneven_joints(model)),
      midpoint_(settings.integrator == Integrator::midpoint ||
                (settings.integrator == Integrator::automatic && !crowd_ && !has_soft_joints(model))),
      middle_(initial),
      stiff_(lawless),
      damping_(model.bodies.size()),
      before_part_(initial),
      apart_from_(initial),
      moved_(model.bodies.size()),
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
  sweeps_.options.warm_start = true;
  if (crowd_) {
    sweeps_.options.order = solve::GaussSeidelOptions::Order::coloured;
    sweeps_.options.check_first = 16;
    sweeps_.options.check_every = 32;
  }
  apart_.options.max_sweeps = 50;
  apart_.options.tolerance = 1e-3;
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
  double left = h, most = h;
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
    before_part_ = state;
    const double done = advance(std::min(left, most), cut, state);
    left -= done;
    // A rest this short would be rounding only.
    if (left < 1e-9 * h) {
      state.time += left;
      left = 0;
    }
    if (report_.ok() && !close(left > 0 ? left : h, state)) {
      if (report_.halvings == kMostHalvings) return could_not_close(state);
      ++report_.halvings;
      state = before_part_;
      left += done;
      most = done / 2;
      factored_ = false;
    }
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
  if (crowd_ && !model_->joints.empty()) find_powers(state);
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
  remember(active_, solution_.z, 0, state);
  report_contacts(h);
  if (crowd_) list_impacts(state);
  return h;
}

// x + (h/2) v + (h/2) v⁺, or x + h v⁺. Of a crowd what nothing presses on flies as in the first of these.
void SpookStepper::displace_all(double h, State& state) {
  if (crowd_) find_pressed();
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyKind kind = model_->bodies[i].kind;
    BodyState& s = state.bodies[i];
    const bool mean = crowd_ ? !pressed_[static_cast<std::size_t>(mechanism_[i])] : middle_here_;
    if (mean) displace(kind, (h / 2) * velocity_of(s), s);
    add_velocity(kind, y_[i], s);
    displace(kind, (mean ? h / 2 : h) * velocity_of(s), s);
  }
}

void SpookStepper::find_pressed() {
  std::fill(pressed_.begin(), pressed_.end(), 0);
  for (const LawBlock& block : active_.blocks)
    for (const BodyId body : {block.a, block.b})
      if (body.valid() && solution_.z[block.first] != 0) pressed_[static_cast<std::size_t>(mechanism_[body])] = 1;
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

// At the middle, and in crowds of mechanisms, forces that depend on velocities are taken with those half a step leads to without the laws.
bool SpookStepper::load_forces(double h, const State& state) {
  Kinematics& kinematics = dynamics_.kinematics();
  dynamics_.forces().apply(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  stiff_step_ = false;
  std::fill(damping_.begin(), damping_.end(), BodyVector{});
  const bool halfway = middle_here_ || (crowd_ && !model_->joints.empty());
  if (!halfway || solver_ == LawSolver::gauss_seidel) return true;
  if (!middle_here_) {
    middle_ = state;
    kinematics.update(*model_, middle_);
  }
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

// Powers at the mean velocities of the step, where the predicted ones did not know what would press. The forces of the step were those of the
// predicted ones: what they differ by are the dampers.
void SpookStepper::find_powers(const State& state) {
  for (std::size_t i = 0; i < y_.size(); ++i)
    middle_.bodies[i] = with_velocity(model_->bodies[i].kind, state.bodies[i], 0.5 * y_[i], middle_.bodies[i]);
  std::vector<BodyVector>& forces = load_;  // filled anew at the end of the step
  dynamics_.forces().apply(*model_, dynamics_.kinematics(), dynamics_.coordinates(), forces, powers_);
  for (std::size_t i = 0; i < y_.size(); ++i)
    powers_.damping += dot(f_[i] + negative(forces[i]), velocity_of(middle_.bodies[i]));
}

bool SpookStepper::evaluate(const State& state) { return evaluate_with(load_, state); }

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
