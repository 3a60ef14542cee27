// One block of rows by itself, for every law but `cone` (local_friction.h): given the block's D, its z = λ and its w = r at λ, find z
// that obeys the law with w = D (z − λ) + r (Lacoursière eq. 17). D is symmetric, positive semidefinite, row by row; `z` and `lambda`
// are not the same place.
#pragma once

#include <algorithm>
#include <cmath>

#include "catena/solve/problem.h"

namespace catena::solve {

// D⁻¹ by Cholesky; a pivot that is rounding leaves its row and column out: D of lower rank has a generalised inverse. `work` and
// `inverse` are size x size; `inverse` may be D.
void invert_semidefinite(int size, const double* D, double* work, double* inverse);

// free: z = λ − D⁻¹ r (eq. 13).
inline void solve_free(int size, const double* D_inverse, const double* r, const double* lambda, double* z) {
  for (int i = 0; i < size; ++i) {
    double step = 0;
    for (int j = 0; j < size; ++j) step += D_inverse[i * size + j] * r[j];
    z[i] = lambda[i] - step;
  }
}

// A single row: z = λ − r/d put back between its bounds (eq. 22). Where d = 0 the bound that r asks for, if it is finite.
inline double solve_bounded(double d, double r, double lambda, double lower, double upper) {
  if (d > 0) return std::clamp(lambda - r / d, lower, upper);
  const double wanted = r > 0 ? lower : upper;
  return std::clamp(r != 0 && std::isfinite(wanted) ? wanted : lambda, lower, upper);
}

// complementary: up to three rows exactly, by trying which are positive; more, row by row once (projected Gauss-Seidel in the block).
void solve_complementary(int size, const double* D, const double* r, const double* lambda, double* z);

// facets: exactly, by trying the corners and the sides of the polygon.
void solve_facets(const Block& block, const double* D, const double* r, const double* lambda, double* z);

}  // namespace catena::solve
