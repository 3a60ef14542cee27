// The slip of Coulomb's law on one block, or on four at once: each lane searches as if alone and waits where it is found.
// w_y = −s y with a slip multiplier s > 0, so y(s) = −(S + sI)⁻¹ g, and s is where y(s) meets the cone: the slack is negative at 0
// (sticking left the cone) and grows without bound. Newton's step inside a bracket; from the left it rarely leaves it.
#pragma once

#include "catena/solve/local_friction.h"

namespace catena::solve::local_friction {

// friction · n / ‖y‖ − 1 at y = −(S + sI)⁻¹ g, and its slope. Nearly linear in s; exactly so where S is isotropic.
template <class Real>
struct Slack {
  Real value, slope;
};
template <class Real>
CATENA_INLINE Slack<Real> slack_at(const FrictionBlockOf<Real>& B, const Given<Real>& given, const Real& s, Real* y) {
  const Real h0 = 1.0 / (B.e[0] + s), h1 = 1.0 / (B.e[1] + s);
  y[0] = -given.g[0] * h0;
  y[1] = -given.g[1] * h1;
  const Real length = root(y[0] * y[0] + y[1] * y[1]);
  const Real n = -(given.c_n + B.d[0] * y[0] + B.d[1] * y[1]) * B.inverse_nn;
  const Real n_slope = (B.d[0] * y[0] * h0 + B.d[1] * y[1] * h1) * B.inverse_nn;
  const Real inverse = 1.0 / length;
  const Real shrinking = (y[0] * y[0] * h0 + y[1] * y[1] * h1) * inverse * inverse;  // −(d‖y‖/ds)/‖y‖
  const Real ratio = B.friction * inverse;
  return {ratio * n - 1.0, ratio * (n_slope + n * shrinking)};
}

// The multiplier λ has, which late in a run of sweeps is nearly the answer; else what it would be if S were isotropic and the slack
// linear: s + e = (d_nn ‖g‖/friction − dᵀg)/(−c_n).
template <class Real>
CATENA_INLINE Real first_guess(const FrictionBlockOf<Real>& B, const Given<Real>& given, const Real& size_g,
                               MaskOf<Real> wanted) {
  const Real held = given.pull / given.hold;
  const MaskOf<Real> known = (held > 0.0) & finite(held);
  if (!any(wanted & no(known))) return held;
  const Real stiff = larger(B.e[0], B.e[1]);
  const Real reach = (B.d_nn * size_g / B.friction - B.d[0] * given.g[0] - B.d[1] * given.g[1]) / -given.c_n;
  const Real s = catena::select(reach > stiff, reach - stiff, larger(reach, Real(0.0)) * 0.25 + 0.01 * stiff);
  return catena::select(known, held, catena::select((s > 0.0) & finite(s), s, B.d_nn));
}

// Where Newton's step leaves the bracket.
template <class Real>
CATENA_INLINE Real within(const Real& low, const Real& high, const Real& s) {
  const Real middle = catena::select(low > 0.01 * high, 0.5 * (low + high),
                                     catena::select(low > 0.0, root(low) * root(high), 0.01 * high));
  return catena::select(finite(high), middle, 8.0 * s);
}

template <class Real>
CATENA_INLINE MaskOf<Real> slip_exactly(const FrictionBlockOf<Real>& B, const Given<Real>& given, MaskOf<Real> wanted,
                                        FrictionPointOf<Real>& p) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const Real size_g = root(given.g[0] * given.g[0] + given.g[1] * given.g[1]);
  const MaskOf<Real> straight = (B.friction == 0.0) | no(size_g > 0.0);
  const MaskOf<Real> known = straight | (given.g[0] == 0.0) | (given.g[1] == 0.0);
  wanted = wanted & (B.d_nn > 0.0);
  MaskOf<Real> found = wanted & known, busy = wanted & no(known);
  if (any(found)) {  // no tangent moves, or one: the direction is known
    const Real u0 = catena::select(straight, Real(0.0), -given.g[0] / size_g);
    const Real u1 = catena::select(straight, Real(0.0), -given.g[1] / size_g);
    found = found & slip_along(B, given.c_n, u0, u1, p);
  }
  if (!any(busy)) return found;

  const MaskOf<Real> sought = busy;
  MaskOf<Real> lost = no(sought);
  Real low = 0.0, high = std::numeric_limits<double>::infinity();
  Real s = first_guess(B, given, size_g, busy);
  Real y[2] = {0.0, 0.0};
  const Real rounding = 4 * kEpsilon * (1.0 + B.friction * (magnitude(B.d[0]) + magnitude(B.d[1])) * B.inverse_nn);
  const Real least = kEpsilon * kEpsilon * (B.d_nn + B.e[0] + B.e[1]);  // below: y runs off along a null direction
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    Real y_s[2];
    const Slack<Real> slack = slack_at(B, given, s, y_s);
    for (int a = 0; a < 2; ++a) y[a] = catena::select(busy, y_s[a], y[a]);
    lost = lost | (busy & no(finite(slack.value)));
    busy = busy & no(lost) & no(magnitude(slack.value) <= rounding);
    if (!any(busy)) break;
    const MaskOf<Real> below = slack.value < 0.0;
    low = catena::select(below, s, low);
    high = catena::select(below, high, s);
    Real next = catena::select(slack.slope > 0.0, s - slack.value / slack.slope, s);
    const MaskOf<Real> outside = busy & no((next > low) & (next < high));
    if (any(outside)) next = catena::select(outside, within(low, high, s), next);
    lost = lost | (busy & (next < least));
    busy = busy & no(lost) & no(magnitude(next - s) <= kEpsilon * s);
    if (!any(busy)) break;
    s = next;
  }
  // n from the cone, not from w_n = 0: where the two nearly cancel, y is the one that is known.
  const Real n = root(y[0] * y[0] + y[1] * y[1]) / B.friction;
  p = select(sought, FrictionPointOf<Real>{n, {y[0], y[1]}}, p);
  return found | (no(lost) & finite(n));
}

}  // namespace catena::solve::local_friction
