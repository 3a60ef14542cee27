#include "catena/mechanism/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "catena/joints/row_rhs.h"
#include "catena/model/displacements.h"

namespace catena {

namespace {

// Of every row: its joint, whether it is about angles alone, and by how much it is missed.
struct RowKinds {
  std::vector<JointId> joint_of;
  std::vector<char> is_angle;
  std::vector<double> left;
};

RowKinds kinds_of_rows(Dynamics& dynamics, const State& state) {
  RowSet rows = all_rows(dynamics.model());
  dynamics.kinematics().update(dynamics.model(), state);
  rows.evaluate(dynamics.model(), dynamics.kinematics());
  RowKinds out{rows.joint_of, {}, {}};
  for (std::size_t i = 0; i < out.joint_of.size(); ++i) {
    bool turns_only = true;
    for (auto t = static_cast<std::size_t>(rows.start[i]); t < static_cast<std::size_t>(rows.start[i + 1]); ++t)
      turns_only = turns_only && rows.J[t].linear == Vec3{};
    out.is_angle.push_back(turns_only);
    out.left.push_back(rows.holonomic[i] ? -rows.phi[i] : 0);
  }
  return out;
}

}  // namespace

Projection::Projection(Dynamics& dynamics, const State& state, double size)
    : dynamics_(&dynamics), size_(size), b_(static_cast<std::size_t>(dynamics.row_count())), d_(state.bodies.size()) {
  RowKinds kinds = kinds_of_rows(dynamics, state);
  joint_of_ = std::move(kinds.joint_of);
  is_angle_.assign(kinds.is_angle.begin(), kinds.is_angle.end());
  std::vector<char> held(state.bodies.size(), 0);
  for (const Joint& joint : dynamics.model().joints)
    for (const BodyId body : {joint.a, joint.b})
      if (body.valid()) held[body] = 1;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] != 0) jointed_.emplace_back(i);
  const double left = read(kinds.left).scaled;
  contradictory_ = left > 10 * kTolerance && left <= kContradiction;
}

void Projection::update(const State& state) {
  dynamics_->kinematics().update(dynamics_->model(), state);
  if (added_) added_->raise(dynamics_->kinematics(), GeometricStiffness::kProjectionFactor);
}

Drift Projection::drift(const State& state) {
  update(state);
  return drift_here();
}

Drift Projection::drift_here() {
  dynamics_->system().position_rhs(dynamics_->kinematics(), b_);
  return read(b_);
}

namespace {

// Far from the origin the rounding of positions alone opens joints by a few of their last digits, here relative to the size.
double rounding(std::span<const BodyId> jointed, const State& state, double size) {
  constexpr double kDigits = 4 * std::numeric_limits<double>::epsilon(), kMost = 1e-11;
  double farthest = 0;
  for (const BodyId body : jointed)
    for (int k = 0; k < 3; ++k) farthest = std::max(farthest, std::abs(state.bodies[body].position[k]));
  return std::min(kMost, kDigits * farthest / size);
}

}  // namespace

Drift Projection::positions(State& state, bool fresh, int max_iterations, double tolerance) {
  const Model& model = dynamics_->model();
  const double noise = rounding(jointed_, state, size_), still = std::max(kTolerance, noise);
  tolerance = std::max(tolerance, noise);
  double before = 0, last_move = 0;
  bool least = false, shrinking = false;
  std::optional<double>
      next_move;  // where rows contradict each other and the moves show that the next need not be made
  for (int iteration = 0;; ++iteration) {
    // Inertias are asked for by factorisations only.
    if (fresh) update(state);
    else dynamics_->kinematics().update_rotations(state);
    Drift left = drift_here();
    if (left.scaled <= tolerance || iteration == max_iterations || !std::isfinite(left.scaled)) return left;
    if (next_move && left.scaled <= kContradiction) {
      left.contradiction = left.scaled;
      left.scaled = *next_move;
      return left;
    }
    // A stale factorisation gains a digit or more an iteration while the step is short; where it does not, factor here.
    // Rows that contradict each other stop the progress as well: they are then met in the least-squares sense, with the factorisation that is
    // there as long as the moves themselves become smaller by it.
    const bool slow = iteration > 0 && left.scaled > 0.1 * before;
    const bool stuck = slow && (left.scaled > kContradiction || (least && iteration > 1 && !shrinking));
    if (fresh || stuck) {
      if (!fresh) update(state);
      if (!dynamics_->system().factor(dynamics_->kinematics())) return left;
    }
    before = left.scaled;
    least = fresh || slow || contradictory_;
    find_move(least);
    // Nothing moves any more and yet something is open: its rows contradict each other.
    const double move = size_of_move();
    shrinking = move <= 0.1 * last_move;
    if (contradictory_ && shrinking && move * move <= still * last_move) next_move = move * move / last_move;
    last_move = move;
    if (move <= still && left.scaled <= kContradiction) {
      left.contradiction = left.scaled;
      left.scaled = move;
      return left;
    }
    displace_all(model, d_, state.bodies);
  }
}

void Projection::find_move(bool least) {
  std::fill(d_.begin(), d_.end(), BodyVector{});
  if (least) dynamics_->system().solve(b_, d_, {});
  else dynamics_->system().solve_any(b_, d_, {});
}

void Projection::approach(State& state, int max_iterations, double tolerance) {
  const Model& model = dynamics_->model();
  tolerance = std::max(tolerance, rounding(jointed_, state, size_));
  double before = 0, last_move = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    dynamics_->kinematics().update_rotations(state);
    const double left = drift_here().scaled;
    if (!(left > tolerance)) return;
    // Too slow by the factorisation that is there: as positions() does it.
    if (iteration > 0 && left > kContradiction && left > 0.1 * before) {
      positions(state, false, max_iterations - iteration, tolerance);
      return;
    }
    before = left;
    find_move(contradictory_);
    displace_all(model, d_, state.bodies);
    // Each move is shorter than the one before by the same factor, or by more.
    const double move = size_of_move();
    if (move <= 0.1 * tolerance || (iteration > 0 && move * move <= 0.1 * tolerance * last_move)) return;
    last_move = move;
  }
}

double Projection::size_of_move() const {
  double travel2 = 0, turn2 = 0;
  for (const BodyVector& d : d_) {
    travel2 = std::max(travel2, dot(d.linear, d.linear));
    turn2 = std::max(turn2, dot(d.angular, d.angular));
  }
  return std::max(std::sqrt(travel2) / size_, std::sqrt(turn2));
}

bool Projection::velocities(State& state) {
  const Model& model = dynamics_->model();
  update(state);
  if (!dynamics_->system().factor(dynamics_->kinematics(), true)) return false;
  dynamics_->system().velocity_rhs(dynamics_->kinematics(), b_);
  std::fill(d_.begin(), d_.end(), BodyVector{});
  // u − J v of rows that depend on others follows from theirs.
  dynamics_->system().solve_any(b_, d_, {});
  for (std::size_t i = 0; i < d_.size(); ++i) add_velocity(model.bodies[i].kind, d_[i], state.bodies[i]);
  return true;
}

namespace {

double size_of(const JointSurface& surface) {
  const double largest = std::max({surface.size.x, surface.size.y, surface.size.z});
  return surface.kind == JointSurface::Kind::height_field ? largest * std::max(surface.columns, surface.rows) : largest;
}

}  // namespace

double mechanism_size(const Model& model, const State& state) {
  double size = 1e-6;
  for (const Joint& joint : model.joints) {
    if (joint.a.valid()) size = std::max(size, norm(joint.anchor_a));
    if (joint.b.valid()) size = std::max(size, norm(joint.anchor_b));
    if (joint.a.valid() && joint.b.valid())
      size = std::max(size, norm(state.bodies[joint.a].position - state.bodies[joint.b].position));
    if (joint.kind == JointKind::distance || joint.kind == JointKind::rolling) size = std::max(size, joint.parameter);
    if (joint.surfaces) size = std::max({size, size_of(joint.surfaces->first), size_of(joint.surfaces->second)});
  }
  return size;
}

namespace {

// Joints whose motors, or whose signals, ask for speeds that the other joints do not allow, at a state whose velocities fit the joints as far
// as they can and whose positions the system is factored at. Speeds that are not met are linear in those asked for: the drives at odds are
// those whose own speeds alone are not met.
class Contradiction {
 public:
  Contradiction(Dynamics& dynamics, const State& state, double size)
      : dynamics_(dynamics),
        trial_(state),
        kinds_(kinds_of_rows(dynamics, state)),
        size_(size),
        asked_(kinds_.joint_of.size()),
        missed_(kinds_.joint_of.size()) {
    speeds_missed(state, missed_);
    rest();
    speeds_missed(trial_, asked_);
    most_ = largest(asked_).second;
    const auto [row, missing] = largest(missed_);
    if (!(missing > kMet * most_)) return;
    left_ = kinds_.joint_of[row];
    speed_ = std::abs(missed_[row]);
    find_drives();
  }

  // Throws where there are some.
  void refuse() const {
    if (drives_.empty()) return;
    const Model& model = dynamics_.model();
    std::string names;
    bool named = false;
    for (const JointId id : drives_) {
      names += fmt::format("{}the drive of joint '{}'", names.empty() ? "" : " and ", model.joints[id].name);
      named = named || id == left_;
    }
    if (!named) names += fmt::format(" and joint '{}'", model.joints[left_].name);
    else if (drives_.size() == 1) names += " and the other joints of its loop";
    throw JointError(drives_.front(),
                     fmt::format("{} contradict each other: {:.3g} (m/s or rad/s) of what they ask for cannot be met; "
                                 "take one away, or let it give way (max_force, compliance)",
                                 names, speed_));
  }

 private:
  static constexpr double kMet = 1e-5;  // of the largest speed asked for

  void speeds_missed(const State& state, std::vector<double>& b) {
    dynamics_.kinematics().update(dynamics_.model(), state);
    dynamics_.system().velocity_rhs(dynamics_.kinematics(), b);
  }
  void rest() {
    for (BodyState& body : trial_.bodies) {
      body.velocity = body.angular_velocity = {};
      body.scale_velocity = 0;
    }
  }
  // The row of the largest, and that, lengths relative to the size.
  std::pair<std::size_t, double> largest(const std::vector<double>& b) const {
    std::pair<std::size_t, double> out{0, 0};
    for (std::size_t i = 0; i < b.size(); ++i)
      if (const double x = std::abs(kinds_.is_angle[i] ? b[i] : b[i] / size_); x > out.second) out = {i, x};
    return out;
  }

  // The rows of one joint are neighbours.
  void find_drives() {
    std::vector<double> own(asked_.size());
    std::vector<BodyVector> d(trial_.bodies.size());
    for (std::size_t first = 0, end = 0; first < asked_.size(); first = end) {
      std::fill(own.begin(), own.end(), 0.0);
      for (; end < asked_.size() && kinds_.joint_of[end] == kinds_.joint_of[first]; ++end) own[end] = asked_[end];
      if (std::all_of(own.begin(), own.end(), [](double x) { return x == 0; })) continue;
      std::fill(d.begin(), d.end(), BodyVector{});
      dynamics_.system().solve_any(own, d, {});
      rest();
      for (std::size_t i = 0; i < d.size(); ++i) add_velocity(dynamics_.model().bodies[i].kind, d[i], trial_.bodies[i]);
      speeds_missed(trial_, missed_);
      for (std::size_t i = 0; i < own.size(); ++i) missed_[i] += own[i] - asked_[i];
      if (largest(missed_).second > kMet * most_) drives_.push_back(kinds_.joint_of[first]);
    }
  }

  Dynamics& dynamics_;
  State trial_;
  RowKinds kinds_;
  double size_, most_ = 0, speed_ = 0;
  std::vector<double> asked_, missed_;
  JointId left_;
  std::vector<JointId> drives_;
};

}  // namespace

void assemble(const Model& model, State& state, LinearSolver solver, Warnings& warnings) {
  constexpr int kIterations = 100;
  constexpr double kClosed = 1e-9;  // an initial state further from its joints than this is not one
  constexpr double kSaid = 1e-9;    // contradictions up to this are not worth a word
  Dynamics dynamics(model, state, solver);
  const double size = mechanism_size(model, state);
  Projection projection(dynamics, state, size);
  const Drift before = projection.drift(state);
  if (!(before.scaled <= Projection::kTolerance)) {
    const Drift after = projection.positions(state, true, kIterations);
    if (!(after.scaled <= kClosed)) {
      const std::string why = dynamics.system().failure();
      throw JointError(
          after.worst,
          fmt::format("joint '{}' cannot be closed: {:.3g} m and {:.3g} rad are left after assembly (from "
                      "{:.3g} m, {:.3g} rad); {}",
                      model.joints[after.worst].name, after.position, after.angle, before.position, before.angle,
                      why.empty() ? "check its anchors and axes and the lengths of its loop"
                                  : "the constraints cannot be factored: " + why));
    }
    if (after.contradiction > kSaid)
      warnings.push_back(fmt::format(
          "the joints of a loop contradict each other by {:.3g} (rad, or lengths relative to the mechanism), most at "
          "joint '{}': they are met as nearly as possible",
          after.contradiction, model.joints[after.worst].name));
    if (before.scaled > 1e-6)
      warnings.push_back(
          fmt::format("assembly moved the bodies to close joint '{}', which was open by {:.3g} m, {:.3g} rad",
                      model.joints[before.worst].name, before.position, before.angle));
  }
  const std::vector<BodyState> as_written = state.bodies;
  if (!projection.velocities(state))
    throw InputError(fmt::format("the constraints cannot be factored: {}", dynamics.system().failure()));
  Contradiction(dynamics, state, size).refuse();
  double moved = 0, speed = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < as_written.size(); ++i) {
    const double change = norm(state.bodies[i].velocity - as_written[i].velocity) +
                          size * norm(state.bodies[i].angular_velocity - as_written[i].angular_velocity);
    speed = std::max(speed, norm(as_written[i].velocity) + size * norm(as_written[i].angular_velocity));
    if (change > moved) moved = change, most = i;
  }
  if (moved > 1e-6 * std::max(speed, 1e-3))
    warnings.push_back(
        fmt::format("initial velocities did not satisfy the joints: body '{}' was changed the most, by {:.3g} m/s",
                    model.bodies[most].name, moved));
}

}  // namespace catena
