#include "catena/model/impedance.h"

namespace catena {

std::vector<char> joints_with_impedance(const Model& model) {
  std::vector<char> has(model.joints.size(), 0);
  for (std::size_t j = 0; j < has.size(); ++j) {
    const JointExtras& extras = model.extras_of(model.joints[j]);
    has[j] = extras.damping != 0 || extras.stiffness != 0 || extras.armature != std::array<double, 3>{};
  }
  for (const Actuator& actuator : model.actuators)
    if (actuator.kp != 0 || actuator.kv != 0) has[actuator.joint] = 1;
  return has;
}

int sprung_coordinates(JointKind kind) { return kind == JointKind::ball ? 3 : 1; }

}  // namespace catena
