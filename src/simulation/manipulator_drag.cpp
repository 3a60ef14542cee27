// Several points dragged at once, with limits and contacts: each move is one mixed complementarity problem of the first order.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/simulation/manipulator.h"
#include "catena/solve/solve.h"

namespace catena {
namespace {

constexpr int kMostMoves = 2000;
constexpr double kDragTurn = 0.25;     // rad a move
constexpr double kMaxTravel = 0.25;    // sizes of the mechanism a move
constexpr double kMargin = 0.5;        // sizes: gaps up to it are seen; what a move can close
constexpr double kAtTarget = 1e-12;    // sizes
constexpr double kStill = 1e-14;       // sizes: a shorter move is the last, and nothing nearer than this is asked for
constexpr double kRounding = 1e-14;    // sizes: by which distances may grow without meaning anything
constexpr double kDragClosed = 1e-12;  // violation of joints left after a move, lengths in sizes
// Levenberg and Marquardt's damping, of the trace of the compliance of the points: directions the joints hold, or nearly hold, are left
// alone. It grows tenfold where a move did not help and shrinks where one did; at its least a target is approached ten-thousandfold a move.
constexpr double kLeastDamping = 1e-4, kMostDamping = 1e8;
// Damping slows down the stiffest ways of a point most. Where its compliances differ a thousandfold, as they do along a form and round a joint, and the point
// cannot be reached, so that full moves go too far, moves are shortened alike in all directions from here on: Gauss and Newton's, by shares of the way.
constexpr int kManyMoves = 200;
constexpr double kLeastShare = 1e-3;
constexpr double kDeepest = 1e-2;  // sizes: what limits and contacts may be violated by between two moves
constexpr int kDragProjections = 40;
// Where nothing can come nearer, distances are flat to second order and no judge of moves any more; their lengths are, which must shrink.
constexpr double kShrinking = 0.7;

}  // namespace

Manipulator::Standing Manipulator::standing(std::span<const Drag> drags, const State& state) {
  Standing out;
  double squares = 0;
  const Kinematics& kinematics = dynamics_->kinematics();
  dynamics_->kinematics().update(model_, state);
  for (const Drag& drag : drags) {
    const double distance = norm(drag.target - attach(kinematics[drag.body], drag.point).p);
    out.distance = std::max(out.distance, distance);
    squares += distance * distance;
  }
  out.norm = std::sqrt(squares);
  laws_->find(kinematics);
  for (const LawBlock& block : laws_->rows().blocks)
    if (is_unilateral(block)) out.violation = std::max(out.violation, -block.gap);
  return out;
}

// Appends a row and the motion of all bodies under a unit force along it, once the joints have answered.
void Manipulator::add_response(PushRow row) {
  row.motion.assign(model_.bodies.size(), {});
  for (int k = 0; k < row.count; ++k)
    row.motion[row.body[static_cast<std::size_t>(k)]] += row.J[static_cast<std::size_t>(k)];
  dynamics_->system().solve(no_motion_, row.motion, {});
  rows_.push_back(std::move(row));
}

// Forces of a unit along the axes at every point that is dragged, and how far each is from its target.
void Manipulator::add_pulls(std::span<const Drag> drags) {
  const Kinematics& kinematics = dynamics_->kinematics();
  for (const Drag& drag : drags) {
    const AttachedPoint at = attach(kinematics[drag.body], drag.point);
    const FormPlacement* const form = kinematics.form(drag.body);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 n{};
      n[axis] = 1;
      const BodyVector push = restricted(model_.bodies[drag.body].kind, along(n, at));
      PushRow row;
      row.add(drag.body, push);
      if (form) row.add(form->own, on_form(*form, kinematics.R(drag.body), drag.point, push));
      add_response(std::move(row));
      gaps_.push_back(at.p[axis] - drag.target[axis]);
    }
  }
}

// Limits and contacts that the motion would go through and that do not push yet. Whether there are any.
bool Manipulator::add_stops(std::vector<char>& added) {
  const LawRows& laws = laws_->rows();
  added.resize(laws.blocks.size(), 0);
  bool any = false;
  for (std::size_t k = 0; k < laws.blocks.size(); ++k) {
    const LawBlock& block = laws.blocks[k];
    if (added[k] || !is_unilateral(block)) continue;
    const LawRow& normal = laws.rows[static_cast<std::size_t>(block.first)];
    if (block.gap + times(laws, block, normal, motion_) >= 0) continue;
    PushRow row;
    for (const LawSide& side : sides_of(block)) row.add(side.body, J_at(side, laws, normal));
    add_response(std::move(row));
    gaps_.push_back(block.gap);
    added[k] = 1;
    any = true;
  }
  return any;
}

// Fills motion_ with the displacement that takes the points `share` of the way to their targets. After standing() at the same state. Of the many limits and contacts that may
// be near only those take part that the motion meets: the others would not push.
bool Manipulator::wanted_motion(std::span<const Drag> drags, double damping, double share) {
  if (!dynamics_->system().factor(dynamics_->kinematics(), true)) return false;
  rows_.clear();
  gaps_.clear();
  add_pulls(drags);
  const auto pulls = static_cast<Eigen::Index>(rows_.size());
  std::vector<char> added;
  do {
    if (!solve_pushes(pulls, damping, share)) return false;
  } while (add_stops(added));
  return true;
}

// Fills motion_ with what the rows there are do together: 0 ≤ z ⟂ gap + J v ≥ 0 of those that stop, z of any sign of the pulls.
bool Manipulator::solve_pushes(Eigen::Index pulls, double damping, double share) {
  solve::Problem problem;
  const auto n = static_cast<Eigen::Index>(rows_.size());
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) {
      const PushRow &row = rows_[static_cast<std::size_t>(i)], &push = rows_[static_cast<std::size_t>(j)];
      A(i, j) = row.times(push.motion);
    }
  A = (0.5 * (A + A.transpose())).eval();
  const double soft = damping * A.topLeftCorner(pulls, pulls).trace();
  if (!(soft > 0)) return false;  // the joints hold every point fast
  for (Eigen::Index i = 0; i < pulls; ++i) A(i, i) += soft;
  problem.A = std::move(A);
  problem.b = Eigen::Map<const Eigen::VectorXd>(gaps_.data(), n);
  problem.b.head(pulls) *= share;
  problem.blocks.push_back({.law = solve::Law::free, .first = 0, .size = static_cast<int>(pulls)});
  for (int i = static_cast<int>(pulls); i < static_cast<int>(n); ++i) problem.blocks.push_back({.first = i});
  const solve::Solution solution = solve::solve(problem, {.tolerance = 1e-14});
  motion_.assign(model_.bodies.size(), {});
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (const double z = solution.z[static_cast<Eigen::Index>(r)]; z != 0)
      for (std::size_t i = 0; i < motion_.size(); ++i) motion_[i] += z * rows_[r].motion[i];
  return true;
}

// The longest way anything goes under motion_, where an angle counts with the size, and the part of it that one move may take.
Manipulator::Move Manipulator::next_move(double size) const {
  double turn = 0, travel = 0;
  for (const BodyVector& v : motion_) {
    turn = std::max(turn, norm(v.angular));
    travel = std::max(travel, norm(v.linear));
  }
  const double part = std::min({1.0, kDragTurn / turn, kMaxTravel * size / travel});
  return {part, part * std::max(travel, turn * size)};
}

// Moves along motion_ and closes the joints. What is left of their violation.
Drift Manipulator::move(double part, State& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    displace(model_.bodies[i].kind, part * restricted(model_.bodies[i].kind, motion_[i]), state.bodies[i]);
  return projection_->positions(state, true, kDragProjections);
}

// What lengths are measured against: a body without joints has no size of its own.
double Manipulator::extent(std::span<const Drag> drags, const State& state) {
  double size = size_;
  dynamics_->kinematics().update(model_, state);
  for (const Drag& drag : drags)
    size = std::max(size, norm(drag.target - attach(dynamics_->kinematics()[drag.body], drag.point).p));
  return size;
}

DragReport Manipulator::drag(std::span<const Drag> drags, State& state) {
  for (BodyState& s : state.bodies) s.velocity = s.angular_velocity = {}, s.scale_velocity = 0;
  DragReport report;
  report.drift = projection_->positions(state, true, kDragProjections);
  const double size = extent(drags, state);
  dynamics_->kinematics().update(model_, initial_);
  laws_ = std::make_unique<Laws>(model_, dynamics_->kinematics(), kMargin * size);
  Standing now = standing(drags, state);
  double damping = kLeastDamping, share = 1;
  const auto shorten = [&](double less, double more) {
    if (report.moves > kManyMoves && share > kLeastShare) share *= less;
    else damping *= more;
  };
  double last = INFINITY;  // length of the last move of those that distances no longer judge, at this damping
  // Violations weigh more than distance: a move may give way to the one and not to the other.
  constexpr double kWeight = 10;
  while (report.moves < kMostMoves && damping < kMostDamping) {
    if (std::max(now.distance, now.violation) <= kStill * size || !wanted_motion(drags, damping, share)) break;
    const Move next = next_move(size);
    // Damping makes moves shorter than what is left.
    if (next.length * std::max(1.0, damping) <= kStill * share * size) break;
    if (next.length > kShrinking * last) {
      shorten(0.5, 3);
      last = INFINITY;
      continue;
    }
    if (++report.moves == kManyMoves) damping = kLeastDamping;
    const State before = state;
    const Drift drift = move(next.part, state);
    const Standing then = standing(drags, state);
    const double gain = now.norm + kWeight * now.violation - then.norm - kWeight * then.violation;
    const bool shallow = then.violation <= std::max(now.violation, kDeepest * size);
    if (!(drift.scaled <= kDragClosed) || !shallow ||
        !(gain >= -kRounding * size)) {  // too far for one move: back, and a shorter one
      state = before;
      standing(drags, state);
      shorten(0.5, 10);
      last = INFINITY;
      continue;
    }
    dynamics_->coordinates().remember(model_, dynamics_->kinematics(), state);
    report.drift = drift;
    now = then;
    if (gain > kRounding * size) {
      damping = std::max(kLeastDamping, damping / 5);
      last = INFINITY;
    } else {
      last = next.length;
    }
  }
  dynamics_->kinematics().update(model_, state);
  dynamics_->coordinates().remember(model_, dynamics_->kinematics(), state);
  report.distance = now.distance;
  report.violation = now.violation;
  report.reached = now.distance <= kAtTarget * size;
  return report;
}

}  // namespace catena
