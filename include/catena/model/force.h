// Forces that are not constraints: external loads, springs, actuators.
#pragma once

#include <limits>
#include <optional>

#include "catena/math/vec3.h"
#include "catena/model/ids.h"
#include "catena/model/signal.h"
#include "catena/model/spring_curve.h"

namespace catena {

struct ExternalForce {
  BodyId body;
  Vec3 force{}, torque{};
  Vec3 point{};  // where the force acts, body coordinates from the centre of mass
  double from = -std::numeric_limits<double>::infinity();
  double until = std::numeric_limits<double>::infinity();  // acts for from <= t < until
  bool body_frame = false;
};

// Tension stiffness·(distance − length) + damping·d(distance)/dt along the line between the anchors; with a curve, the curve's at
// distance − length instead of the stiffness'.
struct Spring {
  BodyId a, b;
  Vec3 anchor_a{}, anchor_b{};  // body coordinates from the centre of mass; world for the ground
  double stiffness = 0, damping = 0, length = 0;
  std::optional<SpringCurve> curve{};

  double tension(double distance) const {
    return curve ? curve->tension(distance - length) : stiffness * (distance - length);
  }
  double slope(double distance) const { return curve ? curve->slope(distance - length) : stiffness; }
  double energy(double distance) const {
    return curve ? curve->energy(distance - length) : 0.5 * stiffness * (distance - length) * (distance - length);
  }
};

// A force along one coordinate of a joint: torque: the signal; position: kp (signal − q) − kv q̇; velocity: kv (signal − q̇).
struct Actuator {
  enum class Kind { torque, position, velocity };
  JointId joint;
  int coordinate = 0;
  Kind kind = Kind::torque;
  double kp = 0, kv = 0;
  double limit = std::numeric_limits<double>::infinity();  // |force| <= limit
  Signal signal;
};

// Before its limit is applied, at coordinate q, its rate s and time t. `control` is added to the signal.
inline double force_of(const Actuator& actuator, double q, double s, double t, double control = 0) {
  const double target = value(actuator.signal, t) + control;
  switch (actuator.kind) {
    case Actuator::Kind::position: return actuator.kp * (target - q) - actuator.kv * s;
    case Actuator::Kind::velocity: return actuator.kv * (target - s);
    case Actuator::Kind::torque: break;
  }
  return target;
}

}  // namespace catena
