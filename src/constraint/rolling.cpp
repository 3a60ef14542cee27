#include "catena/constraint/rolling.h"

namespace catena {
namespace {

// The unit vector in the plane of a disc (normal a) that climbs steepest along n, and its rate.
Direction steepest(const Vec3& n, const Vec3& ndot, const Vec3& a, const Vec3& adot) {
  const double s = dot(n, a);
  const Vec3 g = n - s * a, gdot = ndot - (dot(ndot, a) + dot(n, adot)) * a - s * adot;
  const double length = norm(g);
  const Vec3 up = g / length;
  return {up, (gdot - dot(up, gdot) * up) / length};
}

}  // namespace

// Both bodies have a material point at the contact, p_B + rho; along a direction e that is fixed in A
//     J v = e·(v_B + ω_B × rho − v_A − ω_A × d),       d = p_B + rho − x_A
// and c is what its rate is without accelerations. rho = −r up, where up is the plane's normal, or of a disc its steepest radius. Along the
// normal J v is the rate of the gap, on the plane and off it: n lies in the plane of up and the disc's axis.
void Rolling::rows(const JointPose& j, Rows& out) {
  const Vec3 n = j.axis_a(), wa = j.A.w, wb = j.B.w;
  const Vec3 ndot = cross(wa, n);
  const Direction up = j.geometry.disc ? steepest(n, ndot, j.axis_b(), cross(wb, j.axis_b())) : Direction{n, ndot};
  const double r = j.B.scale * j.geometry.parameter,
               growth = j.B.scale_rate;  // a scalable body's radius scales with it
  const Vec3 rho = -r * up.value, rho_rate = -r * (up.rate + growth * up.value);
  AttachedPoint on_b = j.pb, on_a = j.pa;
  on_b.arm += rho;
  on_a.arm = j.pb.p + rho - j.A.x;
  const Vec3 slip = j.pb.v + cross(wb, rho) + growth * rho - j.A.v - cross(wa, on_a.arm);
  const Vec3 bias = j.pb.bias + cross(wb, rho_rate) - (r * growth) * up.rate - cross(wa, j.pb.v + rho_rate - j.A.v);
  const Vec3 directions[] = {n, j.fa.column(0), j.fa.column(1)};
  for (const Vec3& e : directions)
    out.add({negative(along(e, on_a)), along(e, on_b), dot(e, bias) + dot(cross(wa, e), slip), 0, 0, false});
  out[0].phi = dot(n, j.gap() + rho);
  out[0].holonomic = true;
}

}  // namespace catena
