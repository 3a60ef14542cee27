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
      rotors_(dynamics.model().joints.size()) {
  for (auto* bodies : {&forces_.f, &forces_.spin, &forces_.scratch, &forces_.pushed})
    bodies->resize(dynamics.model().bodies.size());
  for (auto* rows : {&rows_.b, &rows_.lambda, &rows_.lambda_free, &rows_.extra, &rows_.zero})
    rows->resize(static_cast<std::size_t>(dynamics.row_count()));
  const Model& m = dynamics.model();
  joints_.driven =
      std::any_of(m.joints.begin(), m.joints.end(), [&](const Joint& joint) { return prescribes_velocity(m, joint); });
  joints_.sweeps = options.sweep_joints;
  joints_.late = dynamics.system().multipliers_cost_extra() && !options.geometric_stiffness;
  if (options.geometric_stiffness) stiffness_ = std::make_unique<GeometricStiffness>(m);
  for (std::size_t j = 0; j < rotors_.size(); ++j)
    for (int k = 0; carries_inertia(JointId(j)) && k < coordinate_count(m.joints[j]); ++k)
      rotors_[j][static_cast<std::size_t>(k)] = coordinate_law(m.joints[j], m.extras_of(m.joints[j]), k).armature;
}

void MaximalMechanism::place(State& state) {
  step_.tried = false;
  kinematics().update(model(), state);
  set_before(state);
}

void MaximalMechanism::look_ahead(double t, const State& state) {
  ahead_.time = state.time + t;
  ahead_.bodies = state.bodies;
  ahead_.joint_angles = state.joint_angles;
  ahead_.guides = state.guides;
  for (std::size_t i = 0; i < ahead_.bodies.size(); ++i) forces_.scratch[i] = t * velocity_of(state.bodies[i]);
  displace_all(model(), forces_.scratch, ahead_.bodies);
  ConstraintSystem& system = dynamics_->system();
  if (options_.project && system.prefers_closed_states()) {
    // By a factorisation at the state itself, with the rotors but without what dampers and servos of other steps have left along the joints, so that
    // the motion depends on nothing else; where a step goes on from its own middle without having closed its joints, or is taken again because it was too
    // long, by that of the middle.
    bool factored = is_moved(state) || step_.tried;
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
bool MaximalMechanism::is_moved(const State& state) const { return step_.moved_to == state.time; }

bool MaximalMechanism::carries_inertia(JointId joint) const {
  return !options_.sweep_joints && dynamics_->system().carries_inertia(joint);
}

bool MaximalMechanism::factor(std::span<const JointArray> inertia) {
  if (joints_.sweeps || rows_.b.empty()) return true;
  set_inertia(inertia);
  if (!inertia.empty()) dynamics_->system().set_freedom_inertia(inertia);
  step_.tried =
      !stiffness_ && std::all_of(inertia.begin(), inertia.end(), [](const JointArray& a) { return a == JointArray{}; });
  return dynamics_->system().factor(kinematics(), false);
}

void MaximalMechanism::free_motion(double h, bool middle, std::span<const BodyVector> f,
                                   std::span<const double> /*tau*/) {
  CATENA_ASSERT(f.size() == forces_.f.size());
  fill_unset(free_);
  fill_unset(motion_);
  step_.middle = middle;
  step_.stiff = false;
  std::copy(f.begin(), f.end(), forces_.f.begin());
  for (std::size_t i = 0; i < forces_.spin.size(); ++i)
    forces_.spin[i] = velocity_force(model(), kinematics(), BodyId(i));
  if (options_.pull) drop_fast_gyration(h);
  joint_targets(h);
  // Gyroscopic forces are solved for again at the mean velocities: until then the motion need not be exact.
  step_.rough = middle && !stiffness_ && !joints_.late && gyrates();
  solve_free(h);
}

// Where no step is refused: of bodies that turn farther in it than their angular velocity can be followed, gyroscopic forces would make energy, part after part.
// They turn on about the axis they turn about.
void MaximalMechanism::drop_fast_gyration(double h) {
  for (std::size_t i = 0; i < forces_.spin.size(); ++i) {
    const BodyVector change = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)),
                                            restricted(model().bodies[i].kind, forces_.spin[i]));
    if (!(h * norm(change.angular) <= norm(before_[i].angular))) forces_.spin[i] = {};
  }
}

bool MaximalMechanism::gyrates() const {
  return std::any_of(forces_.spin.begin(), forces_.spin.end(),
                     [](const BodyVector& s) { return !(s.linear == Vec3{}) || !(s.angular == Vec3{}); });
}

// What G dv must be: q − G v.
void MaximalMechanism::joint_targets(double h) {
  if (rows_.b.empty()) return;
  dynamics_->system().velocity_rhs(kinematics(), rows_.b);
  if (step_.middle) {
    if (!step_.stiff)
      for (double& b : rows_.b) b *= 2;
    return;
  }
  if (options_.project && !options_.pull && !joints_.sweeps) return;
  dynamics_->system().position_rhs(kinematics(), rows_.extra);
  const RowSet& rows = dynamics_->rows();
  const double upsilon = 1 / (1 + 4 * options_.relaxation);
  for (std::size_t i = 0; i < rows_.b.size(); ++i)
    if (rows.holonomic[i]) rows_.b[i] = (4 / h) * upsilon * rows_.extra[i] + (1 - upsilon) * rows_.b[i];
}

void MaximalMechanism::solve_free(double h) {
  step_.h = h;
  step_.known = true;
  std::fill(forces_.pushed.begin(), forces_.pushed.end(), BodyVector{});
  for (std::size_t i = 0; i < free_.size(); ++i) {
    free_[i] = h * (forces_.f[i] + forces_.spin[i]);
    if (step_.stiff) free_[i] += stiffness_->damping(BodyId(i));
  }
  if (rows_.b.empty() || joints_.sweeps) {
    for (std::size_t i = 0; i < free_.size(); ++i)
      free_[i] = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), free_[i]);
  } else {
    // The stiffness of joint forces is that of the smallest ones; otherwise any will do.
    if (stiffness_) dynamics_->system().solve(rows_.b, free_, rows_.lambda_free);
    else
      dynamics_->system().solve_any(
          rows_.b, free_, step_.rough || joints_.late ? std::span<double>() : std::span<double>(rows_.lambda_free));
    step_.known = !joints_.late;
    std::copy(rows_.lambda_free.begin(), rows_.lambda_free.end(), rows_.lambda.begin());
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

// Of all bodies, or of those up to the first that changes by more than enough.
double MaximalMechanism::gyration_change(double h, double enough) const {
  double most = 0;
  for (std::size_t i = 0; i < forces_.spin.size() && most <= enough; ++i) {
    const BodyKind kind = model().bodies[i].kind;
    const BodyVector force = restricted(kind, mean_gyration(i) - forces_.spin[i]);
    most = std::max(most, h * norm(inverse_times(kind, kinematics().M(BodyId(i)), force).angular));
  }
  return most;
}

bool MaximalMechanism::refine(double h) {
  // The motion may be the answer already.
  if (!stiffness_ && !step_.rough && gyration_change(h, kStill) <= kStill) return true;
  step_.rough = false;
  if (joints_.late && !joints_.sweeps && !rows_.b.empty()) {
    change_spin(h);
    return true;
  }
  for (std::size_t i = 0; i < forces_.spin.size(); ++i) forces_.spin[i] = mean_gyration(i);
  if (stiffness_ && step_.middle && !step_.stiff && !joints_.sweeps) {
    step_.stiff = stiffness_->evaluate(h, kinematics(), dynamics_->rows(), rows_.lambda, before_);
    if (step_.stiff) {
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
  for (std::size_t i = 0; i < forces_.spin.size(); ++i) {
    const BodyVector mean = mean_gyration(i);
    forces_.scratch[i] = h * (mean - forces_.spin[i]);
    forces_.spin[i] = mean;
  }
  std::fill(forces_.pushed.begin(), forces_.pushed.end(), BodyVector{});
  dynamics_->system().solve_any(rows_.zero, forces_.scratch, {});
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] += restricted(model().bodies[i].kind, forces_.scratch[i]);
  std::copy(free_.begin(), free_.end(), motion_.begin());
  step_.known = false;
}

void MaximalMechanism::assemble(const LawRows& laws, int facets) {
  if (joints_.sweeps) {
    joints_.swept = &dynamics_->rows();
    problem_.assemble_all(kinematics(), *joints_.swept, rows_.zero, laws);
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
    b[i] = joints_.swept->times(i, free_) - joints_.swept->times(i, before_) - rows_.b[r];
  }
  for (const LawBlock& block : laws.blocks)
    for (int i = block.first; i < block.first + block.size; ++i) {
      const LawRow& row = laws.rows[static_cast<std::size_t>(i)];
      b[joints + i] = times(laws, block, row, free_) - row.target;
    }
}

void MaximalMechanism::answer(const LawRows& laws, const solve::Vector& z) {
  CATENA_ASSERT(z.size() == first_row() + static_cast<Eigen::Index>(laws.rows.size()) && z.allFinite());
  std::fill(change_.begin(), change_.end(), BodyVector{});
  const int joints = first_row();
  for (int i = 0; i < joints; ++i) {
    joints_.swept->add_force(i, z[i], change_);
    rows_.lambda[static_cast<std::size_t>(i)] = z[i];
  }
  add_forces(laws, z, joints, change_);
  if (rows_.b.empty() || joints_.sweeps) {
    for (std::size_t i = 0; i < change_.size(); ++i)
      change_[i] = inverse_times(model().bodies[i].kind, kinematics().M(BodyId(i)), change_[i]);
  } else if (joints_.late) {
    std::copy(change_.begin(), change_.end(), forces_.pushed.begin());
    dynamics_->system().solve_any(rows_.zero, change_, {});
    step_.known = false;
  } else {
    dynamics_->system().solve_any(rows_.zero, change_, rows_.extra);
    for (std::size_t i = 0; i < rows_.lambda.size(); ++i) rows_.lambda[i] = rows_.lambda_free[i] + rows_.extra[i];
  }
  for (std::size_t i = 0; i < change_.size(); ++i) {
    change_[i] = restricted(model().bodies[i].kind, change_[i]);
    motion_[i] = free_[i] + change_[i];
  }
}

// Of the whole step at once, whose motion is known.
void MaximalMechanism::find_multipliers() {
  if (step_.known) return;
  for (std::size_t i = 0; i < forces_.scratch.size(); ++i) {
    const BodyKind kind = model().bodies[i].kind;
    forces_.scratch[i] = restricted(kind, step_.h * (forces_.f[i] + forces_.spin[i]) + forces_.pushed[i]);
    change_[i] = restricted(kind, motion_[i] - before_[i]);
  }
  if (!catena::find_multipliers(dynamics_->system(), forces_.scratch, change_, rows_.lambda))
    dynamics_->system().solve_any(rows_.b, forces_.scratch, rows_.lambda);
  step_.known = true;
}

// Impulses of rows with a velocity of their own work at it.
double MaximalMechanism::motor_work() {
  if (!joints_.driven) return 0;
  find_multipliers();
  const RowSet& rows = dynamics_->rows_here();
  double work = 0;
  for (std::size_t i = 0; i < rows_.lambda.size(); ++i) work += rows_.lambda[i] * rows.u[i];
  return work;
}

double MaximalMechanism::residual(double h, std::span<const BodyVector> f, const LawRows& laws,
                                  const solve::Vector& z) {
  if (rows_.b.empty() || step_.stiff) return 0;
  find_multipliers();
  const int joints = first_row();
  for (std::size_t i = 0; i < forces_.scratch.size(); ++i) forces_.scratch[i] = h * (f[i] + forces_.spin[i]);
  add_forces(laws, z, joints, forces_.scratch);
  for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = motion_[i] - before_[i];
  subtract_inertia(change_, forces_.scratch);
  forces_.spin.swap(forces_.scratch);
  return catena::residual(model(), kinematics(), dynamics_->rows_here(), forces_.spin, rows_.b, change_, rows_.lambda,
                          forces_.scratch)
      .worst();
}

void MaximalMechanism::move(double h, bool middle, std::span<const char> by_mean, State& state) {
  CATENA_ASSERT(state.bodies.size() == motion_.size() && (by_mean.empty() || by_mean.size() == motion_.size()));
  const auto is_mean = [&](std::size_t i) { return by_mean.empty() ? middle : by_mean[i] != 0; };
  if (by_mean.empty() && middle) {
    for (std::size_t i = 0; i < forces_.scratch.size(); ++i) forces_.scratch[i] = (h / 2) * before_[i];
    displace_all(model(), forces_.scratch, state.bodies);
  }
  for (std::size_t i = 0; i < forces_.scratch.size(); ++i) {
    const BodyKind kind = model().bodies[i].kind;
    BodyState& s = state.bodies[i];
    if (!by_mean.empty() && is_mean(i)) displace(kind, (h / 2) * before_[i], s);
    add_velocity(kind, motion_[i] - before_[i], s);
    forces_.scratch[i] = (is_mean(i) ? h / 2 : h) * velocity_of(s);
  }
  displace_all(model(), forces_.scratch, state.bodies);
  state.time += h;
  step_.tried = false;
  step_.moved_to = state.time;
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
  if (!options_.project || joints_.sweeps || rows_.b.empty()) return {};
  projection_->raise(step_.stiff ? stiffness_.get() : nullptr);
  Drift left = projection_->positions(state, false, options_.tuning.most_projections);
  if (!(left.scaled <= options_.tuning.closed))
    left = projection_->positions(state, true, options_.tuning.most_projections);
  projection_->raise(nullptr);
  return left;
}

Closing MaximalMechanism::close(State& state) {
  Closing closing;
  step_.moved_to.reset();
  step_.tried = false;
  const bool stiff = step_.stiff;
  if (!rows_.b.empty()) {
    const bool projects = options_.project && !joints_.sweeps;
    if (options_.pull) kept_ = state.bodies;
    Drift left = projects ? close_positions(state) : projection_->drift(state);
    closing.closed = !projects || left.scaled <= options_.tuning.closed;
    if (options_.pull && !closing.closed) {
      state.bodies = kept_;
      left = projection_->drift(state);
    }
    if (projects && step_.middle && closing.closed) {
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
