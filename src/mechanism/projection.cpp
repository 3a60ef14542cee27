#include "catena/mechanism/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/joints/row_rhs.h"

namespace catena {

Projection::Projection(Dynamics& dynamics, const State& state, double size)
    : dynamics_(&dynamics),
      size_(size),
      b_(static_cast<std::size_t>(dynamics.system().rows())),
      d_(state.bodies.size()) {
  RowSet rows = all_rows(dynamics.model());
  dynamics.kinematics().update(dynamics.model(), state);
  rows.evaluate(dynamics.model(), dynamics.kinematics());
  joint_of_ = rows.joint_of;
  for (std::size_t i = 0; i < joint_of_.size(); ++i) {
    bool turns_only = true;
    for (auto t = static_cast<std::size_t>(rows.start[i]); t < static_cast<std::size_t>(rows.start[i + 1]); ++t)
      turns_only = turns_only && rows.J[t].linear == Vec3{};
    is_angle_.push_back(turns_only);
  }
}

Drift Projection::read(std::span<const double> b) const {
  Drift drift;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double violation = std::abs(b[i]);
    double& kind = is_angle_[i] ? drift.angle : drift.position;
    kind = std::max(kind, violation);
    const double scaled = is_angle_[i] ? violation : violation / size_;
    if (scaled > drift.scaled || std::isnan(scaled)) {
      drift.scaled = scaled;
      drift.worst = joint_of_[i];
    }
  }
  return drift;
}

void Projection::update(const State& state) {
  dynamics_->kinematics().update(dynamics_->model(), state);
  if (added_) added_->raise(dynamics_->kinematics(), GeometricStiffness::kProjectionFactor);
}

Drift Projection::drift(const State& state) {
  update(state);
  dynamics_->system().position_rhs(dynamics_->kinematics(), b_);
  return read(b_);
}

Drift Projection::positions(State& state, bool fresh, int max_iterations, double tolerance) {
  const Model& model = dynamics_->model();
  double before = 0, last_move = 0;
  bool least = false, shrinking = false;
  for (int iteration = 0;; ++iteration) {
    Drift left = drift(state);
    if (left.scaled <= tolerance || iteration == max_iterations || !std::isfinite(left.scaled)) return left;
    // A stale factorisation gains a digit or more an iteration while the step is short; where it does not, factor here.
    // Rows that contradict each other stop the progress as well: they are then met in the least-squares sense, with the factorisation that is
    // there as long as the moves themselves become smaller by it.
    const bool slow = iteration > 0 && left.scaled > 0.1 * before;
    const bool stuck = slow && (left.scaled > kContradiction || (least && !shrinking));
    if (fresh || stuck)
      if (!dynamics_->system().factor(dynamics_->kinematics())) return left;
    before = left.scaled;
    least = fresh || slow;
    std::fill(d_.begin(), d_.end(), BodyVector{});
    if (least) dynamics_->system().solve(b_, d_, {});
    else dynamics_->system().solve_any(b_, d_, {});
    // Nothing moves any more and yet something is open: its rows contradict each other.
    const double move = size_of_move();
    shrinking = move <= 0.1 * last_move;
    last_move = move;
    if (move <= kTolerance && left.scaled <= kContradiction) {
      left.contradiction = left.scaled;
      left.scaled = move;
      return left;
    }
    for (std::size_t i = 0; i < d_.size(); ++i) displace(model.bodies[i].kind, d_[i], state.bodies[i]);
  }
}

double Projection::size_of_move() const {
  double move = 0;
  for (const BodyVector& d : d_) move = std::max({move, norm(d.linear) / size_, norm(d.angular)});
  return move;
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

// Speeds that are not met are linear in those asked for: the drives that are at odds are those whose own speeds alone are not met.
Projection::Contradiction Projection::contradiction(const State& state) {
  constexpr double kMet = 1e-5;  // of the largest speed asked for
  const Model& model = dynamics_->model();
  State trial = state;
  const auto rest = [&] {
    for (BodyState& body : trial.bodies) body.velocity = body.angular_velocity = {}, body.scale_velocity = 0;
  };
  const auto scaled = [&](std::size_t i, double x) { return std::abs(is_angle_[i] ? x : x / size_); };
  std::vector<double> asked(b_.size()), one(b_.size());
  rest();
  update(trial);
  dynamics_->system().velocity_rhs(dynamics_->kinematics(), asked);
  double most = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) most = std::max(most, scaled(i, asked[i]));
  Contradiction out;
  update(state);
  dynamics_->system().velocity_rhs(dynamics_->kinematics(), b_);
  double worst = kMet * most;
  for (std::size_t i = 0; i < b_.size(); ++i) {
    if (!(scaled(i, b_[i]) > worst)) continue;
    worst = scaled(i, b_[i]);
    out.left = joint_of_[i];
    out.speed = std::abs(b_[i]);
  }
  if (!out.left.valid()) return out;
  for (std::size_t first = 0; first < asked.size();) {
    // The rows of one joint are neighbours.
    std::size_t end = first;
    std::fill(one.begin(), one.end(), 0.0);
    for (; end < asked.size() && joint_of_[end] == joint_of_[first]; ++end) one[end] = asked[end];
    const bool drives = std::any_of(one.begin(), one.end(), [](double x) { return x != 0; });
    std::fill(d_.begin(), d_.end(), BodyVector{});
    if (drives) dynamics_->system().solve_any(one, d_, {});
    rest();
    for (std::size_t i = 0; i < d_.size(); ++i) add_velocity(model.bodies[i].kind, d_[i], trial.bodies[i]);
    update(trial);
    dynamics_->system().velocity_rhs(dynamics_->kinematics(), b_);
    bool met = true;
    for (std::size_t i = 0; i < b_.size(); ++i) met = met && scaled(i, one[i] - asked[i] + b_[i]) <= kMet * most;
    if (drives && !met) out.drives.push_back(joint_of_[first]);
    first = end;
  }
  return out;
}

double mechanism_size(const Model& model, const State& state) {
  double size = 1e-6;
  for (const Joint& joint : model.joints) {
    if (joint.a.valid()) size = std::max(size, norm(joint.anchor_a));
    if (joint.b.valid()) size = std::max(size, norm(joint.anchor_b));
    if (joint.a.valid() && joint.b.valid())
      size = std::max(size, norm(state.bodies[joint.a].position - state.bodies[joint.b].position));
    if (joint.kind == JointKind::distance || joint.kind == JointKind::rolling) size = std::max(size, joint.parameter);
  }
  return size;
}

namespace {

void refuse_contradiction(const Model& model, const Projection::Contradiction& found) {
  if (found.drives.empty()) return;
  std::string names;
  bool named = false;
  for (const JointId id : found.drives) {
    names += fmt::format("{}the drive of joint '{}'", names.empty() ? "" : " and ", model.joints[id].name);
    named = named || id == found.left;
  }
  if (!named) names += fmt::format(" and joint '{}'", model.joints[found.left].name);
  else if (found.drives.size() == 1) names += " and the other joints of its loop";
  throw JointError(found.drives.front(),
                   fmt::format("{} contradict each other: {:.3g} (m/s or rad/s) of what they ask for cannot be met; "
                               "take one away, or let it give way (max_force, compliance)",
                               names, found.speed));
}

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
    if (!(after.scaled <= kClosed))
      throw JointError(after.worst, fmt::format("joint '{}' cannot be closed: {:.3g} m and {:.3g} rad are left after "
                                                "assembly (from {:.3g} m, {:.3g} rad); "
                                                "check its anchors and axes and the lengths of its loop",
                                                model.joints[after.worst].name, after.position, after.angle,
                                                before.position, before.angle));
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
  refuse_contradiction(model, projection.contradiction(state));
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
