// front_elimination.h: inertia along the coordinates of joints.
#include <algorithm>

#include "catena/math/dispatch.h"
#include "catena/math/scalar.h"
#include "catena/primary/front_elimination.h"
#include "catena/primary/front_kernels.h"

namespace catena {

using namespace front;

void FrontElimination::find_closers() {
  for (std::size_t i = 0; i < plan_.fronts.size(); ++i)
    for (const ClosingJoint& closing : plan_.fronts[i].closing) {
      if (tree_freedoms(*model_, model_->joints[closing.joint]) < 0) continue;
      if (FrontJoint joint(*model_, closing.joint); joint.carries_inertia())
        closers_.push_back({static_cast<int>(i), &closing, std::move(joint)});
    }
}

bool FrontElimination::carries_inertia(JointId joint) const {
  const auto carries = [&](const FrontJoint& own) { return own.id() == joint && own.carries_inertia(); };
  return std::any_of(joints_.begin(), joints_.end(), carries) ||
         std::any_of(closers_.begin(), closers_.end(), [&](const Closer& closer) { return carries(closer.joint); });
}

bool FrontElimination::set_freedom_inertia(std::span<const JointArray> a) {
  const bool none = std::all_of(a.begin(), a.end(), [](const JointArray& along) { return along == JointArray{}; });
  if (none && !has_inertia_) return false;
  bool differs = false;
  has_inertia_ = false;
  const auto set = [&](FrontJoint& joint) {
    if (!joint.carries_inertia()) return;
    const std::array<double, 3> before = joint.inertia;
    joint.set_inertia(model_->joints[joint.id()], a[joint.id()]);
    differs = differs || joint.inertia != before;
    has_inertia_ = has_inertia_ || joint.has_inertia();
  };
  for (FrontJoint& joint : joints_) set(joint);
  for (Closer& closer : closers_) set(closer.joint);
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

// ½ a s² with s = c q + C B, the speed along a coordinate of a joint that closes a loop, seen by freedoms and boundary as its rows are.
CATENA_DISPATCH void FrontElimination::add_closing_inertia(std::size_t index, Work& w) {
  const BodyFront& F = plan_.fronts[index];
  for (const Closer& closer : closers_) {
    if (closer.front != static_cast<int>(index) || !closer.joint.has_inertia()) continue;
    const FrontJoint& joint = closer.joint;
    for (int k = 0; k < joint.count; ++k) {
      const double a = joint.inertia[at(k)];
      if (a == 0) continue;
      double e[kSlot] = {}, *s = scratch_.row;
      write6(e, plan_.length * joint.F[at(k)].linear, joint.F[at(k)].angular);
      carry_wrench(e, joint_arm(F, joint));
      zero(s, w.stride);
      for (const ClosingJoint::Sight& sight : closer.closing->freedoms)
        s[sight.where] = sight.sign * dot6(e, w.S + kSlot * sight.where);
      for (const ClosingJoint::Sight& sight : closer.closing->all_ends)
        for (int i = 0; i < 6; ++i) s[w.freedoms + 6 * sight.where + i] = sight.sign * e[i];
      for (int i = 0; i < w.width; ++i)
        if (s[i] != 0) add_scaled(w.Q + i * w.stride, s, a * s[i], w.stride);
    }
  }
}

void FrontElimination::add_inertia_forces(std::span<const BodyVector> y, double scale,
                                          std::span<BodyVector> out) const {
  if (!has_inertia_) return;
  for (const FrontJoint& joint : joints_)
    if (joint.has_inertia()) add_inertia_forces(joint, y, scale, out);
  for (const Closer& closer : closers_)
    if (closer.joint.has_inertia()) add_inertia_forces(closer.joint, y, scale, out);
}

void FrontElimination::add_inertia_forces(const FrontJoint& joint, std::span<const BodyVector> y, double scale,
                                          std::span<BodyVector> out) const {
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

}  // namespace catena
