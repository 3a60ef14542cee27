// One block of Coulomb's law by itself: given D (symmetric, positive semidefinite), the block's z = λ and its w = r at λ, find
//     z = (n, t):   w = D (z − λ) + r,   0 ≤ n ⟂ w_n ≥ 0,   t in friction · n · (disc or ellipse), opposite to w_t
// as Lacoursière's (17) asks of a Gauss-Seidel sweep, in three ways.
//
// D is kept in coordinates that make all three short: tangents scaled so that the ellipse is a circle, n eliminated from the
// tangential rows, and the tangents turned to the eigenvectors of what is left, S = D_tt − d dᵀ/d_nn:
//     t = T y,    g = c_t − d c_n/d_nn,    c = r − D λ        (w_n = 0:  n = −(c_n + dᵀy)/d_nn,  w_y = diag(e) y + g)
#pragma once

#include <cstdint>
#include <limits>

#include "catena/math/lanes.h"
#include "catena/solve/problem.h"

namespace catena::solve {

enum class FrictionMethod : std::uint8_t {
  projection,  // solve without laws, then shorten t: Lacoursière (18)–(19). Its fixed points are not Coulomb's law (docs/methods/solvers.md)
  approximate,  // the same direction of slip, n to match: (20)–(21). Coulomb's law where S is isotropic, and with one tangent
  exact,  // Coulomb's law
};

// Of one block, or of four by lanes (lanes.h).
template <class Real>
struct FrictionBlockOf {
  Real d_nn, inverse_nn;  // inverse 0 where d_nn = 0: nothing answers n
  Real d[2];              // what y does to w_n
  Real e[2];              // eigenvalues of S, not negative
  Real inverse_e[2];      // 0 where e is rounding
  Real T[4];              // t = T y, row by row
  Real weight[2];         // y = Tᵀ diag(weight) t; 0 on an axis without friction
  Real friction;          // radius of the circle at n = 1
};
using FrictionBlock = FrictionBlockOf<double>;
inline constexpr int kFrictionNumbers = sizeof(FrictionBlock) / sizeof(double);

// D: size x size, row by row; its symmetric part counts. The block's law is `cone`.
FrictionBlock friction_block(const Block& block, const double* D);

// A point in the block's coordinates.
template <class Real>
struct FrictionPointOf {
  Real n, y[2];
};
using FrictionPoint = FrictionPointOf<double>;

namespace local_friction {

template <class Real>
struct Given {
  Real c_n;         // w_n at z = 0
  Real g[2];        // w_y where w_n = 0 and y = 0
  Real noise_g;     // below this g is rounding
  Real pull, hold;  // −r_yᵀy and yᵀy at λ: their ratio is the slip multiplier where λ slips and obeys the law
};

template <class Real>
CATENA_INLINE FrictionPointOf<Real> select(const MaskOf<Real>& m, const FrictionPointOf<Real>& yes,
                                           const FrictionPointOf<Real>& otherwise) {
  using catena::select;
  return {select(m, yes.n, otherwise.n), {select(m, yes.y[0], otherwise.y[0]), select(m, yes.y[1], otherwise.y[1])}};
}

template <class Real>
CATENA_INLINE MaskOf<Real> inside(const FrictionBlockOf<Real>& B, const FrictionPointOf<Real>& p) {
  return (p.n >= 0.0) & (p.y[0] * p.y[0] + p.y[1] * p.y[1] <= B.friction * B.friction * p.n * p.n);
}

// Slip along the unit vector u: w_n = 0 and y = friction · n · u (eq. 21). False where n would have to be negative.
template <class Real>
CATENA_INLINE MaskOf<Real> slip_along(const FrictionBlockOf<Real>& B, const Real& c_n, const Real& u0, const Real& u1,
                                      FrictionPointOf<Real>& p) {
  const Real answer = B.d_nn + B.friction * (B.d[0] * u0 + B.d[1] * u1);
  p.n = -c_n / answer;
  const Real t = B.friction * p.n;
  p.y[0] = t * u0;
  p.y[1] = t * u1;
  return answer > 0.0;
}

// The slip of Coulomb's law where sticking is impossible and c_n < 0, for those `wanted`. False where there is none. By lanes: slip_search.h.
bool slip_exactly(const FrictionBlock& B, const Given<double>& given, bool wanted, FrictionPoint& p);

// Eq. (18) by blocks: where y and n go without laws. Directions that nothing answers stay at 0.
template <class Real>
CATENA_INLINE FrictionPointOf<Real> without_laws(const FrictionBlockOf<Real>& B, const Given<Real>& given) {
  FrictionPointOf<Real> p;
  p.y[0] = -given.g[0] * B.inverse_e[0];
  p.y[1] = -given.g[1] * B.inverse_e[1];
  p.n = -(given.c_n + B.d[0] * p.y[0] + B.d[1] * p.y[1]) * B.inverse_nn;
  return p;
}

template <class Real>
CATENA_INLINE MaskOf<Real> can_stick(const FrictionBlockOf<Real>& B, const Given<Real>& given) {
  return ((B.inverse_e[0] > 0.0) | (magnitude(given.g[0]) <= given.noise_g)) &
         ((B.inverse_e[1] > 0.0) | (magnitude(given.g[1]) <= given.noise_g));
}

// Eq. (19): z = 0 where the normal part is negative, else t shortened to the cone. Without branches: which it is cannot be predicted.
template <class Real>
CATENA_INLINE FrictionPointOf<Real> project(const FrictionBlockOf<Real>& B, const FrictionPointOf<Real>& p) {
  const Real n = larger(p.n, Real(0.0)), reach = B.friction * n;
  const Real t = root(p.y[0] * p.y[0] + p.y[1] * p.y[1]);
  const Real shrink = reach / larger(larger(t, reach), Real(std::numeric_limits<double>::min()));
  return {n, {p.y[0] * shrink, p.y[1] * shrink}};
}

// Eqs. (20)–(21), the direction of slip that of the solution without laws.
template <class Real>
CATENA_INLINE FrictionPointOf<Real> approximate(const FrictionBlockOf<Real>& B, const Given<Real>& given,
                                                const FrictionPointOf<Real>& p) {
  const MaskOf<Real> pressed = given.c_n < 0.0, kept = pressed & inside(B, p);
  const FrictionPointOf<Real> still = select(kept, p, FrictionPointOf<Real>{0.0, {0.0, 0.0}});
  MaskOf<Real> moving = pressed & no(kept);
  if (!any(moving)) return still;
  const Real t = root(p.y[0] * p.y[0] + p.y[1] * p.y[1]);
  FrictionPointOf<Real> slipping{0.0, {0.0, 0.0}};
  const MaskOf<Real> slips = moving & (t > 0.0) & slip_along(B, given.c_n, p.y[0] / t, p.y[1] / t, slipping);
  const FrictionPointOf<Real> z = select(slips, slipping, still);
  moving = moving & no(slips);
  return any(moving) ? select(moving, project(B, p), z) : z;
}

// Separate, stick or slip, whichever obeys the law.
template <class Real>
CATENA_INLINE FrictionPointOf<Real> exact(const FrictionBlockOf<Real>& B, const Given<Real>& given,
                                          const FrictionPointOf<Real>& p) {
  const MaskOf<Real> pressed = given.c_n < 0.0, kept = pressed & inside(B, p) & can_stick(B, given);
  const FrictionPointOf<Real> still = select(kept, p, FrictionPointOf<Real>{0.0, {0.0, 0.0}});
  MaskOf<Real> moving = pressed & no(kept);
  if (!any(moving)) return still;
  FrictionPointOf<Real> slipping{0.0, {0.0, 0.0}};
  const MaskOf<Real> slips = moving & slip_exactly(B, given, moving, slipping);
  const FrictionPointOf<Real> z = select(slips, slipping, still);
  moving = moving & no(slips);
  return any(moving) ? select(moving, project(B, p), z) : z;
}

}  // namespace local_friction

// The coordinates of a block's z, and back.
template <class Real>
CATENA_INLINE FrictionPointOf<Real> to_friction_point(const FrictionBlockOf<Real>& B, int tangents, const Real* z) {
  const Real t0 = B.weight[0] * z[1], t1 = tangents == 2 ? B.weight[1] * z[2] : Real(0.0);
  return {z[0], {B.T[0] * t0 + B.T[2] * t1, B.T[1] * t0 + B.T[3] * t1}};
}
template <class Real>
CATENA_INLINE void from_friction_point(const FrictionBlockOf<Real>& B, int tangents, const FrictionPointOf<Real>& p,
                                       Real* z) {
  z[0] = p.n;
  z[1] = B.T[0] * p.y[0] + B.T[1] * p.y[1];
  if (tangents == 2) z[2] = B.T[2] * p.y[0] + B.T[3] * p.y[1];
}

// λ must be 0 on an axis without friction. `z` may be `lambda`. Never NaN for finite numbers; where no z obeys the law (a null
// direction of D pulled at) all three give (18)–(19), the null direction left at 0.
template <FrictionMethod method, class Real>
CATENA_INLINE void solve_friction(const FrictionBlockOf<Real>& B, int tangents, const Real* r, const Real* lambda,
                                  Real* z) {
  constexpr double kRounding = 4e-15;
  const FrictionPointOf<Real> held = to_friction_point(B, tangents, lambda);
  const Real r1 = r[1], r2 = tangents == 2 ? r[2] : Real(0.0);
  const Real r_y[2] = {B.T[0] * r1 + B.T[2] * r2, B.T[1] * r1 + B.T[3] * r2};
  const Real sunk = r[0] * B.inverse_nn;
  local_friction::Given<Real> given;
  given.c_n = r[0] - B.d_nn * held.n - B.d[0] * held.y[0] - B.d[1] * held.y[1];
  given.g[0] = r_y[0] - B.d[0] * sunk - B.e[0] * held.y[0];
  given.g[1] = r_y[1] - B.d[1] * sunk - B.e[1] * held.y[1];
  given.noise_g = kRounding * (magnitude(r_y[0]) + magnitude(r_y[1]) +
                               (magnitude(B.d[0]) + magnitude(B.d[1])) * (magnitude(sunk) + magnitude(held.n)));
  given.pull = -(r_y[0] * held.y[0] + r_y[1] * held.y[1]);
  given.hold = held.y[0] * held.y[0] + held.y[1] * held.y[1];
  FrictionPointOf<Real> p = local_friction::without_laws(B, given);
  if constexpr (method == FrictionMethod::projection) p = local_friction::project(B, p);
  if constexpr (method == FrictionMethod::approximate) p = local_friction::approximate(B, given, p);
  if constexpr (method == FrictionMethod::exact) p = local_friction::exact(B, given, p);
  from_friction_point(B, tangents, p, z);
}

inline void solve_friction(const FrictionBlock& B, FrictionMethod method, int tangents, const double* r,
                           const double* lambda, double* z) {
  switch (method) {
    case FrictionMethod::projection: return solve_friction<FrictionMethod::projection>(B, tangents, r, lambda, z);
    case FrictionMethod::approximate: return solve_friction<FrictionMethod::approximate>(B, tangents, r, lambda, z);
    case FrictionMethod::exact: return solve_friction<FrictionMethod::exact>(B, tangents, r, lambda, z);
  }
}

}  // namespace catena::solve
