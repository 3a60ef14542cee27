// The end of a step: joints are closed, and shapes that still overlap are moved apart the same way, by the smallest change of positions in the
// metric of the mass matrix that leaves the joints closed:
//     M d − Gᵀλ − Jᵀz = 0,   G d = 0,   0 ≤ z ⟂ gap + J d ≥ 0
// Velocities are left alone: nothing flies apart that was pushed out of something. Overlaps come from gaps that do not change evenly, where
// bodies spin or roll over edges, from joints that are closed after the step, and from sweeps that did not converge.
#include <fmt/format.h>

#include <algorithm>

#include "catena/laws/near_normals.h"
#include "catena/step/spook.h"

namespace catena {
namespace {

constexpr double kClosed = 1e-9;
constexpr int kProjections = 30;
// m: overlaps less deep are left to be pushed out in the steps that follow.
constexpr double kDeep = 1e-4, kDeepInCrowd = 5e-4;
constexpr int kRounds = 6;  // normals turn as bodies do

bool same_place(const BodyState& a, const BodyState& b) {
  return a.position == b.position && a.orientation == b.orientation && a.scale == b.scale;
}

}  // namespace

// False where the joints cannot be closed.
bool SpookStepper::close(double next, State& state) {
  const double before = dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state);
  factored_ = false;
  if (!close_joints(state)) return false;
  separate(next, state);
  if (settings_.stabilise == Stabilisation::projection && dynamics_.system().rows() > 0 && middle_here_) {
    if (!projection_.velocities(state)) {
      fail(Status::singular);
      return true;
    }
    factored_ = !stiff_step_;
  }
  projection_.weigh(nullptr);
  state.ledger.projection += dynamics_.kinetic_energy(state) + dynamics_.potential_energy(state) - before;
  const Drift left = projection_.drift(state);
  report_.drift_position = std::max(report_.drift_position, left.position);
  report_.drift_angle = std::max(report_.drift_angle, left.angle);
  return true;
}

// Whether they could be.
bool SpookStepper::close_joints(State& state) {
  if (settings_.stabilise != Stabilisation::projection || dynamics_.system().rows() == 0) return true;
  if (stiff_step_) firm();
  projection_.weigh(stiff_step_ ? &stiff_ : nullptr);
  Drift left = projection_.positions(state, false, kProjections);
  if (!(left.scaled <= kClosed)) left = projection_.positions(state, true, kProjections);
  return left.scaled <= kClosed;
}

void SpookStepper::could_not_close(const State& state) {
  const Drift left = projection_.drift(state);
  fail(Status::not_converged,
       fmt::format("t = {}: joint '{}' could not be closed: {:.3g} m, {:.3g} rad are left; try a shorter step",
                   state.time, model_->joints[left.worst].name, left.position, left.angle));
}

void SpookStepper::look(double ahead, const State& state) {
  dynamics_.kinematics().update(*model_, state);
  laws_.find(dynamics_.kinematics(), ahead);
  looked_ahead_ = ahead;
}

// Leaves laws_ as the next step, of `next`, will want them. Where joints cannot be closed after a push the overlap stays.
void SpookStepper::separate(double next, State& state) {
  look(next, state);
  const double deep = crowd_ ? kDeepInCrowd : kDeep;
  double deepest = gather_normals(deep);
  for (int round = 0; round < kRounds && deepest > deep; ++round) {
    apart_from_ = state;
    const bool closed = push_apart(state) && close_joints(state);
    if (!closed) std::swap(state, apart_from_);
    for (std::size_t i = 0; i < moved_.size(); ++i)
      moved_[i] = closed && !same_place(state.bodies[i], apart_from_.bodies[i]) ? 1 : 0;
    dynamics_.kinematics().update(*model_, state);
    laws_.find_again(dynamics_.kinematics(), moved_, next);
    deepest = gather_normals(deep);
    if (!closed) break;
  }
  report_.penetration = std::max(report_.penetration, deepest);
}

// If something overlaps by more than `deep`: what does, and what might once that is moved. Returns the deepest overlap.
double SpookStepper::gather_normals(double deep) {
  double deepest = 0;
  for (const LawBlock& block : laws_.rows().blocks)
    if (block.kind == LawKind::contact) deepest = std::max(deepest, -block.gap);
  if (deepest > deep) gather_near_normals(laws_.rows(), 4 * deepest, normals_);
  return deepest;
}

bool SpookStepper::push_apart(State& state) {
  ConstraintSystem& system = dynamics_.system();
  if (system.rows() > 0 && !system.factor(dynamics_.kinematics(), true)) return false;
  problem_.assemble(dynamics_.kinematics(), system, normals_);
  solve::Problem& problem = problem_.problem();
  problem.b.resize(static_cast<Eigen::Index>(normals_.rows.size()));
  // They are left touching, so that they still push on each other in the next step.
  for (const LawBlock& block : normals_.blocks)
    problem.b[block.first] = block.gap + (block.kind == LawKind::contact ? 0.5 * kDeep : 0);
  apart_.solve(problem, distances_);
  std::fill(shift_.begin(), shift_.end(), BodyVector{});
  for (const LawBlock& block : normals_.blocks)
    add_force(block, normals_.rows[static_cast<std::size_t>(block.first)], distances_.z[block.first], shift_);
  std::fill(phi_.begin(), phi_.end(), 0.0);
  system.solve(phi_, shift_, shift_lambda_);
  for (std::size_t i = 0; i < shift_.size(); ++i) displace(model_->bodies[i].kind, shift_[i], state.bodies[i]);
  return true;
}

}  // namespace catena
