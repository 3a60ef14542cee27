#include "catena/mechanism/maximal_mechanism.h"

#include <algorithm>

#include "catena/joints/row_rhs.h"
#include "catena/math/assert.h"
#include "catena/mechanism/operational_problem.h"
#include "catena/model/displacements.h"

namespace catena {
namespace {

BodyState with_velocity(const BodyVector& v, BodyState body) {
  body.velocity = v.linear;
  body.angular_velocity = v.angular;
  body.scale_velocity = v.scale;
  return body;
}

}  // namespace

MaximalMechanism::MaximalMechanism(Dynamics& dynamics, Projection& projection, const Options& options)
    : Mechanism(dynamics),
      options_(options),
      projection_(&projection),
      problem_(dynamics.model()),
      f_(dynamics.model().bodies.size()),
      spin_(f_.size()),
      scratch_(f_.size()),
      pushed_(f_.size()),
      b_(static_cast<std::size_t>(dynamics.row_count())),
      lambda_(b_.size()),
      lambda_free_(b_.size()),
      extra_(b_.size()),
      zero_(b_.size()),
      rotors_(dynamics.model().joints.size()) {
  const Model& m = dynamics.model();
  driven_ =
      std::any_of(m.joints.begin(), m.joints.end(), [&](const Joint& joint) { return prescribes_velocity(m, joint); });
  sweeps_ = options.sweep_joints;
  late_ = dynamics.system().multipliers_cost_extra() && !options.geometric_stiffness;
  if (options.geometric_stiffness) stiffness_ = std::make_unique<GeometricStiffness>(m);
  for (std::size_t j = 0; j < rotors_.size(); ++j)
    for (int k = 0; carries_inertia(JointId(j)) && k < coordinate_count(m.joints[j]); ++k)
      rotors_[j][static_cast<std::size_t>(k)] = coordinate_law(m.joints[j], m.extras_of(m.joints[j]), k).armature;
}

void MaximalMechanism::place(State& state) {
  tried_ = false;
  kinematics().update(model(), state);
  set_before(state);
}

void MaximalMechanism::look_ahead(double t, const State& state) {
  ahead_.time = state.time + t;
  ahead_.bodies = state.bodies;
  ahead_.joint_angles = state.joint_angles;
  ahead_.guides = state.guides;
  for (std::size_t i = 0; i < ahead_.bodies.size(); ++i) scratch_[i] = t * velocity_of(state.bodies[i]);
  displace_all(model(), scratch_, ahead_.bodies);
  ConstraintSystem& system = dynamics_->system();
  if (options_.project && system.prefers_closed_states()) {
    // By a factorisation at the state itself, with the rotors but without what dampers and servos of other steps have left along the joints, so that
    // the motion depends on nothing else; where a step goes on from its own middle without having closed its joints, or is taken again because it was too
    // long, by that of the middle.
    bool factored = is_moved(state) || tried_;
    if (!factored) {
      kinematics().update(model(), state);
      if (!inertia_.empty()) system.set_freedom_inertia(rotors_);
      factored = system.factor(kinematics(), true);
    }
    if (factored) projection_->approach(ahead_, options_.tuning.most_projections_ahead, options_.tuning.closed_ahead);
  }
  kinematics().update(model(), ahead_);
}

// Where the last move() left it, joints not closed since.
bool MaximalMechanism::is_moved(const State& state) const { return moved_to_ == state.time; }

bool MaximalMechanism::carries_inertia(JointId joint) const {
  return !options_.sweep_joints && dynamics_->system().carries_inertia(joint);
}

bool MaximalMechanism::factor(std::span<const JointArray> inertia) {
  if (sweeps_ || b_.empty()) return true;
  set_inertia(inertia);
  if (!inertia.empty()) dynamics_->system().set_freedom_inertia(inertia);
  tried_ =
      !stiffness_ && std::all_of(inertia.begin(), inertia.end(), [](const JointArray& a) { return a == JointArray{}; });
  return dynamics_->system().factor(kinematics(), false);
}

void MaximalMechanism::free_motion(double h, bool middle, std::span<const BodyVector> f,
                                   std::span<const double> /*tau*/) {
  CATENA_ASSERT(f.size() == f_.size());
  fill_unset(free_);
  fill_unset(motion_);
  middle_here_ = middle;
  stiff_ = false;
  std::copy(f.begin(), f.end(), f_.begin());
  for (std::size_t i = 0; i < spin_.size(); ++i) spin_[i] = velocity_force(model(), kinematics(), BodyId(i));
  if (options_.pull) drop_fast_gyration(h);
  joint_targets(h);
  // Gyroscopic forces are solved for again at the mean velocities: until then the motion need not be exact.
  rough_ = middle && !stiffness_ && !late_ && gyrates();
  solve_free(h);
}

// Where no step is refused: of bodies that turn farther in it than their angular velocity can be followed, gyroscopic forces would make energy, part after part.
// They turn on about the axis they turn about.
void MaximalMechanism::drop_fast_gyration(double h) {
  for (std::size_t i = 0; i < spin_.size(); ++i) {
    const BodyVector change =
        inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), restricted(model().bodies[i].kind, spin_[i]));
    if (!(h * norm(change.angular) <= norm(before_[i].angular))) spin_[i] = {};
  }
}

bool MaximalMechanism::gyrates() const {
  return std::any_of(spin_.begin(), spin_.end(),
                     [](const BodyVector& s) { return !(s.linear == Vec3{}) || !(s.angular == Vec3{}); });
}

// What G dv must be: q − G v.
void MaximalMechanism::joint_targets(double h) {
  if (b_.empty()) return;
  dynamics_->system().velocity_rhs(kinematics(), b_);
  if (middle_here_) {
    if (!stiff_)
      for (double& b : b_) b *= 2;
    return;
  }
  if (options_.project && !options_.pull && !sweeps_) return;
  dynamics_->system().position_rhs(kinematics(), extra_);
  const RowSet& rows = dynamics_->rows();
  const double upsilon = 1 / (1 + 4 * options_.relaxation);
  for (std::size_t i = 0; i < b_.size(); ++i)
    if (rows.holonomic[i]) b_[i] = (4 / h) * upsilon * extra_[i] + (1 - upsilon) * b_[i];
}

void MaximalMechanism::solve_free(double h) {
  h_ = h;
  known_ = true;
  std::fill(pushed_.begin(), pushed_.end(), BodyVector{});
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_[i] = h * (f_[i] + spin_[i]);
    if (stiff_) free_[i] += stiffness_->damping(BodyId(i));
  }
  if (b_.empty() || sweeps_) {
    for (std::size_t i = 0; i < free_.size(); ++i)
      free_[i] = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), free_[i]);
  } else {
    // The stiffness of joint forces is that of the smallest ones; otherwise any will do.
    if (stiffness_) dynamics_->system().solve(b_, free_, lambda_free_);
    else
      dynamics_->system().solve_any(b_, free_, rough_ || late_ ? std::span<double>() : std::span<double>(lambda_free_));
    known_ = !late_;
    std::copy(lambda_free_.begin(), lambda_free_.end(), lambda_.begin());
  }
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = before_[i] + restricted(model().bodies[i].kind, free_[i]);
  std::copy(free_.begin(), free_.end(), motion_.begin());
}

BodyVector MaximalMechanism::mean_gyration(std::size_t body) const {
  if (const FormPlacement* at = kinematics().form(BodyId(body))) [[unlikely]] {
    const auto middle = [&](BodyId i) { return 0.5 * (before_[i] + motion_[i]); };
    const BodyVector own = middle(at->own);
    return form_velocity_force(*at, kinematics().R(at->frame), BodyId(body) == at->frame, middle(at->frame).angular,
                               own_numbers(own.linear, own.angular));
  }
  const BodyState mean = with_velocity(0.5 * (before_[body] + motion_[body]), kinematics().body(BodyId(body)));
  return velocity_force(model().bodies[body], kinematics().M(BodyId(body)), mean);
}

double MaximalMechanism::gyration_change(double h) const {
  double most = 0;
  for (std::size_t i = 0; i < spin_.size(); ++i) {
    const BodyVector force = restricted(model().bodies[i].kind, mean_gyration(i) - spin_[i]);
    const BodyVector change = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), force);
    most = std::max(most, h * norm(change.angular));
  }
  return most;
}

bool MaximalMechanism::refine(double h) {
  if (!stiffness_ && !rough_ && gyration_change(h) <= kStill) return true;  // the motion is the answer already
  rough_ = false;
  if (late_ && !sweeps_ && !b_.empty()) {
    change_spin(h);
    return true;
  }
  for (std::size_t i = 0; i < spin_.size(); ++i) spin_[i] = mean_gyration(i);
  if (stiffness_ && middle_here_ && !stiff_ && !sweeps_) {
    stiff_ = stiffness_->evaluate(h, kinematics(), dynamics_->rows(), lambda_, before_);
    if (stiff_) {
      stiffness_->raise(kinematics());
      if (!dynamics_->system().factor(kinematics(), false)) return false;
      joint_targets(h);
    }
  }
  solve_free(h);
  return true;
}

// Gyroscopic forces of the mean velocities: the free motion and what the difference adds, of which no row asks for anything.
void MaximalMechanism::change_spin(double h) {
  for (std::size_t i = 0; i < spin_.size(); ++i) {
    const BodyVector mean = mean_gyration(i);
    scratch_[i] = h * (mean - spin_[i]);
    spin_[i] = mean;
  }
  std::fill(pushed_.begin(), pushed_.end(), BodyVector{});
  dynamics_->system().solve_any(zero_, scratch_, {});
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] += restricted(model().bodies[i].kind, scratch_[i]);
  std::copy(free_.begin(), free_.end(), motion_.begin());
  known_ = false;
}

void MaximalMechanism::assemble(const LawRows& laws, int facets) {
  if (sweeps_) {
    swept_ = &dynamics_->rows();
    problem_.assemble_all(kinematics(), *swept_, zero_, laws);
  } else {
    problem_.assemble(kinematics(), dynamics_->system(), laws);
    problem_.release_immobile_rows(kinematics(), laws);
  }
  if (facets > 0) use_pyramids(problem().blocks, facets);
}

void MaximalMechanism::assemble_rigid(const LawRows& laws) {
  problem_.assemble(kinematics(), dynamics_->system(), laws);
}

void MaximalMechanism::load(const LawRows& laws) {
  const int joints = first_row();
  solve::Vector& b = problem().b;
  b.resize(joints + static_cast<Eigen::Index>(laws.rows.size()));
  for (int i = 0; i < joints; ++i) {
    const auto r = static_cast<std::size_t>(i);
    b[i] = swept_->times(i, free_) - swept_->times(i, before_) - b_[r];
  }
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      b[joints + i] = times(block, row, free_) - row.target;
    }
}

void MaximalMechanism::answer(const LawRows& laws, const solve::Vector& z) {
  CATENA_ASSERT(z.size() == first_row() + static_cast<Eigen::Index>(laws.rows.size()) && z.allFinite());
  std::fill(change_.begin(), change_.end(), BodyVector{});
  const int joints = first_row();
  for (int i = 0; i < joints; ++i) {
    swept_->add_force(i, z[i], change_);
    lambda_[static_cast<std::size_t>(i)] = z[i];
  }
  add_forces(laws, z, joints, change_);
  if (b_.empty() || sweeps_) {
    for (std::size_t i = 0; i < change_.size(); ++i)
      change_[i] = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), change_[i]);
  } else if (late_) {
    std::copy(change_.begin(), change_.end(), pushed_.begin());
    dynamics_->system().solve_any(zero_, change_, {});
    known_ = false;
  } else {
    dynamics_->system().solve_any(zero_, change_, extra_);
    for (std::size_t i = 0; i < lambda_.size(); ++i) lambda_[i] = lambda_free_[i] + extra_[i];
  }
  for (std::size_t i = 0; i < change_.size(); ++i) {
    change_[i] = restricted(model().bodies[i].kind, change_[i]);
    motion_[i] = free_[i] + change_[i];
  }
}

// Of the whole step at once. The motion is known: what it leaves of the forces is balanced by the joints, without a motion.
void MaximalMechanism::find_multipliers() {
  if (known_) return;
  const bool bare =
      std::all_of(inertia_.begin(), inertia_.end(), [](const JointArray& along) { return along == JointArray{}; });
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    scratch_[i] = h_ * (f_[i] + spin_[i]) + pushed_[i];
    if (bare)
      scratch_[i] =
          restricted(model().bodies[i].kind, scratch_[i] - kinematics().M(BodyId(i)) * (motion_[i] - before_[i]));
  }
  dynamics_->system().solve_any(bare ? zero_ : b_, scratch_, lambda_);
  known_ = true;
}

// Impulses of rows with a velocity of their own work at it.
double MaximalMechanism::motor_work() {
  if (!driven_) return 0;
  find_multipliers();
  const RowSet& rows = dynamics_->rows_here();
  double work = 0;
  for (std::size_t i = 0; i < lambda_.size(); ++i) work += lambda_[i] * rows.u[i];
  return work;
}

double MaximalMechanism::residual(double h, std::span<const BodyVector> f, const LawRows& laws,
                                  const solve::Vector& z) {
  if (b_.empty() || stiff_) return 0;
  find_multipliers();
  const int joints = first_row();
  for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = h * (f[i] + spin_[i]);
  add_forces(laws, z, joints, scratch_);
  for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = motion_[i] - before_[i];
  subtract_inertia(change_, scratch_);
  spin_.swap(scratch_);
  return catena::residual(model(), kinematics(), dynamics_->rows_here(), spin_, b_, change_, lambda_, scratch_).worst();
}

void MaximalMechanism::move(double h, bool middle, std::span<const char> by_mean, State& state) {
  CATENA_ASSERT(state.bodies.size() == motion_.size() && (by_mean.empty() || by_mean.size() == motion_.size()));
  const auto is_mean = [&](std::size_t i) { return by_mean.empty() ? middle : by_mean[i] != 0; };
  if (by_mean.empty() && middle) {
    for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] = (h / 2) * before_[i];
    displace_all(model(), scratch_, state.bodies);
  }
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    const BodyKind kind = model().bodies[i].kind;
    BodyState& s = state.bodies[i];
    if (!by_mean.empty() && is_mean(i)) displace(kind, (h / 2) * before_[i], s);
    add_velocity(kind, motion_[i] - before_[i], s);
    scratch_[i] = (is_mean(i) ? h / 2 : h) * velocity_of(s);
  }
  displace_all(model(), scratch_, state.bodies);
  state.time += h;
  tried_ = false;
  moved_to_ = state.time;
  kinematics().update(model(), state);
}

void MaximalMechanism::strike(State& state) {
  for (std::size_t i = 0; i < change_.size(); ++i) add_velocity(model().bodies[i].kind, change_[i], state.bodies[i]);
  place(state);
}

void MaximalMechanism::nudge(State& state) {
  for (std::size_t i = 0; i < change_.size(); ++i) displace(model().bodies[i].kind, change_[i], state.bodies[i]);
  place(state);
}

bool MaximalMechanism::shift(double part, State& state) {
  state.bodies = kept_;
  if (part != 0) {
    for (std::size_t i = 0; i < change_.size(); ++i)
      displace(model().bodies[i].kind, part * change_[i], state.bodies[i]);
    if (!(close_positions(state).scaled <= options_.tuning.closed)) {
      state.bodies = kept_;
      place(state);
      return false;
    }
  }
  place(state);
  return true;
}

// What is left; nothing where joints are not projected.
Drift MaximalMechanism::close_positions(State& state) {
  if (!options_.project || sweeps_ || b_.empty()) return {};
  projection_->raise(stiff_ ? stiffness_.get() : nullptr);
  Drift left = projection_->positions(state, false, options_.tuning.most_projections);
  if (!(left.scaled <= options_.tuning.closed))
    left = projection_->positions(state, true, options_.tuning.most_projections);
  projection_->raise(nullptr);
  return left;
}

Closing MaximalMechanism::close(State& state) {
  Closing closing;
  moved_to_.reset();
  tried_ = false;
  const bool stiff = stiff_;
  if (!b_.empty()) {
    const bool projects = options_.project && !sweeps_;
    if (options_.pull) kept_ = state.bodies;
    Drift left = projects ? close_positions(state) : projection_->drift(state);
    closing.closed = !projects || left.scaled <= options_.tuning.closed;
    if (options_.pull && !closing.closed) {
      state.bodies = kept_;
      left = projection_->drift(state);
    }
    if (projects && middle_here_ && closing.closed) {
      // In the metric of bodies and rotors, by a factorisation that the next step begins with.
      if (!inertia_.empty()) dynamics_->system().set_freedom_inertia(rotors_);
      projection_->raise(stiff ? stiffness_.get() : nullptr);
      closing.closed = projection_->velocities(state);
      projection_->raise(nullptr);
    }
    closing.position = left.position;
    closing.angle = left.angle;
    closing.worst = left.worst;
    place(state);
  }
  set_before(state);
  return closing;
}

}  // namespace catena
