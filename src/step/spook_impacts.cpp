// When bodies meet in a step.
#include <algorithm>
#include <cmath>

#include "catena/step/spook.h"

namespace catena {
namespace {

// How fast the bodies of a contact part at its point, with the velocities of a state nearby.
double normal_speed(const Contact& c, const State& state) {
  const auto of = [&](BodyId body) {
    if (!body.valid()) return Vec3{};
    const BodyState& s = state.bodies[body];
    return s.velocity + cross(s.angular_velocity, c.position - s.position);
  };
  return dot(c.normal, of(c.a) - of(c.b));
}

}  // namespace

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

// Gaps are taken to change evenly; where bodies spin or roll over edges they do not, and at the end of the part shapes overlap that were apart.
// About when they met, if that is earlier than h.
double SpookStepper::time_of_overlap(double h, const State& state) {
  constexpr double kOverlap = 3e-4;   // m: overlaps less deep are left to be pushed out
  constexpr double kShortest = 1e-2;  // of a step
  if (h <= kShortest * settings_.step) return h;
  end_ = state;
  displace_all(h, end_);
  watch_.find(end_, at_end_);
  double first = h;
  for (const Contact& end : at_end_) {
    if (end.gap >= -kOverlap) continue;
    // Points of touch may be new: how far apart they were follows from how fast they came.
    const double gap = end.gap - 0.5 * h * (normal_speed(end, state) + normal_speed(end, end_));
    if (gap <= Impacts::kTouch) continue;
    first = std::min(first, h * gap / (gap - end.gap));
  }
  return std::max(first, kShortest * settings_.step);
}

}  // namespace catena
