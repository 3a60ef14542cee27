// Right-hand sides of the primary joints: what they ask of accelerations, velocities and positions.
#include "catena/math/dispatch.h"
#include "catena/primary/maximal_system.h"

namespace catena {
namespace {

// A joint's two bodies, by the joint's order (a, b) rather than the tree's (child, parent).
struct Side {
  Vec3 x{}, v{}, w{}, arm{};
};

void write(double* b, const Vec3& r) { b[0] = r.x, b[1] = r.y, b[2] = r.z; }

Side side(const Kinematics& kinematics, BodyId body, const Vec3& arm) {
  if (!body.valid()) return {{}, {}, {}, arm};
  const BodyState& s = kinematics.body(body);
  return {s.position, s.velocity, s.angular_velocity, arm};
}

Vec3 arm_of(const Kinematics& kinematics, BodyId body, const Vec3& anchor) {
  return body.valid() ? kinematics.R(body) * anchor : anchor;
}

}  // namespace

CATENA_DISPATCH void MaximalSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    const auto slot = static_cast<std::size_t>(node.slot);
    if (node.kernel == Kernel::ball || node.kernel == Kernel::hinge) {
      // −(bias_B − bias_A), the bias of a point being ω × (ω × arm).
      const bool ball = node.kernel == Kernel::ball;
      const Side child = side(kinematics, node.body, ball ? balls_[slot].arm : hinges_[slot].arm);
      const Side parent = side(kinematics, node.parent_body, ball ? balls_[slot].arm_parent : hinges_[slot].arm_parent);
      const Vec3 bias = cross(parent.w, cross(parent.w, parent.arm)) - cross(child.w, cross(child.w, child.arm));
      write(out, node.child_is_b ? bias : -bias);
      if (ball) continue;
      // −c of (a × t_k)·ω_rel = 0: c_k = t_k·(ω_rel × (ω_B × a) + (ω_rel × a) × ω_A).
      const Vec3 &a = hinges_[slot].axis, *t = &hinge_frames_[3 * slot];
      const Vec3& wa = node.child_is_b ? parent.w : child.w;
      const Vec3& wb = node.child_is_b ? child.w : parent.w;
      const Vec3 w = wb - wa;
      const Vec3 z = cross(w, cross(wb, a)) + cross(cross(w, a), wa);
      out[3] = -dot(t[0], z);
      out[4] = -dot(t[1], z);
    } else if (node.kernel == Kernel::freedom && loaded_ == kinematics.stamp()) {
      const Rows& loaded = freedom_rows_[slot].rows;
      for (int i = 0; i < loaded.count; ++i) out[i] = -loaded[i].c;
    } else if (node.kernel != Kernel::free) {
      joint_rows(*model_, model_->joints[node.joint], kinematics, rows);
      for (int i = 0; i < rows.count; ++i) out[i] = -rows[i].c;
    }
  }
}

void MaximalSystem::velocity_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    const auto slot = static_cast<std::size_t>(node.slot);
    if (node.kernel == Kernel::ball || node.kernel == Kernel::hinge) {
      const bool ball = node.kernel == Kernel::ball;
      const Anchors& anchors = ball ? ball_anchors_[slot] : hinge_anchors_[slot];
      const Side child = side(kinematics, node.body, arm_of(kinematics, node.body, anchors.child));
      const Side parent = side(kinematics, node.parent_body, arm_of(kinematics, node.parent_body, anchors.parent));
      const Vec3 v = parent.v + cross(parent.w, parent.arm) - child.v - cross(child.w, child.arm);
      write(out, node.child_is_b ? v : -v);
      if (ball) continue;
      const Axes& axes = hinge_axes_[slot];
      const BodyId A = node.child_is_b ? node.parent_body : node.body,
                   B = node.child_is_b ? node.body : node.parent_body;
      const Vec3 w = node.child_is_b ? child.w - parent.w : parent.w - child.w;
      const Vec3 turn = cross(w, arm_of(kinematics, B, axes.axis_b));
      out[3] = -dot(arm_of(kinematics, A, axes.t1), turn);
      out[4] = -dot(arm_of(kinematics, A, axes.t2), turn);
    } else if (node.kernel != Kernel::free) {
      const Joint& joint = model_->joints[node.joint];
      joint_rows(*model_, joint, kinematics, rows);
      const BodyVector va = joint.a.valid() ? velocity_of(kinematics.body(joint.a)) : BodyVector{};
      const BodyVector vb = joint.b.valid() ? velocity_of(kinematics.body(joint.b)) : BodyVector{};
      for (int i = 0; i < rows.count; ++i) out[i] = rows[i].u - velocity(rows[i], va, vb);
    }
  }
}

void MaximalSystem::position_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    const auto slot = static_cast<std::size_t>(node.slot);
    if (node.kernel == Kernel::ball || node.kernel == Kernel::hinge) {
      const bool ball = node.kernel == Kernel::ball;
      const Anchors& anchors = ball ? ball_anchors_[slot] : hinge_anchors_[slot];
      const Side child = side(kinematics, node.body, arm_of(kinematics, node.body, anchors.child));
      const Side parent = side(kinematics, node.parent_body, arm_of(kinematics, node.parent_body, anchors.parent));
      const Vec3 gap = parent.x + parent.arm - child.x - child.arm;
      write(out, node.child_is_b ? gap : -gap);
      if (ball) continue;
      const Axes& axes = hinge_axes_[slot];
      const BodyId A = node.child_is_b ? node.parent_body : node.body,
                   B = node.child_is_b ? node.body : node.parent_body;
      const Vec3 axis = arm_of(kinematics, B, axes.axis_b);
      out[3] = -dot(arm_of(kinematics, A, axes.t1), axis);
      out[4] = -dot(arm_of(kinematics, A, axes.t2), axis);
    } else if (node.kernel != Kernel::free) {
      joint_rows(*model_, model_->joints[node.joint], kinematics, rows);
      for (int i = 0; i < rows.count; ++i) out[i] = rows[i].holonomic ? -rows[i].phi : 0;
    }
  }
}

}  // namespace catena
