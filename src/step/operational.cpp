#include "catena/step/operational.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "catena/step/warm_start.h"

namespace catena {
namespace {

// Cuts of one step; what is left of it then goes to its end. Where many bodies tumble there is always one that meets another.
constexpr int kMostImpacts = 20, kFewImpacts = 2;
constexpr std::size_t kManyBodies = 50;
// Loops are closed to this, lengths relative to the mechanism, and given up above the second.
constexpr double kClosed = 1e-13, kOpen = 1e-9;
constexpr int kProjections = 30;
// Sides of friction pyramids where nothing else is asked for: the paper's.
constexpr int kFacets = 4;

bool same(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BodyState& x, const BodyState& y) {
    return x.position == y.position && x.orientation == y.orientation && x.velocity == y.velocity &&
           x.angular_velocity == y.angular_velocity;
  });
}

double weight(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass * norm(model.gravity);
}

}  // namespace

OperationalStepper::OperationalStepper(const Model& model, const State& initial, const Settings& settings)
    : LawlessModel(model),
      Stepper(lawless, initial, settings),
      tree_(lawless),
      system_(tree_),
      held_(tree_),
      problem_(system_),
      anticipated_(lawless),
      laws_(model, dynamics_.kinematics(), settings.contact_margin),
      midpoint_(settings.integrator != Integrator::euler && !has_soft_joints(model)),
      size_(mechanism_size(lawless, initial)),
      energy_scale_(weight(lawless) * size_),
      middle_(initial),
      vdot_(static_cast<std::size_t>(tree_.n_v())),
      v_(vdot_.size()),
      dv_(vdot_.size()),
      f_(model.bodies.size()),
      p_(f_.size()),
      y_(f_.size()),
      load_(f_.size()) {
  if (has_grain(model))
    throw InputError("friction differs forward and backward: the method operational does not do that; spook does");
  factors_ = false;
  // Pivots need pyramids, and so do the formulations that leave velocities or joints in the problem.
  const bool pivots = settings_.law_solver == LawSolver::lemke;
  const bool large = settings_.formulation == Formulation::non_minimal ||
                     settings_.formulation == Formulation::minimal ||
                     settings_.formulation == Formulation::non_minimal_os;
  if (settings_.facets == 0 && (pivots || large)) settings_.facets = kFacets;
  if (large && settings_.law_solver == LawSolver::automatic) settings_.law_solver = LawSolver::lemke;
  JointState start;
  tree_.read(dynamics_.kinematics(), start);
  for (const ReducedNode& node : tree_.nodes())
    for (int k = 0; k < node.count; ++k) {
      if (!node.joint.valid() || !is_angle(node.kind, k)) continue;
      const double from = model.extras_of(model.joints[node.joint]).start[static_cast<std::size_t>(k)];
      angles_.push_back({node.joint, k, node.q + k, from - start.q[static_cast<std::size_t>(node.q + k)]});
    }
  sweeps_.options.max_sweeps = settings.sweeps > 0 ? settings.sweeps : 500;
  sweeps_.options.tolerance = settings.contact_tolerance;
  sweeps_.options.warm_start = true;
  few_sweeps_.options = {.warm_start = true, .check_every = 0};
}

void OperationalStepper::move(double h, State& state) {
  impacts_.clear();
  read(state);
  double left = h;
  const double ahead = midpoint_ ? 0 : h;
  for (int part = 0; left > 0; ++part) {
    const bool cut = part < (model_->bodies.size() > kManyBodies ? kFewImpacts : kMostImpacts);
    const double booked = state.ledger.contacts;
    find_laws(ahead);
    if (cut && collide(state)) {
      place(state);
      find_laws(ahead);
    }
    if (midpoint_) note_starts();
    left -= advance(left, cut, state);
    if (!report_.ok()) return;
    find_laws(ahead);
    separate(booked - state.ledger.contacts, state);
    // A rest this short would be rounding only.
    if (left < 1e-9 * h) {
      state.time += left;
      left = 0;
    }
  }
  factored_ = false;
  report_.contacts = static_cast<int>(laws_.contacts().size());
  remember_angles(state);
  placed_ = state.bodies;
  stamp_ = dynamics_.kinematics().stamp();
}

// At the state of the kinematics.
void OperationalStepper::find_laws(double ahead) {
  if (found_ == dynamics_.kinematics().stamp()) return;
  laws_.find(dynamics_.kinematics(), ahead);
  found_ = dynamics_.kinematics().stamp();
}

// Angles that count whole turns, from the coordinates themselves where all of them have some.
void OperationalStepper::remember_angles(State& state) const {
  if (!tree_.forest().auxiliary.empty()) {
    dynamics_.coordinates().remember(*model_, dynamics_.kinematics(), state);
    return;
  }
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const Angle& angle : angles_) {
    double& last = state.joint_angles[angle.joint][static_cast<std::size_t>(angle.coordinate)];
    const double q = now_.q[static_cast<std::size_t>(angle.q)] + angle.offset;
    last = q + kTurn * std::round((last - q) / kTurn);
  }
}

// The joint coordinates of the state: those it carries, unless its bodies have been put elsewhere since.
void OperationalStepper::read(State& state) {
  // Nothing has changed since the last step.
  if (dynamics_.kinematics().stamp() == stamp_ && state.q == now_.q && state.qd == now_.v &&
      same(state.bodies, placed_))
    return;
  const bool carried = state.q.size() == static_cast<std::size_t>(tree_.n_q()) && state.qd.size() == v_.size();
  if (carried) {
    now_.q = state.q;
    now_.v = state.qd;
    const std::vector<BodyState>& given = before_.bodies;
    place(state);
    if (same(given, state.bodies)) return;
    state.bodies = given;
  }
  dynamics_.kinematics().update(*model_, state);
  tree_.read(dynamics_.kinematics(), now_);
  place(state);
}

// The bodies where now_ says, and everything that depends on it.
void OperationalStepper::place(State& state) {
  system_.update(now_);
  system_.bodies(state.bodies);
  state.q = now_.q;
  state.qd = now_.v;
  dynamics_.kinematics().update(*model_, state);
}

// A step of h or, with `cut`, to where bodies meet that come together fast. Returns its length.
double OperationalStepper::advance(double h, bool cut, State& state) {
  constexpr int kTries = 8;  // the time of an impact is exact for constant accelerations; else it is come near in a few
  for (int tries = 0;; ++tries) {
    if (midpoint_) go_to_middle(h, state);
    accelerate(h);
    if (!solve_velocities(h, cut, state)) return h;
    const double impact = cut && tries < kTries ? time_of_impact(h) : h;
    if (impact >= (1 - 1e-9) * h) break;
    h = std::max(impact, 1e-9 * settings_.step);
    if (!midpoint_) system_.update(now_);
  }
  book(h, state);
  report_contacts(h);
  tree_.integrate(midpoint_ ? h / 2 : h, v_, midpoint_ ? other_.q : now_.q);
  if (midpoint_) now_.q.swap(other_.q);
  now_.v = v_;
  state.time += h;
  remember(active_, z_, held_.rows(), state);
  place(state);
  if (held_.rows() > 0) close_loops(state);
  return h;
}

// θ½ = θ ⊕ (h/2) θ̇, with the velocities of the start; contacts are looked for there.
void OperationalStepper::go_to_middle(double h, const State& state) {
  other_ = now_;
  tree_.integrate(h / 2, now_.v, other_.q);
  system_.update(other_);
  system_.bodies(middle_.bodies);
  middle_.time = state.time + h / 2;
  middle_.joint_angles = state.joint_angles;
  dynamics_.kinematics().update(*model_, middle_);
  find_laws(h / 2);
}

// θ̈_f, and the system factored. At the middle velocity-dependent forces are taken with the velocities half a step leads to.
void OperationalStepper::accelerate(double h) {
  Kinematics& kinematics = dynamics_.kinematics();
  held_.evaluate(kinematics);
  dynamics_.forces().external(*model_, kinematics, dynamics_.coordinates(), f_, powers_);
  system_.forward({}, f_, {}, vdot_);
  if (!midpoint_) return;
  if (held_.rows() > 0) problem_.assemble(kinematics, held_, {});
  correct(h);
}

// Once more with the velocities of the middle; more often gains nothing. The factorisation is that of the positions, which stay, and so are
// forces that are constant.
void OperationalStepper::correct(double h) {
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = now_.v[i] + h * vdot_[i];
  if (held_.rows() > 0) {
    active_.clear();
    prepare_rows();
    respond_to_held(b_);
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += dv_[i];
  }
  for (std::size_t i = 0; i < v_.size(); ++i) other_.v[i] = 0.5 * (now_.v[i] + v_[i]);
  system_.update_rates(other_);
  if (!dynamics_.forces().constant(*model_, middle_.time - h / 2, middle_.time + h / 2)) {
    system_.bodies(middle_.bodies);
    dynamics_.forces().external(*model_, dynamics_.kinematics(), dynamics_.coordinates(), f_, powers_);
  }
  system_.accelerations({}, f_, {}, vdot_);
}

// Impulses work with the mean of the velocities before and after, exactly.
void OperationalStepper::book(double h, State& state) const {
  state.ledger.actuators += h * powers_.actuators;
  state.ledger.external += h * powers_.external;
  state.ledger.damping += h * powers_.damping;
  if (z_.size() == 0) return;
  const int held = held_.rows();
  for (int i = 0; i < held; ++i) state.ledger.motors += 0.5 * z_[i] * (before_rows_[i] + after_[i]);
  for (const LawBlock& block : active_.blocks)
    for (int i = held + block.first; i < held + block.first + block.size; ++i)
      (block.kind == LawKind::motor ? state.ledger.motors : state.ledger.contacts) +=
          0.5 * z_[i] * (before_rows_[i] + after_[i]);
}

void OperationalStepper::report_contacts(double h) {
  forces_.clear();
  std::fill(load_.begin(), load_.end(), BodyVector{});
  if (active_.blocks.empty()) return;
  for (const LawBlock& block : active_.blocks) {
    const Eigen::Index first = held_.rows() + block.first;
    for (int i = 0; i < block.size; ++i)
      add_force(block, active_.rows[static_cast<std::size_t>(block.first + i)], z_[first + i] / h, load_);
    if (block.kind != LawKind::contact) continue;
    const double* z = z_.data() + first;
    const double* w = after_.data() + first;
    std::array<double, 3> force{z[0] / h};
    std::array<double, 2> slip{};
    for (int i = 1; i < block.size; ++i) {
      force[static_cast<std::size_t>(i)] = z[i] / h;
      slip[static_cast<std::size_t>(i - 1)] = w[i];
    }
    forces_.push_back(contact_force(laws_.contacts()[static_cast<std::size_t>(block.source)], laws_.tangents(block),
                                    block.friction, block.shift, force, slip));
  }
}

// Newton's method on phi = 0 in joint coordinates, by the smallest change in the metric of the mass matrix; then G v = u.
void OperationalStepper::close_loops(State& state) {
  const double before = dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state);
  HeldRows::Gap left;
  bool contradicts = false;
  for (int iteration = 0;; ++iteration) {
    held_.evaluate(dynamics_.kinematics());
    left = held_.gap(size_);
    if (contradicts || left.scaled <= kClosed || iteration == kProjections || !std::isfinite(left.scaled)) break;
    system_.factor();
    problem_.assemble(dynamics_.kinematics(), held_, {});
    b_ = Eigen::Map<const Eigen::VectorXd>(held_.phi.data(), held_.rows());
    respond_to_held(b_);
    // Nothing moves any more and yet something is open: its rows contradict each other (projection.h).
    contradicts = left.scaled <= Projection::kContradiction &&
                  std::all_of(dv_.begin(), dv_.end(), [](double d) { return std::abs(d) <= kClosed; });
    tree_.integrate(1, dv_, now_.q);
    place(state);
  }
  if (!(left.scaled <= kOpen) && !contradicts)
    return fail(Status::not_converged,
                fmt::format("t = {}: the loop of joint '{}' could not be closed: {:.3g} is left; try a shorter step",
                            state.time, model_->joints[left.worst].name, left.scaled));
  system_.factor();
  problem_.assemble(dynamics_.kinematics(), held_, {});
  system_.motion(now_.v, y_);
  b_.resize(held_.rows());
  for (int i = 0; i < held_.rows(); ++i) b_[i] = held_.times(i, y_) - held_.u[static_cast<std::size_t>(i)];
  respond_to_held(b_);
  for (std::size_t i = 0; i < v_.size(); ++i) now_.v[i] += dv_[i];
  place(state);
  state.ledger.projection += dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state) - before;
  report_.drift_position = std::max(report_.drift_position, left.scaled * size_);
}

}  // namespace catena
