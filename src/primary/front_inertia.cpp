// front_elimination.h: inertia along the coordinates of joints.
#include <algorithm>

#include "catena/primary/front_elimination.h"

namespace catena {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

bool FrontElimination::carries_inertia(JointId joint) const {
  return std::any_of(joints_.begin(), joints_.end(),
                     [&](const FrontJoint& own) { return own.id() == joint && own.carries_inertia(); });
}

bool FrontElimination::set_freedom_inertia(std::span<const JointArray> a) {
  const bool none = std::all_of(a.begin(), a.end(), [](const JointArray& along) { return along == JointArray{}; });
  if (none && !has_inertia_) return false;
  bool differs = false;
  has_inertia_ = false;
  for (FrontJoint& joint : joints_) {
    if (!joint.carries_inertia()) continue;
    const std::array<double, 3> before = joint.inertia;
    joint.set_inertia(model_->joints[joint.id()], a[joint.id()]);
    differs = differs || joint.inertia != before;
    has_inertia_ = has_inertia_ || joint.inertia != std::array<double, 3>{};
  }
  return differs;
}

// Lengths are in units of the plan's: a translation of one unit is that many metres.
void FrontElimination::add_freedom_inertia(const BodyFront& F, Work& w) const {
  for (int i = F.boundary; i < F.local(); ++i) {
    const FrontBody& body = F.bodies[at(i)];
    if (!body.joint.valid()) continue;
    const FrontJoint& joint = joint_of(body);
    for (int k = 0; k < joint.count; ++k) {
      const double unit = joint.F[at(k)].angular == Vec3{} ? plan_.length : 1;
      w.Q[(body.first + k) * (w.stride + 1)] += unit * unit * joint.inertia[at(k)];
    }
  }
}

void FrontElimination::add_inertia_forces(std::span<const BodyVector> y, double scale,
                                          std::span<BodyVector> out) const {
  if (!has_inertia_) return;
  for (const FrontJoint& joint : joints_) {
    if (joint.inertia == std::array<double, 3>{}) continue;
    const Joint& of = model_->joints[joint.id()];
    const auto arm_of = [&](BodyId body) { return joint.point - plan_.length * load_[body].x; };
    const auto motion_of = [&](BodyId body) {
      return body.valid() ? Spatial{y[body].linear + cross(y[body].angular, arm_of(body)), y[body].angular} : Spatial{};
    };
    const Spatial relative = motion_of(of.b) - motion_of(of.a);
    Spatial wrench{};
    for (int k = 0; k < joint.count; ++k)
      wrench += (scale * joint.inertia[at(k)] * dot(joint.F[at(k)], relative)) * joint.F[at(k)];
    const auto push = [&](BodyId body, double sign) {
      if (!body.valid()) return;
      out[body].linear += sign * wrench.linear;
      out[body].angular += sign * (wrench.angular + cross(arm_of(body), wrench.linear));
    };
    push(of.b, 1);
    push(of.a, -1);
  }
}

}  // namespace catena
