// Rows of sliders and universal joints between bodies that turn and do not scale, as joint_rows() has them, in three parts: gaps, places, rates. Platforms
// are made of such joints, and most of a JointPose is of no use to them.
#pragma once

#include "catena/constraint/basic_rows.h"
#include "catena/constraint/kinematics.h"
#include "catena/constraint/slider.h"
#include "catena/constraint/universal.h"
#include "catena/math/dispatch.h"

namespace catena {

inline bool has_framed_rows(const Model& model, const Joint& joint) {
  const auto turns = [&](BodyId body) { return !body.valid() || model.bodies[body].kind == BodyKind::rigid; };
  return (joint.kind == JointKind::slider || joint.kind == JointKind::universal) && joint.extras < 0 &&
         turns(joint.a) && turns(joint.b);
}

// A joint placed by its bodies.
struct FramedJoint {
  static constexpr Mat3 kGroundTurn = Mat3::identity();
  const Mat3 &RA, &RB;
  Mat3 frame_a, frame_b;
  Vec3 arm_a, arm_b, gap;  // from the centres of mass to the anchors; from that of a to that of b

  CATENA_INLINE FramedJoint(const Kinematics& kinematics, const Joint& joint)
      : RA(joint.a.valid() ? kinematics.R(joint.a) : kGroundTurn),
        RB(joint.b.valid() ? kinematics.R(joint.b) : kGroundTurn),
        frame_a(to_matrix(joint.frame_a)),
        frame_b(to_matrix(joint.frame_b)),
        arm_a(RA * joint.anchor_a),
        arm_b(RB * joint.anchor_b) {
    const Vec3 pa = (joint.a.valid() ? kinematics.body(joint.a).position : Vec3{}) + arm_a,
               pb = (joint.b.valid() ? kinematics.body(joint.b).position : Vec3{}) + arm_b;
    gap = pb - pa;
  }

  // Directions of the frames in the world.
  CATENA_INLINE Vec3 of_a(int k) const { return RA * frame_a.column(k); }
  CATENA_INLINE Vec3 of_b(int k) const { return RB * frame_b.column(k); }
};

// phi alone,
struct PhiList {
  const FramedJoint& j;
  double* phi;

  CATENA_INLINE void point() {
    for (int k = 0; k < 3; ++k) *phi++ = j.gap[k];
  }
  CATENA_INLINE void plane(int t) { *phi++ = dot(j.of_a(t), j.gap); }
  CATENA_INLINE void perpendicular(int e, int f) { *phi++ = dot(j.of_a(e), j.of_b(f)); }
  CATENA_INLINE void orientation() { perpendicular(2, 1), perpendicular(0, 2), perpendicular(1, 0); }
};

// J and phi (basic_rows.h has the equations),
struct PlaceList {
  const FramedJoint& j;
  bool on_a, on_b;
  BodyVector* J;
  double* phi;

  CATENA_INLINE void put(const Vec3& n, const Vec3& on_arm_a, const Vec3& on_arm_b, double value) {
    if (on_a) *J++ = {-n, -on_arm_a, 0};
    if (on_b) *J++ = {n, on_arm_b, 0};
    *phi++ = value;
  }
  CATENA_INLINE void point() {
    constexpr Vec3 kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 3; ++k) put(kAxes[k], cross(j.arm_a, kAxes[k]), cross(j.arm_b, kAxes[k]), j.gap[k]);
  }
  CATENA_INLINE void plane(int t) {
    const Vec3 n = j.of_a(t);
    put(n, cross(j.arm_a + j.gap, n), cross(j.arm_b, n), dot(n, j.gap));
  }
  CATENA_INLINE void perpendicular(int e, int f) {
    const Vec3 of_a = j.of_a(e), of_b = j.of_b(f), u = cross(of_b, of_a);
    put({}, u, u, dot(of_a, of_b));
  }
  CATENA_INLINE void orientation() { perpendicular(2, 1), perpendicular(0, 2), perpendicular(1, 0); }
};

// or c.
struct RateList {
  const FramedJoint& j;
  Vec3 wa, wb, v, bias;  // of the anchors, b minus a
  double* c;

  CATENA_INLINE void point() {
    for (int k = 0; k < 3; ++k) *c++ = bias[k];
  }
  CATENA_INLINE void plane(int t) {
    const Vec3 n = j.of_a(t), rate = cross(wa, n);
    *c++ = dot(n, bias) + 2 * dot(rate, v) + dot(cross(wa, rate), j.gap);
  }
  CATENA_INLINE void perpendicular(int e, int f) {
    const Vec3 of_a = j.of_a(e), of_b = j.of_b(f);
    *c++ = dot(cross(cross(wb, of_b), of_a) + cross(of_b, cross(wa, of_a)), wb - wa);
  }
  CATENA_INLINE void orientation() { perpendicular(2, 1), perpendicular(0, 2), perpendicular(1, 0); }
};

template <class List>
CATENA_INLINE void list_framed(JointKind kind, List&& list) {
  if (kind == JointKind::universal) Universal::list(list);
  else Slider::list(list);
}

CATENA_INLINE void framed_phi(const Kinematics& kinematics, const Joint& joint, double* phi) {
  const FramedJoint j(kinematics, joint);
  list_framed(joint.kind, PhiList{j, phi});
}
CATENA_INLINE void framed_places(const Kinematics& kinematics, const Joint& joint, BodyVector* J, double* phi) {
  const FramedJoint j(kinematics, joint);
  list_framed(joint.kind, PlaceList{j, joint.a.valid(), joint.b.valid(), J, phi});
}
CATENA_INLINE RateList rates_of(const FramedJoint& j, const Kinematics& kinematics, const Joint& joint, double* c) {
  const BodyState ground{}, &a = joint.a.valid() ? kinematics.body(joint.a) : ground,
                            &b = joint.b.valid() ? kinematics.body(joint.b) : ground;
  const Vec3 turn_a = cross(a.angular_velocity, j.arm_a), turn_b = cross(b.angular_velocity, j.arm_b);
  return {j,
          a.angular_velocity,
          b.angular_velocity,
          b.velocity + turn_b - a.velocity - turn_a,
          cross(b.angular_velocity, turn_b) - cross(a.angular_velocity, turn_a),
          c};
}
CATENA_INLINE void framed_rates(const Kinematics& kinematics, const Joint& joint, double* c) {
  const FramedJoint j(kinematics, joint);
  list_framed(joint.kind, rates_of(j, kinematics, joint, c));
}

}  // namespace catena
