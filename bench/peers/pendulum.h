// Jain's pendulum (bench/workloads: jain_pendulum) as plain numbers, and what a peer reports of swinging it for 2 s: the time of the steps, how
// deep a sphere sinks into the floor or the wall, and how far a hinge comes apart.
#pragma once

#include "common.h"

namespace peers {

// Spheres on a string of hinges about y, each hinge on the surface of two spheres. The first hangs from a point above the floor z = 0; the wall is
// x = kWall. At 45 degrees on the side away from the wall, swinging towards it. Spheres touch the floor and the wall, not each other.
struct Pendulum {
  explicit Pendulum(int spheres) : n(spheres), radius(6.0 / spheres), inertia(0.4 * radius * radius) {}
  int n;
  double radius, inertia;  // m; kg m²: a sphere of 1 kg
};
constexpr double kPendulumGravity = 9.8, kBase = 10, kWall = 4, kFriction = 0.5, kRestitution = 0.7;
constexpr double kStartAngle = 0.78539816339744831, kStartRate = -1;  // about y; at angle 0 it hangs
constexpr double kPendulumStep = 1e-4, kPendulumTime = 2;             // s

// World: built from a Pendulum; step(); centre(i) of a sphere; gap() of the widest hinge, 0 where hinges are coordinates.
template <class World>
void report_pendulum(const char* metric) {
  for (const int n : {3, 6, 12, 24, 30}) {
    const Pendulum pendulum(n);
    World world(pendulum);
    double time = 0, overlap = 0, gap = 0;
    for (long i = std::lround(kPendulumTime / kPendulumStep); i > 0; --i) {
      const double start = cpu_seconds();
      world.step();
      time += cpu_seconds() - start;
      for (int k = 0; k < n; ++k) {
        const Vec c = world.centre(k);
        overlap = std::max({overlap, pendulum.radius - c.z, c.x + pendulum.radius - kWall});
      }
      gap = std::max(gap, world.gap());
    }
    const auto line = [&](const char* what, double value, const char* unit) {
      report("pendulum with contact", n, (std::string(metric) + what).c_str(), value, unit);
    };
    line("time a simulated second", time / kPendulumTime, "s");
    line("deepest overlap", overlap, "m");
    line("widest hinge", gap, "m");
  }
}

}  // namespace peers
