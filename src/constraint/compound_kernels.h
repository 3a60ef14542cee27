// compound_place() and compound_rates() on any scalar: one world's numbers, or those of several in lanes (math/four.h).
#pragma once

#include "catena/constraint/compound_motion.h"
#include "catena/math/rotation.h"
#include "catena/math/wide.h"

namespace catena {

// In the axes that A is frame A in.
template <class Real>
void place_compound(std::span<const Freedom> freedoms, const Real* q, const Mat3T<Real>& A, CompoundPlaceT<Real>& out) {
  using portable::sin_cos;
  out.R = A;
  out.t = {};
  const auto n = freedoms.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Freedom& f = freedoms[k];
    const Real angle = q[k] - f.zero;
    const Vec3T<Real> axis = wide<Real>(f.axis), anchor = wide<Real>(f.anchor);
    out.axis[k] = out.R * axis;
    out.at[k] = out.t + out.R * anchor;
    if (f.slides) {
      out.t += angle * out.axis[k];
    } else {
      // x ↦ p + turn (x − p), before what the freedoms so far do.
      const auto [s, c] = sin_cos(Real(0.5) * angle);
      out.R = out.R * to_matrix(QuatT<Real>{c, s * axis.x, s * axis.y, s * axis.z});
      out.t = out.at[k] - out.R * anchor;
    }
  }
  for (std::size_t k = 0; k < n; ++k)
    out.F[k] = freedoms[k].slides ? SpatialT<Real>{out.axis[k], {}}
                                  : SpatialT<Real>{cross(out.axis[k], out.t - out.at[k]), out.axis[k]};
}

template <class Real>
CompoundPlaceT<Real> compound_place_of(std::span<const Freedom> freedoms, const Real* q) {
  CompoundPlaceT<Real> out;
  place_compound(freedoms, q, Mat3T<Real>::identity(), out);
  return out;
}

template <class Real>
CompoundRatesT<Real> compound_rates_of(std::span<const Freedom> freedoms, const CompoundPlaceT<Real>& place,
                                       const Real* rates) {
  std::array<Vec3T<Real>, kMaxCoordinates> w, v;  // how the frame before each freedom turns, and moves at its point
  Vec3T<Real> omega{}, drift{};  // of the frame so far: angular velocity, velocity of its point at A's anchor
  const auto n = freedoms.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3T<Real>&a = place.axis[k], &p = place.at[k];
    w[k] = omega;
    v[k] = drift + cross(omega, p);
    drift += rates[k] * (freedoms[k].slides ? a : cross(p, a));
    if (!freedoms[k].slides) omega += rates[k] * a;
  }
  const Vec3T<Real> tdot = drift + cross(omega, place.t);
  CompoundRatesT<Real> out{{tdot, omega}, {}};
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3T<Real>& a = place.axis[k];
    const Vec3T<Real> adot = cross(w[k], a);
    out.bias += rates[k] * (freedoms[k].slides
                                ? SpatialT<Real>{adot, {}}
                                : SpatialT<Real>{cross(adot, place.t - place.at[k]) + cross(a, tdot - v[k]), adot});
  }
  return out;
}

}  // namespace catena
