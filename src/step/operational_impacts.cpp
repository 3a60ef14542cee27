// Where bodies meet in a step, and what throws them back: Jain §7.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/step/operational.h"

namespace catena {

void OperationalStepper::note_starts() {
  starts_.clear();
  for (const LawBlock& block : laws_.rows().blocks)
    if (is_unilateral(block))
      starts_.push_back({block.key, block.gap, laws_.rows().rows[static_cast<std::size_t>(block.first)].speed});
  std::sort(starts_.begin(), starts_.end(), [](const Start& a, const Start& b) { return a.key < b.key; });
}

// As it was found there, if the same points touch: then the gap has changed with the mean of the speeds. Else, or if it is not to be `followed`
// from there, as if it had come to the middle with the speed it has there.
OperationalStepper::Start OperationalStepper::at_start(const LawBlock& block, double speed, double h,
                                                       bool followed) const {
  if (!midpoint_) return {block.key, block.gap, speed};
  const auto at = std::lower_bound(starts_.begin(), starts_.end(), block.key,
                                   [](const Start& start, std::uint64_t key) { return start.key < key; });
  if (followed && at != starts_.end() && at->key == block.key) {
    const double bend = h / 4 * (speed - at->speed);
    if (std::abs(block.gap - at->gap - h / 2 * at->speed - bend) <= 0.1 * std::abs(bend) + kNoGap) return *at;
  }
  return {block.key, block.gap - h / 2 * speed, speed};
}

// Open at the start of the step, and coming together faster than the threshold.
bool OperationalStepper::will_meet(const LawBlock& block, double h) const {
  const Start start = at_start(block, laws_.rows().rows[static_cast<std::size_t>(block.first)].speed, h);
  return start.gap > Impacts::kTouch && start.speed < -settings_.restitution_threshold;
}

// When the first such pair meets: gap + σ t + c a t² = 0, with c = ½ where positions follow the mean velocity; σ and a as in aim().
double OperationalStepper::time_of_impact(double h) {
  double first = h;
  bool moved = false;
  for (const LawBlock& block : laws_.rows().blocks) {
    if (!is_unilateral(block) || !will_meet(block, h)) continue;
    if (!std::exchange(moved, true)) system_.motion(v_, y_);
    const LawRow& row = laws_.rows().rows[static_cast<std::size_t>(block.first)];
    const Start start = at_start(block, row.speed, h);
    const double end = times(block, row, y_) + (row.speed - start.speed);
    const double acceleration = (end - start.speed) / h;
    const double root = start.speed * start.speed - (midpoint_ ? 2 : 4) * acceleration * start.gap;
    if (root < 0) continue;
    first = std::min(first, 2 * start.gap / (-start.speed + std::sqrt(root)));
  }
  return first;
}

// Bodies that touch and come together faster than the threshold are thrown back before the step goes on.
bool OperationalStepper::collide(State& state) {
  bool bounces = false;
  const LawRows& laws = laws_.rows();
  for (const LawBlock& block : laws.blocks)
    bounces |= is_unilateral(block) && block.gap <= Impacts::kTouch &&
               laws.rows[static_cast<std::size_t>(block.first)].speed < -settings_.restitution_threshold;
  if (!bounces) return false;
  std::vector<int> touching;
  for (std::size_t k = 0; k < laws.blocks.size(); ++k)
    if (is_unilateral(laws.blocks[k]) && laws.blocks[k].gap <= Impacts::kTouch) touching.push_back(static_cast<int>(k));
  throw_back(touching, state);
  ++report_.impacts;
  return true;
}

// Compression (eq. 54): impulses z that bring the bodies to w ≥ 0, in no time. Decompression (eqs. 56–58): each normal gives back e times what
// it stored, with friction up to its share of that; what then still comes together is stopped.
void OperationalStepper::throw_back(const std::vector<int>& touching, State& state) {
  LawRows met;
  for (const int k : touching) append(laws_.rows(), laws_.rows().blocks[static_cast<std::size_t>(k)], met);
  held_.evaluate(dynamics_.kinematics());
  system_.factor();
  problem_.assemble(dynamics_.kinematics(), held_, met, settings_.facets);
  const int held = held_.rows();
  b_.setZero(held + static_cast<Eigen::Index>(met.rows.size()));
  for (std::size_t i = 0; i < met.rows.size(); ++i) b_[held + static_cast<Eigen::Index>(i)] = met.rows[i].speed;
  const Eigen::VectorXd speeds = b_;
  problem_.load(b_);
  const solve::Vector z = poisson_impulses(
      problem_.problem(), met, settings_.restitution_threshold,
      [&](const solve::Problem& p) {
        solve_laws(p, false, solution_);
        return solution_;
      },
      report_);
  problem_.complete(z, z_);
  respond_to(met);
  for (std::size_t i = 0; i < dv_.size(); ++i) now_.v[i] += dv_[i];
  system_.motion(dv_, y_);
  list_impacts(met, laws_, z, y_, settings_.restitution_threshold, state.time, impacts_);
  const Eigen::VectorXd after = speeds + problem_.compliance() * z_;
  for (Eigen::Index i = 0; i < z_.size(); ++i)
    (i < held ? state.ledger.motors : state.ledger.contacts) += 0.5 * z_[i] * (speeds[i] + after[i]);
}

}  // namespace catena
