#include "catena/mechanism/reduced_mechanism.h"

#include <algorithm>
#include <cmath>

#include "catena/math/assert.h"

namespace catena {
namespace {

// Whether a coordinate of a joint is an angle.
bool turns(const Joint& joint, int k) {
  if (joint.kind == JointKind::compound) return !joint.freedoms[static_cast<std::size_t>(k)].slides;
  return joint.kind == JointKind::ball || joint.kind == JointKind::screw || is_angle(joint.kind, k);
}

bool same(const std::vector<BodyState>& a, const std::vector<BodyState>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BodyState& x, const BodyState& y) {
    return x.position == y.position && x.orientation == y.orientation && x.velocity == y.velocity &&
           x.angular_velocity == y.angular_velocity;
  });
}

}  // namespace

ReducedMechanism::ReducedMechanism(Dynamics& dynamics, double size, bool carries, const JointTuning& tuning)
    : Mechanism(dynamics),
      options_{size, carries, tuning},
      tree_(dynamics.model()),
      system_(tree_),
      held_(tree_),
      problem_(system_),
      f_(dynamics.model().bodies.size()),
      p_(f_.size()) {
  const Model& m = model();
  at_.ahead_state = dynamics.kinematics().state();
  rates_.first.assign(m.joints.size(), -1);
  rates_.reaches.assign(static_cast<std::size_t>(tree_.n_v()), size);
  for (auto* rates : {&rates_.tau, &rates_.inertia, &rates_.vdot, &rates_.free, &rates_.v, &rates_.dv})
    rates->resize(rates_.reaches.size());
  for (auto* rows : {&held_speeds_.target, &held_speeds_.before}) rows->resize(static_cast<std::size_t>(held_.rows()));
  for (const ReducedNode& node : tree_.nodes()) {
    if (!node.joint.valid()) continue;
    if (carries) rates_.first[node.joint] = node.v;
    for (int k = 0; k < node.count; ++k)
      if (turns(m.joints[node.joint], k)) rates_.reaches[static_cast<std::size_t>(node.v + k)] = 1;
  }
  // What people read counts from where the run began, which need not be where this mechanism is made: joints attach and let go meanwhile.
  const JointCoordinates& coordinates = dynamics.coordinates();
  for (const ReducedNode& node : tree_.nodes())
    for (int k = 0; k < node.count; ++k) {
      if (!node.joint.valid() || !is_angle(node.kind, k)) continue;
      // A compound joint counts from the zeros of its freedoms, turns and all.
      const bool counted = node.mobility == Mobility::compound;
      const double offset = counted ? 0 : coordinates.offset(node.joint)[static_cast<std::size_t>(k)];
      angles_.push_back({node.joint, k, node.q + k, offset, counted});
    }
  for (const ReducedNode& node : tree_.nodes()) {
    if (!node.joint.valid() || node.mobility == Mobility::ball || !coordinates.has(node.joint)) continue;
    for (int k = 0; k < node.count; ++k)
      carried_.push_back({node.joint, k, node.q + k, node.v + k, is_angle(node.kind, k),
                          coordinates.offset(node.joint)[static_cast<std::size_t>(k)]});
  }
  if (held_.rows() == 0) return;
  tree_.read(kinematics(), at_.now);
  system_.update(at_.now);
  hold();
  here_ = {};
  at_.closes_ahead = has_dependent_rows();
}

// ---------------------------------------------------------------------------------------------------------------- position

// The joint coordinates of the state: those it carries, unless its bodies have been put elsewhere since.
void ReducedMechanism::place(State& state) {
  if (is_placed(state)) return;
  const bool carried = state.q.size() == static_cast<std::size_t>(tree_.n_q()) && state.qd.size() == rates_.v.size();
  if (carried) {
    at_.now.q = state.q;
    at_.now.v = state.qd;
    at_.given = state.bodies;
    put(state);
    if (same(at_.given, state.bodies)) return;
    state.bodies = at_.given;
  }
  kinematics().update(model(), state);
  tree_.read(kinematics(), at_.now);
  put(state);
}

bool ReducedMechanism::is_placed(const State& state) const {
  return kinematics().stamp() == at_.stamp && &kinematics().state() == &state && state.q == at_.now.q &&
         state.qd == at_.now.v && same(state.bodies, at_.placed);
}

// The bodies where the coordinates say, and everything that depends on it.
void ReducedMechanism::put(State& state) {
  system_.update(at_.now);
  here_.factored = here_.ahead = here_.assembled = false;
  show(state);
}

void ReducedMechanism::show(State& state) {
  system_.bodies(state.bodies);
  state.q = at_.now.q;
  state.qd = at_.now.v;
  write_angles(at_.now, state);  // where a search for the coordinates of a compound joint begins
  kinematics().update(model(), state);
  tell_coordinates(at_.now, state);
  set_before(state);
  at_.stamp = kinematics().stamp();
  at_.placed = state.bodies;
}

void ReducedMechanism::look_ahead(double t, const State& state) {
  at_.ahead = at_.now;
  tree_.integrate(t, at_.now.v, at_.ahead.q);
  at_.led = at_.ahead.q;
  at_.ahead_state.time = state.time + t;
  at_.ahead_state.joint_angles = state.joint_angles;
  at_.ahead_state.guides = state.guides;
  show_ahead();
  if (at_.closes_ahead) close_ahead();
}

void ReducedMechanism::show_ahead() {
  system_.update(at_.ahead);
  system_.bodies(at_.ahead_state.bodies);
  write_angles(at_.ahead, at_.ahead_state);
  kinematics().update(model(), at_.ahead_state);
  tell_coordinates(at_.ahead, at_.ahead_state);
  set_before(at_.ahead_state);
  here_.factored = here_.assembled = false;
  here_.ahead = true;
}

// As close(), and left where it is after a few corrections.
void ReducedMechanism::close_ahead() {
  for (int correction = 0; correction < options_.tuning.most_projections_ahead; ++correction) {
    held_.evaluate(kinematics());
    const double left = held_.gap(options_.size).scaled;
    if (left <= options_.tuning.closed_ahead || !std::isfinite(left)) return;
    factor_here();
    if (correction == 0) assemble_held();
    impulses_.b = Eigen::Map<const Eigen::VectorXd>(held_.phi.data(), held_.rows());
    answer_rows();
    tree_.integrate(1, rates_.dv, at_.ahead.q);
    show_ahead();
  }
}

void ReducedMechanism::remember_angles(State& state) const {
  if (!tree_.forest().auxiliary.empty()) {
    dynamics_->coordinates().remember(model(), kinematics(), state);
    return;
  }
  write_angles(at_.now, state);
}

void ReducedMechanism::write_angles(const JointState& from, State& state) const {
  for (const Angle& angle : angles_) {
    double& last = state.joint_angles[angle.joint][static_cast<std::size_t>(angle.coordinate)];
    const double q = from.q[static_cast<std::size_t>(angle.q)] + angle.offset;
    last = angle.counted ? q : with_turns_of(q, last);
  }
}

// Of joints whose coordinates are the rows' own: not of balls, nor of those that close loops. Angles are where write_angles() has put them.
void ReducedMechanism::tell_coordinates(const JointState& from, const State& state) {
  JointCoordinates& coordinates = dynamics_->coordinates();
  for (const CarriedCoordinate& c : carried_) {
    const double value = c.counts ? state.joint_angles[c.joint][static_cast<std::size_t>(c.coordinate)]
                                  : from.q[static_cast<std::size_t>(c.q)] + c.offset;
    coordinates.tell(c.joint, c.coordinate, {value, from.v[static_cast<std::size_t>(c.v)]});
  }
}

// ------------------------------------------------------------------------------------------------------------------ factor

bool ReducedMechanism::carries_inertia(JointId joint) const {
  if (!options_.carries) return false;
  const std::vector<JointId>& loops = tree_.forest().auxiliary;
  return std::find(loops.begin(), loops.end(), joint) == loops.end();
}

bool ReducedMechanism::factor(std::span<const JointArray> inertia) {
  if (!inertia.empty()) {
    for (const ReducedNode& node : tree_.nodes())
      for (int k = 0; node.joint.valid() && k < node.count; ++k)
        rates_.inertia[static_cast<std::size_t>(node.v + k)] = inertia[node.joint][static_cast<std::size_t>(k)];
    system_.set_freedom_inertia(rates_.inertia);
  }
  // The elimination is in place: a second one at the same positions needs the blocks anew.
  if (here_.factored) system_.update(here_.ahead ? at_.ahead : at_.now);
  here_.factored = here_.assembled = false;  // free_motion() factors and solves in one sweep
  return true;
}

// -------------------------------------------------------------------------------------------------------------------- free

void ReducedMechanism::free_motion(double h, bool middle, std::span<const BodyVector> f, std::span<const double> tau) {
  CATENA_ASSERT(f.size() == f_.size() && (tau.empty() || tau.size() == rates_.tau.size()));
  fill_unset(rates_.vdot);
  fill_unset(motion_);
  here_.h = h;
  here_.middle = middle;
  std::copy(f.begin(), f.end(), f_.begin());
  rates_.tau.assign(tau.begin(), tau.end());
  system_.forward(rates_.tau, f_, {}, rates_.vdot);
  here_.factored = true;
  if (held_.rows() > 0) {
    held_.evaluate(kinematics());
    assemble_held();
  }
  // At the middle the mean of the velocities before and after fits the joints.
  for (int i = 0; i < held_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    held_speeds_.before[r] = held_.times(i, before_);
    held_speeds_.target[r] = middle ? 2 * held_.u[r] - held_speeds_.before[r] : held_.u[r];
  }
  answer_held();
}

// rates_.free = θ̇ + h θ̈_f + M⁻¹Gᵀλ with G v as asked for; the motion of the bodies.
void ReducedMechanism::answer_held() {
  for (std::size_t i = 0; i < rates_.free.size(); ++i) rates_.free[i] = at_.now.v[i] + here_.h * rates_.vdot[i];
  if (held_.rows() > 0) {
    system_.motion(rates_.free, p_);
    impulses_.b.resize(held_.rows());
    for (int i = 0; i < held_.rows(); ++i)
      impulses_.b[i] = held_.times(i, p_) - held_speeds_.target[static_cast<std::size_t>(i)];
    answer_rows();
    for (std::size_t i = 0; i < rates_.dv.size(); ++i) rates_.free[i] += rates_.dv[i];
  }
  system_.motion(rates_.free, free_);
  rates_.v = rates_.free;
  impulses_.z = impulses_.z_free;
  std::copy(free_.begin(), free_.end(), motion_.begin());
}

bool ReducedMechanism::refine(double h) {
  if (!here_.middle) return true;
  for (std::size_t i = 0; i < rates_.v.size(); ++i) at_.ahead.v[i] = 0.5 * (at_.now.v[i] + rates_.v[i]);
  system_.update_rates(at_.ahead);
  here_.h = h;
  system_.accelerations(rates_.tau, f_, {}, rates_.vdot);
  at_.ahead.v = at_.now.v;
  answer_held();
  return true;
}

// -------------------------------------------------------------------------------------------------------------------- laws

void ReducedMechanism::assemble(const LawRows& laws, int facets) {
  hold();
  problem_.add_laws(kinematics(), laws, facets);
}

void ReducedMechanism::assemble_rigid(const LawRows& laws) {
  hold();
  problem_.add_rigid_laws(laws);
}

// The free motion meets the held rows already.
void ReducedMechanism::load(const LawRows& laws) {
  impulses_.b.resize(static_cast<Eigen::Index>(laws.rows.size()));
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      impulses_.b[i] = times(laws, block, row, free_) - row.target;
    }
  problem_.load_laws(impulses_.b);
}

void ReducedMechanism::answer(const LawRows& laws, const solve::Vector& z) {
  CATENA_ASSERT(z.size() == static_cast<Eigen::Index>(laws.rows.size()) && z.allFinite());
  const int held = held_.rows();
  factor_here();
  if (held > 0) problem_.answer_of_held(z, impulses_.z_laws);
  std::fill(p_.begin(), p_.end(), BodyVector{});
  for (int i = 0; i < held; ++i) held_.add_force(i, impulses_.z_laws[i], p_);
  add_forces(laws, z, 0, p_);
  system_.respond(p_, rates_.dv);
  system_.motion(rates_.dv, change_);
  for (std::size_t i = 0; i < rates_.v.size(); ++i) rates_.v[i] = rates_.free[i] + rates_.dv[i];
  for (std::size_t i = 0; i < motion_.size(); ++i) motion_[i] = free_[i] + change_[i];
  if (held > 0) impulses_.z = impulses_.z_free + impulses_.z_laws;
}

void ReducedMechanism::set_motion(std::span<const double> rates) {
  std::copy(rates.begin(), rates.end(), rates_.v.begin());
  system_.motion(rates_.v, motion_);
}

// Impulses work with the mean of the velocities before and after, exactly.
double ReducedMechanism::motor_work() {
  double work = 0;
  for (int i = 0; i < held_.rows(); ++i)
    work += 0.5 * impulses_.z[i] *
            (held_speeds_.before[static_cast<std::size_t>(i)] + held_speeds_.target[static_cast<std::size_t>(i)]);
  return work;
}

// Held rows only: joints of the forest leave nothing to check, and momentum is what the recursion solves.
double ReducedMechanism::residual(double /*h*/, std::span<const BodyVector> /*f*/, const LawRows& /*laws*/,
                                  const solve::Vector& /*z*/) {
  double worst = 0, scale = 1e-9;
  for (int i = 0; i < held_.rows(); ++i) {
    const double asked = held_speeds_.target[static_cast<std::size_t>(i)];
    worst = std::max(worst, std::abs(held_.times(i, motion_) - asked));
    scale = std::max(scale, std::abs(asked));
  }
  for (const BodyVector& v : motion_) scale = std::max(scale, std::sqrt(dot(v, v)));
  return worst / scale;
}

// -------------------------------------------------------------------------------------------------------------------- move

void ReducedMechanism::move(double h, bool middle, std::span<const char> /*by_mean*/, State& state) {
  tree_.integrate(middle ? h / 2 : h, rates_.v, middle ? at_.led : at_.now.q);
  if (middle) at_.now.q.swap(at_.led);
  at_.now.v = rates_.v;
  state.time += h;
  put(state);
}

void ReducedMechanism::strike(State& state) {
  for (std::size_t i = 0; i < rates_.dv.size(); ++i) at_.now.v[i] += rates_.dv[i];
  put(state);
}

void ReducedMechanism::nudge(State& state) {
  tree_.integrate(1, rates_.dv, at_.now.q);
  put(state);
}

void ReducedMechanism::keep(const State& /*state*/) { at_.kept = at_.now; }

bool ReducedMechanism::shift(double part, State& state) {
  at_.now = at_.kept;
  tree_.integrate(part, rates_.dv, at_.now.q);
  put(state);
  return true;
}

}  // namespace catena
