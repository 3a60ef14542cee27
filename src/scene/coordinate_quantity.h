// What is measured along a joint's coordinate: some turn, some travel.
#pragma once

#include "catena/model/joint.h"
#include "catena/scene/quantity.h"

namespace catena {

// Whether coordinate k of a joint of this kind is a travel (m) rather than a turn (rad).
constexpr bool is_travel(JointKind kind, int k) {
  switch (kind) {
    case JointKind::slider:
    case JointKind::fixed_orientation: return true;
    case JointKind::cylindrical: return k == 1;
    case JointKind::planar: return k < 2;
    default: return false;
  }
}

constexpr const Quantity& coordinate_quantity(JointKind kind, int k) {
  return is_travel(kind, k) ? quantity::kLength : quantity::kAngle;
}
constexpr const Quantity& velocity_quantity(JointKind kind, int k) {
  return is_travel(kind, k) ? quantity::kSpeed : quantity::kTurnRate;
}
constexpr const Quantity& force_quantity(JointKind kind, int k) {
  return is_travel(kind, k) ? quantity::kForce : quantity::kTorque;
}
constexpr const Quantity& stiffness_quantity(JointKind kind, int k) {
  return is_travel(kind, k) ? quantity::kStiffness : quantity::kTurnStiffness;
}
constexpr const Quantity& damping_quantity(JointKind kind, int k) {
  return is_travel(kind, k) ? quantity::kDamping : quantity::kTurnDamping;
}

}  // namespace catena
