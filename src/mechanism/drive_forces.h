// What pushes along one coordinate of a joint, of one world: the same for forces on bodies, forces along rates, and worlds in lanes.
#pragma once

#include <algorithm>

#include "catena/model/force.h"
#include "catena/model/joint.h"

namespace catena {

// The joint's own spring and damper at coordinate q and rate s.
inline double spring_and_damper(const CoordinateLaw& law, double q, double s) {
  return -law.spring_force(q) - law.damping * s;
}

// An actuator within its limit.
inline double limited_force(const Actuator& actuator, double q, double s, double time, double control) {
  return std::clamp(force_of(actuator, q, s, time, control), -actuator.limit, actuator.limit);
}

}  // namespace catena
