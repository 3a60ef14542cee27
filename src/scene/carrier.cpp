#include "catena/scene/carrier.h"

namespace catena {
namespace {

Vec3 in_body(BodyId body, const Vec3& direction, const State& initial) {
  return body.valid() ? rotate(initial.bodies[body].orientation.conjugate(), direction) : direction;
}

}  // namespace

// gear: (ω₂ − ω_c)·axis2 = ratio (ω₁ − ω_c)·axis.     rack: (v₂ − v_c − ω_c × d)·axis2 = radius (ω₁ − ω_c)·axis, d from the carrier to
// the rack: along axis2, along which the rack moves, d does not count, so that it is the same at all times in the carrier.
CouplingRow carried_row(const JointSpec& spec, BodyId a, BodyId b, BodyId carrier, const State& initial) {
  const Vec3 axis = normalized(*spec.axis), axis2 = normalized(spec.axis2.value_or(*spec.axis));
  const bool gear = spec.kind == JointKind::gear;
  const double ratio = gear ? spec.ratio.value_or(1) : spec.radius.value_or(0);
  CouplingRow row;
  const auto add = [&](BodyId body, const Vec3& linear, const Vec3& angular) {
    if (body.valid())
      row.terms.push_back({body, in_body(body, linear, initial), in_body(body, angular, initial), true});
  };
  add(a, {}, -ratio * axis);
  if (gear) {
    add(b, {}, axis2);
    add(carrier, {}, ratio * axis - axis2);
    return row;
  }
  const auto place = [&](BodyId body) { return body.valid() ? initial.bodies[body].position : Vec3{}; };
  add(b, axis2, {});
  add(carrier, -1.0 * axis2, ratio * axis - cross(place(b) - place(carrier), axis2));
  return row;
}

}  // namespace catena
