// Right-hand sides of the primary joints: what they ask of accelerations, velocities and positions.
#include "catena/math/dispatch.h"
#include "catena/primary/maximal_system.h"

namespace catena {
namespace {

void write(double* b, const Vec3& r) {
  b[0] = r.x;
  b[1] = r.y;
  b[2] = r.z;
}

Vec3 turning(const Kinematics& kinematics, BodyId body) {
  return body.valid() ? kinematics.body(body).angular_velocity : Vec3{};
}

}  // namespace

// The rows of a joint, evaluated into `rows` unless they were loaded at this state.
const Rows& MaximalSystem::rows_here(const Kinematics& kinematics, const Node& node, Rows& rows) const {
  const auto slot = static_cast<std::size_t>(node.slot);
  const bool loaded = loaded_ == kinematics.stamp();
  const bool moves = node.joint.valid() && model_->extras_of(model_->joints[node.joint]).moves.has_value();
  if (loaded && node.kernel == Kernel::freedom && !moves) return freedoms_.few.rows[slot].rows;
  if (loaded && node.kernel == Kernel::compound) return freedoms_.many.rows[slot].rows;
  joint_rows(*model_, model_->joints[node.joint], kinematics, rows);
  return rows;
}

CATENA_DISPATCH void MaximalSystem::acceleration_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    const auto slot = static_cast<std::size_t>(node.slot);
    if (node.kernel == Kernel::ball || node.kernel == Kernel::hinge) {
      // −(bias_B − bias_A), the bias of a point being ω × (ω × arm).
      const bool ball = node.kernel == Kernel::ball;
      const Vec3 w_child = turning(kinematics, node.body), w_parent = turning(kinematics, node.parent_body);
      const Vec3& arm = ball ? balls_.joints[slot].arm : hinges_.joints[slot].arm;
      const Vec3& arm_parent = ball ? balls_.joints[slot].arm_parent : hinges_.joints[slot].arm_parent;
      const Vec3 bias = cross(w_parent, cross(w_parent, arm_parent)) - cross(w_child, cross(w_child, arm));
      write(out, node.child_is_b ? bias : -bias);
      if (ball) continue;
      // −c of (a × t_k)·ω_rel = 0: c_k = t_k·(ω_rel × (ω_B × a) + (ω_rel × a) × ω_A).
      const Vec3 &a = hinges_.joints[slot].axis, *t = &hinges_.frames[3 * slot];
      const Vec3& wa = node.child_is_b ? w_parent : w_child;
      const Vec3& wb = node.child_is_b ? w_child : w_parent;
      const Vec3 w = wb - wa;
      const Vec3 z = cross(w, cross(wb, a)) + cross(cross(w, a), wa);
      out[3] = -dot(t[0], z);
      out[4] = -dot(t[1], z);
    } else if (node.kernel != Kernel::free) {
      const Rows& own = rows_here(kinematics, node, rows);
      for (int i = 0; i < own.count; ++i) out[i] = -own[i].c;
    }
  }
}

// A ball joint, by its tree: the place of its point on the child and on the parent, and their velocities.
struct MaximalSystem::BallPose {
  Vec3 arm, arm_parent;
  const BodyState *child, *parent;  // parent: nullptr for the ground
};
MaximalSystem::BallPose MaximalSystem::ball_pose(const Kinematics& kinematics, const Node& node) const {
  const Anchors& anchors = balls_.anchors[static_cast<std::size_t>(node.slot)];
  const bool grounded = !node.parent_body.valid();
  return {kinematics.R(node.body) * anchors.child,
          grounded ? anchors.parent : kinematics.R(node.parent_body) * anchors.parent, &kinematics.body(node.body),
          grounded ? nullptr : &kinematics.body(node.parent_body)};
}

// A hinge at a state other than the one that was loaded.
MaximalSystem::HingePose MaximalSystem::hinge_pose(const Kinematics& kinematics, const Node& node) const {
  const auto slot = static_cast<std::size_t>(node.slot);
  const Anchors& anchors = hinges_.anchors[slot];
  const BodyId A = node.child_is_b ? node.parent_body : node.body, B = node.child_is_b ? node.body : node.parent_body;
  HingePose pose{kinematics[A], kinematics[B], {}, {}, {}, {}, {}};
  pose.arm_a = pose.A.R * (node.child_is_b ? anchors.parent : anchors.child);
  pose.arm_b = pose.B.R * (node.child_is_b ? anchors.child : anchors.parent);
  const Axes& axes = hinges_.axes[slot];
  pose.t1 = pose.A.R * axes.t1;
  pose.t2 = pose.A.R * axes.t2;
  pose.axis = pose.B.R * axes.axis_b;
  return pose;
}

CATENA_DISPATCH void MaximalSystem::velocity_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    if (node.kernel == Kernel::ball) {
      const BallPose j = ball_pose(kinematics, node);
      Vec3 lacking = -(j.child->velocity + cross(j.child->angular_velocity, j.arm));
      if (j.parent) lacking += j.parent->velocity + cross(j.parent->angular_velocity, j.arm_parent);
      write(out, node.child_is_b ? lacking : -lacking);
    } else if (node.kernel == Kernel::hinge) {
      const HingePose j = hinge_pose(kinematics, node);
      write(out, j.A.v + cross(j.A.w, j.arm_a) - j.B.v - cross(j.B.w, j.arm_b));
      const Vec3 turn = cross(j.B.w - j.A.w, j.axis);
      out[3] = -dot(j.t1, turn);
      out[4] = -dot(j.t2, turn);
    } else if (node.kernel != Kernel::free) {
      const Joint& joint = model_->joints[node.joint];
      const Rows& own = rows_here(kinematics, node, rows);
      const BodyVector va = joint.a.valid() ? velocity_of(kinematics.body(joint.a)) : BodyVector{};
      const BodyVector vb = joint.b.valid() ? velocity_of(kinematics.body(joint.b)) : BodyVector{};
      for (int i = 0; i < own.count; ++i) out[i] = own[i].u - velocity(own[i], va, vb);
    }
  }
}

CATENA_DISPATCH void MaximalSystem::position_rhs(const Kinematics& kinematics, std::span<double> b) const {
  Rows rows;
  for (const Node& node : nodes_) {
    double* const out = b.data() + node.row;
    if (node.kernel == Kernel::ball) {
      const BallPose j = ball_pose(kinematics, node);
      const Vec3 gap = (j.parent ? j.parent->position + j.arm_parent : j.arm_parent) - (j.child->position + j.arm);
      write(out, node.child_is_b ? gap : -gap);
    } else if (node.kernel == Kernel::hinge) {
      const HingePose j = hinge_pose(kinematics, node);
      write(out, j.A.x + j.arm_a - j.B.x - j.arm_b);
      out[3] = -dot(j.t1, j.axis);
      out[4] = -dot(j.t2, j.axis);
    } else if (node.kernel != Kernel::free) {
      const Rows& own = rows_here(kinematics, node, rows);
      for (int i = 0; i < own.count; ++i) out[i] = own[i].holonomic ? -own[i].phi : 0;
    }
  }
}

}  // namespace catena
