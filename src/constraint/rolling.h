// Rolling without slip of a sphere or a disc on a plane of the ground. Removes 3: one holonomic (touching), two not.
#pragma once

#include "catena/constraint/basic_rows.h"

namespace catena {

struct Rolling {
  // The material point at the contact, centre + rho, has no velocity: v + ω × rho = 0, so c = bias + ω × drho/dt (at constant scale).
  static void rows(const JointPose& j, Rows& out) {
    const Vec3 n = j.axis_a(), w = j.B.w;
    Vec3 up = n, up_rate{};
    if (j.geometry.disc) steepest(n, j.axis_b(), cross(w, j.axis_b()), up, up_rate);
    const double r = j.B.scale * j.geometry.parameter;  // a scalable body's radius scales with it
    AttachedPoint contact = j.pb;
    contact.arm += -r * up;
    const Vec3 c = j.pb.bias - r * (cross(w, up_rate) + j.B.scale_rate * (cross(w, up) + up_rate));
    const Vec3 directions[] = {n, j.fa.column(0), j.fa.column(1)};
    for (const Vec3& e : directions) out.add({{}, along(e, contact), dot(e, c), 0, 0, false});
    out[0].phi = dot(n, j.gap() - r * up);
    out[0].holonomic = true;
  }
  static void coordinates(const JointPose&, Rows&) {}

 private:
  // The unit vector in the plane of the disc (normal a) that climbs steepest along n, and its rate.
  static void steepest(const Vec3& n, const Vec3& a, const Vec3& adot, Vec3& up, Vec3& up_rate) {
    const double s = dot(n, a);
    const Vec3 g = n - s * a, gdot = -dot(n, adot) * a - s * adot;
    const double length = norm(g);
    up = g / length;
    up_rate = (gdot - dot(up, gdot) * up) / length;
  }
};

}  // namespace catena
