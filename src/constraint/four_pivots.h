// Rows of four hinges or ball joints at a time (row_set.h: Pivot), to the bit of one at a time.
#pragma once

#include "catena/constraint/kinematics.h"
#include "catena/math/four.h"

namespace catena {

// Four bodies, or the ground, where they are.
struct FourPlaces {
  static constexpr Mat3 kGroundTurn = Mat3::identity();
  static constexpr BodyState kGroundState{};

  Mat3T<Four> R;
  Vec3T<Four> x;

  CATENA_INLINE FourPlaces(const Kinematics& kinematics, BodyId a, BodyId b, BodyId c, BodyId d) {
    const auto turn = [&](BodyId id) { return id.valid() ? &kinematics.R(id).r0.x : &kGroundTurn.r0.x; };
    const auto place = [&](BodyId id) { return &(id.valid() ? kinematics.body(id) : kGroundState).position.x; };
    const double *A = turn(a), *B = turn(b), *C = turn(c), *D = turn(d);
    const Sixteen low = gather(A, B, C, D), high = gather(A + 4, B + 4, C + 4, D + 4);
    const Sixteen at = gather(place(a), place(b), place(c), place(d));
    R = {{low.x, low.y, low.z}, {low.w, high.x, high.y}, {high.z, high.w, Four(Quad{A[8], B[8], C[8], D[8]})}};
    x = {at.x, at.y, at.z};
  }
};
// One more number must follow each of them.
CATENA_INLINE Vec3T<Four> gather_vectors(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Sixteen all = gather(&a.x, &b.x, &c.x, &d.x);
  return {all.x, all.y, all.z};
}

// evaluate_pivot_phi() of four pivots, to the bit.
template <class Pivot>
CATENA_INLINE void evaluate_four_phi(const Kinematics& kinematics, const Pivot* p, double* phi) {
  const auto held = [&](auto member) { return gather_vectors(p[0].*member, p[1].*member, p[2].*member, p[3].*member); };
  const FourPlaces B(kinematics, p[0].b, p[1].b, p[2].b, p[3].b);
  const Vec3T<Four> end = B.x + B.R * held(&Pivot::anchor_b), along = B.R * held(&Pivot::axis);
  const FourPlaces A(kinematics, p[0].a, p[1].a, p[2].a, p[3].a);
  const Vec3T<Four> gap = end - A.x - A.R * held(&Pivot::anchor_a), axis = transpose_times(A.R, along);
  const Sixteen four = transpose(gap.x.q, gap.y.q, gap.z.q, dot(held(&Pivot::t1), axis).q);
  const Four last = dot(held(&Pivot::t2), axis);
  const auto put = [phi](const Pivot& pivot, const Four& all, double fourth) {
    double* to = phi + pivot.row;
    if (!pivot.hinge) {
      to[0] = all[0], to[1] = all[1], to[2] = all[2];
      return;
    }
    std::memcpy(to, &all.q, sizeof all.q);
    to[4] = fourth;
  };
  put(p[0], four.x, last[0]), put(p[1], four.y, last[1]), put(p[2], four.z, last[2]), put(p[3], four.w, last[3]);
}

// place_pivot() of four hinges between two bodies each, to the bit.
template <class Pivot>
CATENA_INLINE void place_four_hinges(const Kinematics& kinematics, const Pivot* p, BodyVector* J, double* phi) {
  const auto held = [&](auto member) { return gather_vectors(p[0].*member, p[1].*member, p[2].*member, p[3].*member); };
  const FourPlaces B(kinematics, p[0].b, p[1].b, p[2].b, p[3].b);
  const Vec3T<Four> rb = B.R * held(&Pivot::anchor_b), f = B.R * held(&Pivot::axis), end = B.x + rb;
  const FourPlaces A(kinematics, p[0].a, p[1].a, p[2].a, p[3].a);
  const Vec3T<Four> ra = A.R * held(&Pivot::anchor_a), gap = end - A.x - ra;
  const Vec3T<Four> t1 = A.R * held(&Pivot::t1), t2 = A.R * held(&Pivot::t2), u1 = cross(f, t1), u2 = cross(f, t2);
  const Four third = dot(t1, f), fourth = dot(t2, f);
  const Sixteen arm_a = transpose(ra.x.q, ra.y.q, ra.z.q, third.q), arm_b = transpose(rb.x.q, rb.y.q, rb.z.q, fourth.q);
  const Sixteen first = transpose(u1.x.q, u1.y.q, u1.z.q, gap.x.q), second = transpose(u2.x.q, u2.y.q, u2.z.q, gap.y.q);
  // Forces along the axes stay as they were built.
  const auto put = [&](const Pivot& pivot, const Four& a, const Four& b, const Four& x, const Four& y, double gap_z) {
    BodyVector* to = J + pivot.term;
    to[0].angular = {0, -a[2], a[1]}, to[1].angular = {0, b[2], -b[1]};
    to[2].angular = {a[2], 0, -a[0]}, to[3].angular = {-b[2], 0, b[0]};
    to[4].angular = {-a[1], a[0], 0}, to[5].angular = {b[1], -b[0], 0};
    to[6].angular = {-x[0], -x[1], -x[2]}, to[7].angular = {x[0], x[1], x[2]};
    to[8].angular = {-y[0], -y[1], -y[2]}, to[9].angular = {y[0], y[1], y[2]};
    double* gaps = phi + pivot.row;
    gaps[0] = x[3], gaps[1] = y[3], gaps[2] = gap_z, gaps[3] = a[3], gaps[4] = b[3];
  };
  put(p[0], arm_a.x, arm_b.x, first.x, second.x, gap.z[0]), put(p[1], arm_a.y, arm_b.y, first.y, second.y, gap.z[1]);
  put(p[2], arm_a.z, arm_b.z, first.z, second.z, gap.z[2]), put(p[3], arm_a.w, arm_b.w, first.w, second.w, gap.z[3]);
}

}  // namespace catena
