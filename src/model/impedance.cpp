#include "catena/model/impedance.h"

#include "catena/model/joint_rules.h"
#include "catena/model/transmission.h"

namespace catena {

std::vector<char> joints_with_impedance(const Model& model) {
  std::vector<char> has(model.joints.size(), 0);
  for (std::size_t j = 0; j < has.size(); ++j) {
    const JointExtras& extras = model.extras_of(model.joints[j]);
    for (int k = 0; k < coordinate_count(model.joints[j]) && has[j] == 0; ++k) {
      const CoordinateLaw law = coordinate_law(model.joints[j], extras, k);
      has[j] = law.damping != 0 || law.has_spring() || law.armature != 0;
    }
  }
  for (const Actuator& actuator : model.actuators)
    if (actuator.kp != 0 || actuator.kv != 0) has[actuator.joint] = 1;
  for (const Control& control : model.controls) {
    const bool servo = control.bias[1] != 0 || control.bias[2] != 0 || control.gain[1] != 0 || control.gain[2] != 0;
    if (servo && acts_by_itself(control))
      each_term(model, control, [&](JointId joint, int, double) { has[joint] = 1; });
  }
  for (const Tendon& tendon : model.tendons)
    if (tendon.is_passive()) each_term(tendon, [&](JointId joint, int, double) { has[joint] = 1; });
  return has;
}

bool has_armature(const Model& model, const Joint& joint) {
  for (int k = 0; k < coordinate_count(joint); ++k)
    if (coordinate_law(joint, model.extras_of(joint), k).armature != 0) return true;
  return false;
}

}  // namespace catena
