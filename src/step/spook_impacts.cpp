// When bodies meet in a step.
#include <algorithm>
#include <cmath>

#include "catena/step/spook.h"

namespace catena {
double SpookStepper::gap_at_start(const LawBlock& block, double speed, double h) const {
  return block.gap - (middle_here_ ? h / 2 * speed : 0);
}

// Open at the start of the step, and coming together faster than the threshold.
bool SpookStepper::will_meet(const LawBlock& block, double h) const {
  const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
  return gap_at_start(block, speed, h) > Impacts::kTouch && speed < -settings_.restitution_threshold;
}

bool SpookStepper::any_will_meet(double h) const {
  return std::any_of(laws_.rows().blocks.begin(), laws_.rows().blocks.end(), [&](const LawBlock& block) {
    if (!is_unilateral(block)) return false;
    const double speed = laws_.rows().rows[static_cast<std::size_t>(block.first)].speed;
    return block.gap > Impacts::kTouch && speed < -settings_.restitution_threshold && block.gap + h * speed < 0;
  });
}

// When the first such pair meets: gap + speed t + c a t² = 0, with c = ½ where positions follow the mean velocity.
double SpookStepper::time_of_impact(double h) const {
  double first = h;
  for (const LawBlock& block : laws_.rows().blocks) {
    if (!is_unilateral(block) || !will_meet(block, h)) continue;
    const LawRow& row = laws_.rows().rows[static_cast<std::size_t>(block.first)];
    const double gap = gap_at_start(block, row.speed, h);
    const double acceleration = times(block, row, y_) / h;
    const double root = row.speed * row.speed - (middle_here_ ? 2 : 4) * acceleration * gap;
    if (root < 0) continue;
    first = std::min(first, 2 * gap / (-row.speed + std::sqrt(root)));
  }
  return first;
}

// In a crowd: what met fast and was stopped or thrown back.
void SpookStepper::list_impacts(const State& state) {
  for (const LawBlock& block : active_.blocks) {
    const LawRow& row = active_.rows[static_cast<std::size_t>(block.first)];
    if (is_unilateral(block) && row.speed < -settings_.restitution_threshold && solution_.z[block.first] > 0)
      impacts_.add(block, active_, solution_.z, y_, laws_, state.time);
  }
}

}  // namespace catena
