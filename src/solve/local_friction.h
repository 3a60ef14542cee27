// One block of Coulomb's law by itself: given D (symmetric, positive semidefinite), the block's z = λ and its w = r at λ, find
//     z = (n, t):   w = D (z − λ) + r,   0 ≤ n ⟂ w_n ≥ 0,   t in friction · n · (disc or ellipse), opposite to w_t
// as Lacoursière's (17) asks of a Gauss-Seidel sweep, in three ways.
//
// D is kept in coordinates that make all three short: tangents scaled so that the ellipse is a circle, n eliminated from the
// tangential rows, and the tangents turned to the eigenvectors of what is left, S = D_tt − d dᵀ/d_nn:
//     t = T y,    g = c_t − d c_n/d_nn,    c = r − D λ        (w_n = 0:  n = −(c_n + dᵀy)/d_nn,  w_y = diag(e) y + g)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catena/solve/problem.h"

namespace catena::solve {

enum class FrictionMethod : std::uint8_t {
  projection,  // solve without laws, then shorten t: Lacoursière (18)–(19). Its fixed points are not Coulomb's law (docs/solvers.md)
  approximate,  // the same direction of slip, n to match: (20)–(21). Coulomb's law where S is isotropic, and with one tangent
  exact,  // Coulomb's law
};

struct FrictionBlock {
  double d_nn, inverse_nn;  // inverse 0 where d_nn = 0: nothing answers n
  double d[2];              // what y does to w_n
  double e[2];              // eigenvalues of S, not negative
  double inverse_e[2];      // 0 where e is rounding
  double T[4];              // t = T y, row by row
  double weight[2];         // y = Tᵀ diag(weight) t; 0 on an axis without friction
  double friction;          // radius of the circle at n = 1
};
inline constexpr int kFrictionNumbers = sizeof(FrictionBlock) / sizeof(double);

// D: size x size, row by row; its symmetric part counts. The block's law is `cone`.
FrictionBlock friction_block(const Block& block, const double* D);

// A point in the block's coordinates.
struct FrictionPoint {
  double n, y[2];
};

namespace local_friction {

struct Given {
  double c_n;         // w_n at z = 0
  double g[2];        // w_y where w_n = 0 and y = 0
  double noise_g;     // below this g is rounding
  double pull, hold;  // −r_yᵀy and yᵀy at λ: their ratio is the slip multiplier where λ slips and obeys the law
};

inline bool inside(const FrictionBlock& B, const FrictionPoint& p) {
  return p.n >= 0 && p.y[0] * p.y[0] + p.y[1] * p.y[1] <= B.friction * B.friction * p.n * p.n;
}

// Slip along the unit vector u: w_n = 0 and y = friction · n · u (eq. 21). False where n would have to be negative.
inline bool slip_along(const FrictionBlock& B, double c_n, double u0, double u1, FrictionPoint& p) {
  const double answer = B.d_nn + B.friction * (B.d[0] * u0 + B.d[1] * u1);
  if (!(answer > 0)) return false;
  p.n = -c_n / answer;
  const double t = B.friction * p.n;
  p.y[0] = t * u0;
  p.y[1] = t * u1;
  return true;
}

// The slip of Coulomb's law where sticking is impossible and c_n < 0. False where there is none.
bool slip_exactly(const FrictionBlock& B, const Given& given, FrictionPoint& p);

// Eq. (18) by blocks: where y and n go without laws. Directions that nothing answers stay at 0.
inline FrictionPoint without_laws(const FrictionBlock& B, const Given& given) {
  FrictionPoint p;
  p.y[0] = -given.g[0] * B.inverse_e[0];
  p.y[1] = -given.g[1] * B.inverse_e[1];
  p.n = -(given.c_n + B.d[0] * p.y[0] + B.d[1] * p.y[1]) * B.inverse_nn;
  return p;
}

inline bool can_stick(const FrictionBlock& B, const Given& given) {
  return (B.inverse_e[0] > 0 || std::abs(given.g[0]) <= given.noise_g) &&
         (B.inverse_e[1] > 0 || std::abs(given.g[1]) <= given.noise_g);
}

// Eq. (19): z = 0 where the normal part is negative, else t shortened to the cone. Without branches: which it is cannot be predicted.
inline FrictionPoint project(const FrictionBlock& B, const FrictionPoint& p) {
  const double n = std::max(p.n, 0.0), reach = B.friction * n;
  const double t = std::sqrt(p.y[0] * p.y[0] + p.y[1] * p.y[1]);
  const double shrink = reach / std::max(std::max(t, reach), std::numeric_limits<double>::min());
  return {n, {p.y[0] * shrink, p.y[1] * shrink}};
}

// Eqs. (20)–(21), the direction of slip that of the solution without laws.
inline FrictionPoint approximate(const FrictionBlock& B, const Given& given, const FrictionPoint& p) {
  if (!(given.c_n < 0)) return {0, {0, 0}};
  if (inside(B, p)) return p;
  const double t = std::sqrt(p.y[0] * p.y[0] + p.y[1] * p.y[1]);
  FrictionPoint slipping;
  if (t > 0 && slip_along(B, given.c_n, p.y[0] / t, p.y[1] / t, slipping)) return slipping;
  return project(B, p);
}

// Separate, stick or slip, whichever obeys the law.
inline FrictionPoint exact(const FrictionBlock& B, const Given& given, const FrictionPoint& p) {
  if (!(given.c_n < 0)) return {0, {0, 0}};
  if (inside(B, p) && can_stick(B, given)) return p;
  FrictionPoint slipping;
  if (slip_exactly(B, given, slipping)) return slipping;
  return project(B, p);
}

}  // namespace local_friction

// The coordinates of a block's z, and back.
inline FrictionPoint to_friction_point(const FrictionBlock& B, int tangents, const double* z) {
  const double t0 = B.weight[0] * z[1], t1 = tangents == 2 ? B.weight[1] * z[2] : 0.0;
  return {z[0], {B.T[0] * t0 + B.T[2] * t1, B.T[1] * t0 + B.T[3] * t1}};
}
inline void from_friction_point(const FrictionBlock& B, int tangents, const FrictionPoint& p, double* z) {
  z[0] = p.n;
  z[1] = B.T[0] * p.y[0] + B.T[1] * p.y[1];
  if (tangents == 2) z[2] = B.T[2] * p.y[0] + B.T[3] * p.y[1];
}

// λ must be 0 on an axis without friction. `z` may be `lambda`. Never NaN for finite numbers; where no z obeys the law (a null
// direction of D pulled at) all three give (18)–(19), the null direction left at 0.
template <FrictionMethod method>
inline void solve_friction(const FrictionBlock& B, int tangents, const double* r, const double* lambda, double* z) {
  constexpr double kRounding = 4e-15;
  const FrictionPoint held = to_friction_point(B, tangents, lambda);
  const double r1 = r[1], r2 = tangents == 2 ? r[2] : 0.0;
  const double r_y[2] = {B.T[0] * r1 + B.T[2] * r2, B.T[1] * r1 + B.T[3] * r2};
  const double sunk = r[0] * B.inverse_nn;
  local_friction::Given given;
  given.c_n = r[0] - B.d_nn * held.n - B.d[0] * held.y[0] - B.d[1] * held.y[1];
  given.g[0] = r_y[0] - B.d[0] * sunk - B.e[0] * held.y[0];
  given.g[1] = r_y[1] - B.d[1] * sunk - B.e[1] * held.y[1];
  given.noise_g = kRounding * (std::abs(r_y[0]) + std::abs(r_y[1]) +
                               (std::abs(B.d[0]) + std::abs(B.d[1])) * (std::abs(sunk) + std::abs(held.n)));
  given.pull = -(r_y[0] * held.y[0] + r_y[1] * held.y[1]);
  given.hold = held.y[0] * held.y[0] + held.y[1] * held.y[1];
  FrictionPoint p = local_friction::without_laws(B, given);
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
