// Bender's tree (§6) stepped by engines that hold ball joints by constraints: 10 N·m about y on the top body over the first step,
// h = 1/30 s, 2 s; the time of a step and the worst gap between joint points.
#pragma once

#include "common.h"

namespace peers {

struct Placed {
  Vec top, centre;  // of the upper end and the centre, world
  double angle;     // about y, from hanging straight down
};

// Body i hangs from `top`; its children hang from its lower end.
inline std::vector<Placed> placed(const std::vector<TreeBody>& bodies) {
  std::vector<Placed> places;
  std::vector<Vec> lower;
  for (const TreeBody& b : bodies) {
    const auto parent = static_cast<std::size_t>(b.parent);
    const double angle = b.parent < 0 ? 0 : places[parent].angle + b.lean;
    const Vec down{-std::sin(angle), 0, -std::cos(angle)}, top = b.parent < 0 ? Vec{0, 0, 0} : lower[parent];
    const auto along = [&](double s) { return Vec{top.x + s * down.x, top.y, top.z + s * down.z}; };
    places.push_back({top, along(b.length / 2), angle});
    lower.push_back(along(b.length));
  }
  return places;
}

inline double distance(const Vec& a, const Vec& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// World: built from its number of joints; torque(t) about y on the top body for the next step, step(h), and gap() of the worst joint.
template <class World>
void report_steps(const char* metric, int joints) {
  constexpr double kStep = 1.0 / 30;
  constexpr int kSteps = 60;
  World world(joints);
  double time = 0, gap = 0;
  for (int i = 0; i < kSteps; ++i) {
    if (i == 0) world.torque(10);
    const double start = cpu_seconds();
    world.step(kStep);
    time += cpu_seconds() - start;
    gap = std::max(gap, world.gap());
  }
  char name[96];
  std::snprintf(name, sizeof name, "%s, step", metric);
  report("Bender's tree", joints, name, time / kSteps * 1e6, "us");
  std::snprintf(name, sizeof name, "%s, worst gap", metric);
  report("Bender's tree", joints, name, gap, "m");
}

}  // namespace peers
