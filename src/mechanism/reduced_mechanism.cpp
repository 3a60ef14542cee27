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
      ahead_state_(dynamics.kinematics().state()),
      rate_of_(dynamics.model().joints.size(), -1),
      reaches_(static_cast<std::size_t>(tree_.n_v()), size),
      tau_(reaches_.size()),
      rate_inertia_(reaches_.size()),
      vdot_(rate_inertia_.size()),
      free_v_(vdot_.size()),
      v_(vdot_.size()),
      dv_(vdot_.size()),
      held_target_(static_cast<std::size_t>(held_.rows())),
      held_before_(held_target_.size()),
      f_(dynamics.model().bodies.size()),
      p_(f_.size()) {
  const Model& m = model();
  for (const ReducedNode& node : tree_.nodes()) {
    if (!node.joint.valid()) continue;
    if (carries) rate_of_[node.joint] = node.v;
    for (int k = 0; k < node.count; ++k)
      if (turns(m.joints[node.joint], k)) reaches_[static_cast<std::size_t>(node.v + k)] = 1;
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
}

// ---------------------------------------------------------------------------------------------------------------- position

// The joint coordinates of the state: those it carries, unless its bodies have been put elsewhere since.
void ReducedMechanism::place(State& state) {
  if (is_placed(state)) return;
  const bool carried = state.q.size() == static_cast<std::size_t>(tree_.n_q()) && state.qd.size() == v_.size();
  if (carried) {
    now_.q = state.q;
    now_.v = state.qd;
    given_ = state.bodies;
    put(state);
    if (same(given_, state.bodies)) return;
    state.bodies = given_;
  }
  kinematics().update(model(), state);
  tree_.read(kinematics(), now_);
  put(state);
}

bool ReducedMechanism::is_placed(const State& state) const {
  return kinematics().stamp() == stamp_ && &kinematics().state() == &state && state.q == now_.q && state.qd == now_.v &&
         same(state.bodies, placed_);
}

// The bodies where the coordinates say, and everything that depends on it.
void ReducedMechanism::put(State& state) {
  system_.update(now_);
  here_.factored = here_.ahead = here_.assembled = false;
  show(state);
}

void ReducedMechanism::show(State& state) {
  system_.bodies(state.bodies);
  state.q = now_.q;
  state.qd = now_.v;
  write_angles(now_, state);  // where a search for the coordinates of a compound joint begins
  kinematics().update(model(), state);
  tell_coordinates(now_, state);
  set_before(state);
  stamp_ = kinematics().stamp();
  placed_ = state.bodies;
}

void ReducedMechanism::look_ahead(double t, const State& state) {
  ahead_ = now_;
  tree_.integrate(t, now_.v, ahead_.q);
  system_.update(ahead_);
  system_.bodies(ahead_state_.bodies);
  ahead_state_.time = state.time + t;
  ahead_state_.joint_angles = state.joint_angles;
  ahead_state_.guides = state.guides;
  write_angles(ahead_, ahead_state_);
  kinematics().update(model(), ahead_state_);
  tell_coordinates(ahead_, ahead_state_);
  set_before(ahead_state_);
  here_.factored = here_.assembled = false;
  here_.ahead = true;
}

void ReducedMechanism::remember_angles(State& state) const {
  if (!tree_.forest().auxiliary.empty()) {
    dynamics_->coordinates().remember(model(), kinematics(), state);
    return;
  }
  write_angles(now_, state);
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
        rate_inertia_[static_cast<std::size_t>(node.v + k)] = inertia[node.joint][static_cast<std::size_t>(k)];
    system_.set_freedom_inertia(rate_inertia_);
  }
  // The elimination is in place: a second one at the same positions needs the blocks anew.
  if (here_.factored) system_.update(here_.ahead ? ahead_ : now_);
  here_.factored = here_.assembled = false;  // free_motion() factors and solves in one sweep
  return true;
}

// -------------------------------------------------------------------------------------------------------------------- free

void ReducedMechanism::free_motion(double h, bool middle, std::span<const BodyVector> f, std::span<const double> tau) {
  CATENA_ASSERT(f.size() == f_.size() && (tau.empty() || tau.size() == tau_.size()));
  fill_unset(vdot_);
  fill_unset(motion_);
  h_ = h;
  here_.middle = middle;
  std::copy(f.begin(), f.end(), f_.begin());
  tau_.assign(tau.begin(), tau.end());
  system_.forward(tau_, f_, {}, vdot_);
  here_.factored = true;
  if (held_.rows() > 0) {
    held_.evaluate(kinematics());
    assemble_held();
  }
  // At the middle the mean of the velocities before and after fits the joints.
  for (int i = 0; i < held_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    held_before_[r] = held_.times(i, before_);
    held_target_[r] = middle ? 2 * held_.u[r] - held_before_[r] : held_.u[r];
  }
  answer_held();
}

// free_v_ = θ̇ + h θ̈_f + M⁻¹Gᵀλ with G v as asked for; the motion of the bodies.
void ReducedMechanism::answer_held() {
  for (std::size_t i = 0; i < free_v_.size(); ++i) free_v_[i] = now_.v[i] + h_ * vdot_[i];
  if (held_.rows() > 0) {
    system_.motion(free_v_, p_);
    b_.resize(held_.rows());
    for (int i = 0; i < held_.rows(); ++i) b_[i] = held_.times(i, p_) - held_target_[static_cast<std::size_t>(i)];
    answer_rows();
    for (std::size_t i = 0; i < dv_.size(); ++i) free_v_[i] += dv_[i];
  }
  system_.motion(free_v_, free_);
  v_ = free_v_;
  z_ = z_free_;
  std::copy(free_.begin(), free_.end(), motion_.begin());
}

bool ReducedMechanism::refine(double h) {
  if (!here_.middle) return true;
  for (std::size_t i = 0; i < v_.size(); ++i) ahead_.v[i] = 0.5 * (now_.v[i] + v_[i]);
  system_.update_rates(ahead_);
  h_ = h;
  system_.accelerations(tau_, f_, {}, vdot_);
  ahead_.v = now_.v;
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
  b_.resize(static_cast<Eigen::Index>(laws.rows.size()));
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      b_[i] = times(block, row, free_) - row.target;
    }
  problem_.load_laws(b_);
}

void ReducedMechanism::answer(const LawRows& laws, const solve::Vector& z) {
  CATENA_ASSERT(z.size() == static_cast<Eigen::Index>(laws.rows.size()) && z.allFinite());
  const int held = held_.rows();
  factor_here();
  if (held > 0) problem_.answer_of_held(z, z_laws_);
  std::fill(p_.begin(), p_.end(), BodyVector{});
  for (int i = 0; i < held; ++i) held_.add_force(i, z_laws_[i], p_);
  add_forces(laws, z, 0, p_);
  system_.respond(p_, dv_);
  system_.motion(dv_, change_);
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = free_v_[i] + dv_[i];
  for (std::size_t i = 0; i < motion_.size(); ++i) motion_[i] = free_[i] + change_[i];
  if (held > 0) z_ = z_free_ + z_laws_;
}

void ReducedMechanism::set_motion(std::span<const double> rates) {
  std::copy(rates.begin(), rates.end(), v_.begin());
  system_.motion(v_, motion_);
}

// Impulses work with the mean of the velocities before and after, exactly.
double ReducedMechanism::motor_work() {
  double work = 0;
  for (int i = 0; i < held_.rows(); ++i)
    work += 0.5 * z_[i] * (held_before_[static_cast<std::size_t>(i)] + held_target_[static_cast<std::size_t>(i)]);
  return work;
}

// Held rows only: joints of the forest leave nothing to check, and momentum is what the recursion solves.
double ReducedMechanism::residual(double /*h*/, std::span<const BodyVector> /*f*/, const LawRows& /*laws*/,
                                  const solve::Vector& /*z*/) {
  double worst = 0, scale = 1e-9;
  for (int i = 0; i < held_.rows(); ++i) {
    const double asked = held_target_[static_cast<std::size_t>(i)];
    worst = std::max(worst, std::abs(held_.times(i, motion_) - asked));
    scale = std::max(scale, std::abs(asked));
  }
  for (const BodyVector& v : motion_) scale = std::max(scale, std::sqrt(dot(v, v)));
  return worst / scale;
}

// -------------------------------------------------------------------------------------------------------------------- move

void ReducedMechanism::move(double h, bool middle, std::span<const char> /*by_mean*/, State& state) {
  tree_.integrate(middle ? h / 2 : h, v_, middle ? ahead_.q : now_.q);
  if (middle) now_.q.swap(ahead_.q);
  now_.v = v_;
  state.time += h;
  put(state);
}

void ReducedMechanism::strike(State& state) {
  for (std::size_t i = 0; i < dv_.size(); ++i) now_.v[i] += dv_[i];
  put(state);
}

void ReducedMechanism::nudge(State& state) {
  tree_.integrate(1, dv_, now_.q);
  put(state);
}

void ReducedMechanism::keep(const State& /*state*/) { kept_ = now_; }

bool ReducedMechanism::shift(double part, State& state) {
  now_ = kept_;
  tree_.integrate(part, dv_, now_.q);
  put(state);
  return true;
}

}  // namespace catena
