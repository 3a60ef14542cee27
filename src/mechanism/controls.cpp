#include "catena/mechanism/controls.h"

#include <algorithm>

namespace catena {
namespace {

// ℓ and ℓ̇ of what has the terms g_k q_k.
class Length {
 public:
  Length(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates, ControlForce& out)
      : model_(model), kinematics_(kinematics), coordinates_(coordinates), out_(out) {}

  void operator()(JointId joint, int coordinate, double g) {
    const Row& row = coordinates_.evaluate(model_, kinematics_, joint)[static_cast<std::size_t>(coordinate)];
    out_.length += g * row.phi;
    out_.rate += g * rate(kinematics_, model_.joints[joint], row);
  }

 private:
  const Model& model_;
  const Kinematics& kinematics_;
  const JointCoordinates& coordinates_;
  ControlForce& out_;
};

}  // namespace

ControlForce control_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                           const Control& control, double acting) {
  ControlForce out;
  each_term(model, control, Length(model, kinematics, coordinates, out));
  const auto affine = [&](const std::array<double, 3>& c) { return c[0] + c[1] * out.length + c[2] * out.rate; };
  const double asked = affine(control.gain) * acting + affine(control.bias);
  out.force = std::clamp(asked, control.force_lower, control.force_upper);
  if (asked > control.force_lower && asked < control.force_upper) {
    out.stiffness = std::max(0.0, -(control.gain[1] * acting + control.bias[1]));
    out.damping = std::max(0.0, -(control.gain[2] * acting + control.bias[2]));
  }
  return out;
}

ControlForce tendon_force(const Model& model, const Kinematics& kinematics, const JointCoordinates& coordinates,
                          const Tendon& tendon) {
  ControlForce out;
  each_term(tendon, Length(model, kinematics, coordinates, out));
  const auto pull = [&](double stretch, double stiffness, double damping) {
    out.force -= stiffness * stretch + damping * out.rate;
    out.stiffness += stiffness;
    out.damping += damping;
    out.energy += 0.5 * stiffness * stretch * stretch;
  };
  const double stretch = out.length - std::clamp(out.length, tendon.rest, tendon.rest_upper);
  pull(stretch, stretch != 0 ? tendon.stiffness : 0, tendon.damping);
  // A stop pushes back and never holds what is leaving it.
  const double beyond = out.length - std::clamp(out.length, tendon.lower, tendon.upper);
  if (beyond == 0) return out;
  const double push = tendon.limit_stiffness * beyond + tendon.limit_damping * out.rate;
  if (push * beyond > 0) pull(beyond, tendon.limit_stiffness, tendon.limit_damping);
  return out;
}

}  // namespace catena
