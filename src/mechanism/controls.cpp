#include "catena/mechanism/controls.h"

#include <algorithm>

namespace catena {

ControlForce control_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                           const Control& control, double input) {
  ControlForce out;
  Rows rows;
  each_term(model, control, [&](JointId joint, int coordinate, double g) {
    coordinates.evaluate(model, kinematics, joint, rows);
    if (coordinate >= rows.count) return;  // the joint is open
    out.length += g * rows[coordinate].phi;
    out.rate += g * rate(kinematics, model.joints[joint], rows[coordinate]);
  });
  const double u = std::clamp(input, control.ctrl_lower, control.ctrl_upper);
  const auto affine = [&](const std::array<double, 3>& c) { return c[0] + c[1] * out.length + c[2] * out.rate; };
  const double asked = affine(control.gain) * u + affine(control.bias);
  out.force = std::clamp(asked, control.force_lower, control.force_upper);
  if (asked > control.force_lower && asked < control.force_upper) {
    out.stiffness = std::max(0.0, -(control.gain[1] * u + control.bias[1]));
    out.damping = std::max(0.0, -(control.gain[2] * u + control.bias[2]));
  }
  return out;
}

}  // namespace catena
