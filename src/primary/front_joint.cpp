#include "catena/primary/front_joint.h"

namespace catena {

FrontJoint::FrontJoint(const Model& model, JointId id) : joint_(id) {
  const Joint& joint = model.joints[id];
  motor_ = model.extras_of(joint).motor.has_value();
  carries_inertia_ = joint.kind == JointKind::hinge || joint.kind == JointKind::slider ||
                     joint.kind == JointKind::cylindrical || joint.kind == JointKind::universal;
  const JointGeometry geometry = geometry_of(joint);
  const Mat3 &A = geometry.frame_a, &B = geometry.frame_b;
  mount_ = {joint.a, joint.b, joint.anchor_a, joint.anchor_b, {}, {}, B.column(2), {}};
  if (!motor_ && joint.kind == JointKind::ball) {
    shape_ = Shape::ball;
    count = 3;
    F = {Spatial{{}, {1, 0, 0}}, Spatial{{}, {0, 1, 0}}, Spatial{{}, {0, 0, 1}}};
  } else if (!motor_ && joint.kind == JointKind::hinge) {
    shape_ = Shape::hinge;
    count = 1;
    mount_.e1 = A.column(0), mount_.e2 = A.column(1);
  } else if (!motor_ && joint.kind == JointKind::universal) {
    shape_ = Shape::universal;
    count = 2;
    mount_.e1 = A.column(2);
  } else if (!motor_ && joint.kind == JointKind::slider) {
    shape_ = Shape::slider;
    count = 1;
    mount_.e1 = A.column(0), mount_.e2 = A.column(1), mount_.f2 = B.column(0);
  } else {
    general_ = std::make_unique<General>(General{geometry, {}});
  }
}

void FrontJoint::set_inertia(const Joint& joint, const JointArray& along_coordinates) {
  inertia = {};
  for (int k = 0; k < 3; ++k)
    if (const int along = direction_of(joint.kind, motor_, k); along >= 0)
      inertia[static_cast<std::size_t>(along)] = along_coordinates[static_cast<std::size_t>(k)];
}

void FrontJoint::load(const Model& model, const Kinematics& kinematics) {
  if (shape_ == Shape::any) return load_any(model.joints[joint_], model, kinematics);
  constexpr Mat3 kGroundTurn = Mat3::identity();
  const bool on_a = mount_.a.valid(), on_b = mount_.b.valid();
  const Mat3 &A = on_a ? kinematics.R(mount_.a) : kGroundTurn, &B = on_b ? kinematics.R(mount_.b) : kGroundTurn;
  point = on_b ? kinematics.body(mount_.b).position + B * mount_.anchor_b : mount_.anchor_b;
  point_a = on_a ? kinematics.body(mount_.a).position + A * mount_.anchor_a : mount_.anchor_a;
  if (shape_ == Shape::hinge) load_hinge(A, B);
  else if (shape_ == Shape::universal) load_universal(A, B);
  else if (shape_ == Shape::slider) load_slider(A, B);
}

void FrontJoint::load_any(const Joint& joint, const Model& model, const Kinematics& kinematics) {
  const Placement A = kinematics[joint.a], B = kinematics[joint.b];
  const JointPose pose(general_->geometry, A, B);
  const Directions directions = free_directions(joint.kind, motor_, pose);
  count = directions.count;
  F = directions.F;
  point = pose.pb.p;
  point_a = directions.arm_to_b ? pose.pb.p : pose.pa.p;
  joint_rows(model, joint, pose, kinematics.state().time, general_->rows.rows);
  general_->rows.prepare(pose.pb.arm);
}

// Rows 3 and 4 are (a × t_k)·z = b_k with z ⟂ a: z = a × s, s = b_3 t1 + b_4 t2 + σ t3, a·s = 0.
void FrontJoint::load_hinge(const Mat3& A, const Mat3& B) {
  const Vec3 a = B * mount_.f1, t1 = A * mount_.e1, t2 = A * mount_.e2, t3 = cross(t1, t2);
  const double inverse = 1 / dot(a, t3);
  F[0].angular = a;
  turn_[0] = cross(a, t1 - (dot(a, t1) * inverse) * t3);
  turn_[1] = cross(a, t2 - (dot(a, t2) * inverse) * t3);
}

// Row 3 is u·z = b_3 with u = b × a, perpendicular to both axes.
void FrontJoint::load_universal(const Mat3& A, const Mat3& B) {
  const Vec3 a = A * mount_.e1, b = B * mount_.f1, u = cross(b, a);
  F[0].angular = a;
  F[1].angular = b;
  turn_[0] = (1 / dot(u, u)) * u;
}

// Rows 2 to 4 are u_k·z = b_k with u = (y_b × z_a, z_b × x_a, x_b × y_a).
void FrontJoint::load_slider(const Mat3& A, const Mat3& B) {
  const Vec3 xa = A * mount_.e1, ya = A * mount_.e2, za = cross(xa, ya);
  const Vec3 xb = B * mount_.f2, zb = B * mount_.f1, yb = cross(zb, xb);
  const Vec3 u0 = cross(yb, za), u1 = cross(zb, xa), u2 = cross(xb, ya), u12 = cross(u1, u2);
  const double inverse = 1 / dot(u0, u12);
  turn_ = {inverse * u12, inverse * cross(u2, u0), inverse * cross(u0, u1)};
  across_ = {xa, ya};
  F[0].linear = za;
  point_a = point;  // rows act on a at the point of b
}

void FrontJoint::multipliers(const Spatial& w, double* lambda) const {
  if (shape_ == Shape::any) return general_->rows.multipliers(w, lambda);
  if (shape_ == Shape::slider) {
    for (const Vec3& t : across_) *lambda++ = dot(t, w.linear);
    for (const Vec3& turn : turn_) *lambda++ = dot(turn, w.angular);
    return;
  }
  lambda[0] = w.linear.x, lambda[1] = w.linear.y, lambda[2] = w.linear.z;
  const int turns = shape_ == Shape::hinge ? 2 : shape_ == Shape::universal ? 1 : 0;
  for (int k = 0; k < turns; ++k) lambda[3 + k] = dot(turn_[static_cast<std::size_t>(k)], w.angular);
}

}  // namespace catena
