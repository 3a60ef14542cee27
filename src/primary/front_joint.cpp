#include "catena/primary/front_joint.h"

namespace catena {

FrontJoint::FrontJoint(const Model& model, JointId id) : joint_(id), geometry_(geometry_of(model.joints[id])) {
  const Joint& joint = model.joints[id];
  motor_ = model.extras_of(joint).motor.has_value();
  if (joint.kind == JointKind::ball && !motor_) shape_ = Shape::ball;
  else if (joint.kind == JointKind::hinge && !motor_) shape_ = Shape::hinge;
  else rows_ = std::make_unique<FreedomRows>();
  carries_inertia_ = joint.kind == JointKind::hinge || joint.kind == JointKind::slider ||
                     joint.kind == JointKind::cylindrical || joint.kind == JointKind::universal;
}

void FrontJoint::set_inertia(const Joint& joint, const JointArray& along_coordinates) {
  inertia = {};
  for (int k = 0; k < 3; ++k)
    if (const int along = direction_of(joint.kind, motor_, k); along >= 0)
      inertia[static_cast<std::size_t>(along)] = along_coordinates[static_cast<std::size_t>(k)];
}

void FrontJoint::load(const Model& model, const Kinematics& kinematics) {
  const Joint& joint = model.joints[joint_];
  if (shape_ == Shape::any) {
    const Placement A = kinematics[joint.a], B = kinematics[joint.b];
    const JointPose pose(geometry_, A, B);
    const Directions directions = free_directions(joint.kind, motor_, pose);
    count = directions.count;
    F = directions.F;
    point = pose.pb.p;
    point_a = directions.arm_to_b ? pose.pb.p : pose.pa.p;
    joint_rows(model, joint, pose, kinematics.state().time, rows_->rows);
    rows_->prepare(pose.pb.arm);
    return;
  }
  point = joint.b.valid() ? kinematics.body(joint.b).position + kinematics.R(joint.b) * joint.anchor_b : joint.anchor_b;
  point_a =
      joint.a.valid() ? kinematics.body(joint.a).position + kinematics.R(joint.a) * joint.anchor_a : joint.anchor_a;
  if (shape_ == Shape::ball) {
    count = 3;
    F = {Spatial{{}, {1, 0, 0}}, Spatial{{}, {0, 1, 0}}, Spatial{{}, {0, 0, 1}}};
    return;
  }
  count = 1;
  const Mat3 ground = Mat3::identity();
  const Mat3 &A = joint.a.valid() ? kinematics.R(joint.a) : ground,
             &B = joint.b.valid() ? kinematics.R(joint.b) : ground;
  F[0] = {{}, B * geometry_.frame_b.column(2)};
  t1_ = A * geometry_.frame_a.column(0);
  t2_ = A * geometry_.frame_a.column(1);
  t3_ = cross(t1_, t2_);
  // Rows 3 and 4 are (a × t_k)·z = b_k with z ⟂ a: z = a × s, s = b_3 t1 + b_4 t2 + σ t3, a·s = 0.
  const Vec3& a = F[0].angular;
  const double inverse = 1 / dot(a, t3_);
  turn1_ = cross(a, t1_ - (dot(a, t1_) * inverse) * t3_);
  turn2_ = cross(a, t2_ - (dot(a, t2_) * inverse) * t3_);
}

void FrontJoint::multipliers(const Spatial& w, double* lambda) const {
  if (shape_ == Shape::any) return rows_->multipliers(w, lambda);
  lambda[0] = w.linear.x, lambda[1] = w.linear.y, lambda[2] = w.linear.z;
  if (shape_ == Shape::ball) return;
  // The torque is a × q with q = λ_3 t1 + λ_4 t2.
  const Vec3 &a = F[0].angular, across = cross(w.angular, a);
  const Vec3 q = across - (dot(t3_, across) / dot(t3_, a)) * a;
  lambda[3] = dot(t1_, q), lambda[4] = dot(t2_, q);
}

}  // namespace catena
