// Two mechanisms that must hold: a four-bar linkage (examples/four_bar.yaml) that swings for ten seconds, whose joints must stay closed, and a box on a
// slope a little below its friction angle, which must not creep.
#pragma once

#include <cmath>

#include "common.h"

namespace peers {

struct Bar {
  double mass, length, lean;  // the bar lies along (cos lean, 0, sin lean) from its first end
  Vec from;                   // its first end
};
constexpr double kCrankLean = 1.0471975511965979, kCouplerLean = 0.5639308374679242;
constexpr double kRockerLean = 3.141592653589793 - 1.6900293441354222;  // 1.4515633 from x, backwards up
constexpr Vec kCrankPin{0.15, 0, 0.25980762113533157}, kRockerPin{0.9951605641156853, 0, 0.7943201288128009};
constexpr Vec kRockerPivot{0.9, 0, 0};
inline const Bar kCrank{0.6, 0.3, kCrankLean, {0, 0, 0}};
inline const Bar kCoupler{2.0, 1.0, kCouplerLean, kCrankPin};
inline const Bar kRocker{1.6, 0.8, kRockerLean, kRockerPivot};
constexpr double kBarThickness = 0.03, kBarsStep = 1e-3, kBarsTime = 10;  // m, s, s

// A cube of 1 kg that starts at rest on the plane z = 0; gravity leans instead of the plane.
constexpr double kSlopeFriction = 0.5, kCube = 0.2, kSlopeStep = 2e-3, kSlopeTime = 60;
constexpr double kSlopeBegin = 1;  // s: how far it moves counts from here on, when first contact is over
inline double slope_angle() { return 0.99 * std::atan(kSlopeFriction); }
inline Vec slope_gravity() { return {kGravity * std::sin(slope_angle()), 0, -kGravity * std::cos(slope_angle())}; }

inline void report_bars(const char* name, double gap) { report("four-bar, 10 s", 3, name, gap, "m"); }
inline void report_slope(const char* name, double moved) {
  report("box at 0.99 of its friction angle, 60 s", 1, name, moved, "m");
}

}  // namespace peers
