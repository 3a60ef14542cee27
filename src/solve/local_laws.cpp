#include "catena/solve/local_laws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/elementary.h"
#include "catena/math/scalar.h"
#include "catena/solve/natural_map.h"

namespace catena::solve {
namespace {

constexpr int kMostExact = 3;

// [a b; c d] x = (p, q). False where the matrix is singular.
bool solve_two(double a, double b, double c, double d, double p, double q, double* x) {
  const double det = a * d - b * c;
  if (!(std::abs(det) > 1e-14 * (std::abs(a * d) + std::abs(b * c)))) return false;
  x[0] = (d * p - b * q) / det;
  x[1] = (a * q - c * p) / det;
  return true;
}

// D_SS z_S = −c_S for the rows S in `chosen`; the others 0. Elimination without pivoting: D_SS is positive definite or left out.
bool solve_subset(int size, unsigned chosen, const double* D, const double* c, double* z) {
  int rows[kMostExact];
  int count = 0;
  for (int i = 0; i < size; ++i) {
    z[i] = 0;
    if ((chosen >> i & 1U) != 0) rows[count++] = i;
  }
  double a[kMostExact][kMostExact + 1];
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) a[i][j] = D[rows[i] * size + rows[j]];
    a[i][count] = -c[rows[i]];
  }
  for (int i = 0; i < count; ++i) {
    if (!(a[i][i] > 1e-14 * D[rows[i] * size + rows[i]])) return false;
    for (int k = i + 1; k < count; ++k)
      for (int j = count; j >= i; --j) a[k][j] -= a[k][i] / a[i][i] * a[i][j];
  }
  for (int i = count - 1; i >= 0; --i) {
    for (int j = i + 1; j < count; ++j) a[i][count] -= a[i][j] * z[rows[j]];
    z[rows[i]] = a[i][count] / a[i][i];
  }
  return true;
}

// c = r − D λ: w at z = 0.
void w_at_zero(int size, const double* D, const double* r, const double* lambda, double* c) {
  for (int i = 0; i < size; ++i) {
    c[i] = r[i];
    for (int j = 0; j < size; ++j) c[i] -= D[i * size + j] * lambda[j];
  }
}

// ‖z − P(z − ρŵ)‖ of a block that lies at the beginning, and what it is computed from.
struct Miss {
  double size, reach;
};
Miss miss_of(const Block& block, const double* D, const double* c, const double* z, double rho) {
  const int size = block.size;
  double w[3], v[3];
  double miss = 0, reach = 0;
  for (int i = 0; i < size; ++i) {
    w[i] = c[i];
    for (int j = 0; j < size; ++j) w[i] += D[i * size + j] * z[j];
    reach += std::abs(c[i]) * rho + std::abs(z[i]);
  }
  for (int i = 0; i < size; ++i) v[i] = z[i] - rho * (w[i] + (i == 0 ? slip_term(block, w) : 0));
  if (block.law == Law::complementary)
    for (int i = 0; i < size; ++i) v[i] = std::max(v[i], 0.0);
  else if (size == 2) project_on_cone(block.friction[0], 1, v);
  else project_on_facets(block.friction[0], block.facets, v);
  for (int i = 0; i < size; ++i) miss += std::abs(z[i] - v[i]);
  return {miss, reach};
}

// The candidate that obeys the law best so far.
struct Best {
  const Block& block;
  const double *D, *c;
  double* z;
  double rho = 1;
  double miss = kInfinity;

  Best(const Block& of, const double* D_of, const double* c_of, double* z_of) : block(of), D(D_of), c(c_of), z(z_of) {
    double most = 0;
    for (int i = 0; i < of.size; ++i) most = std::max(most, D[i * of.size + i]);
    if (most > 0) rho = 1 / most;
  }
  // True where it obeys the law to rounding.
  bool consider(const double* candidate) {
    const Miss m = miss_of(block, D, c, candidate, rho);
    if (m.size < miss) {
      miss = m.size;
      std::copy(candidate, candidate + block.size, z);
    }
    return m.size <= 1e-14 * m.reach;
  }
};

// z on the face of the cone between the edges a and b, with w_n = 0 and nothing of w_t along the side of the polygon.
bool on_side(const double* D, const double* c, const double* a, const double* b, double* z) {
  const double across[2] = {b[1] - a[1], b[2] - a[2]};
  double Da[3], Db[3], share[2];
  for (int i = 0; i < 3; ++i) {
    Da[i] = D[3 * i] * a[0] + D[3 * i + 1] * a[1] + D[3 * i + 2] * a[2];
    Db[i] = D[3 * i] * b[0] + D[3 * i + 1] * b[1] + D[3 * i + 2] * b[2];
  }
  if (!solve_two(Da[0], Db[0], across[0] * Da[1] + across[1] * Da[2], across[0] * Db[1] + across[1] * Db[2], -c[0],
                 -(across[0] * c[1] + across[1] * c[2]), share))
    return false;
  for (int i = 0; i < 3; ++i) z[i] = share[0] * a[i] + share[1] * b[i];
  return share[0] >= 0 && share[1] >= 0;
}

// z on the edge a, with w_n = 0.
bool at_corner(int size, const double* D, const double* c, const double* a, double* z) {
  double answer = 0;
  for (int j = 0; j < size; ++j) answer += D[j] * a[j];
  if (!(answer > 0) || !(c[0] <= 0)) return false;
  for (int i = 0; i < size; ++i) z[i] = -c[0] / answer * a[i];
  return true;
}

}  // namespace

void invert_semidefinite(int size, const double* D, double* work, double* inverse) {
  double* L = work;
  const auto at = [size](double* A, int i, int j) -> double& { return A[i * size + j]; };
  for (int j = 0; j < size; ++j) {
    double pivot = D[j * size + j];
    for (int k = 0; k < j; ++k) pivot -= at(L, j, k) * at(L, j, k);
    const bool kept = pivot > 1e-14 * D[j * size + j];
    at(L, j, j) = kept ? std::sqrt(pivot) : 0;
    for (int i = j + 1; i < size; ++i) {
      double x = 0.5 * (D[i * size + j] + D[j * size + i]);
      for (int k = 0; k < j; ++k) x -= at(L, i, k) * at(L, j, k);
      at(L, i, j) = kept ? x / at(L, j, j) : 0;
    }
  }
  // Column by column: L x = e, then Lᵀ y = x; rows without a pivot stay 0.
  for (int c = 0; c < size; ++c) {
    for (int i = 0; i < size; ++i) {
      double x = i == c ? 1 : 0;
      for (int k = 0; k < i; ++k) x -= at(L, i, k) * at(inverse, k, c);
      at(inverse, i, c) = at(L, i, i) > 0 ? x / at(L, i, i) : 0;
    }
    for (int i = size - 1; i >= 0; --i) {
      double x = at(inverse, i, c);
      for (int k = i + 1; k < size; ++k) x -= at(L, k, i) * at(inverse, k, c);
      at(inverse, i, c) = at(L, i, i) > 0 ? x / at(L, i, i) : 0;
    }
  }
}

void solve_complementary(int size, const double* D, const double* r, const double* lambda, double* z) {
  if (size == 1) {
    z[0] = solve_bounded(D[0], r[0], lambda[0], 0, kInfinity);
    return;
  }
  if (size <= kMostExact) {
    double c[kMostExact], candidate[kMostExact];
    w_at_zero(size, D, r, lambda, c);
    const Block block{.law = Law::complementary, .first = 0, .size = size};
    Best best(block, D, c, z);
    for (int chosen = (1 << size) - 1; chosen >= 0; --chosen)
      if (solve_subset(size, static_cast<unsigned>(chosen), D, c, candidate) && best.consider(candidate)) return;
    return;
  }
  // w is kept as r + D (z − λ), one row after the other.
  for (int i = 0; i < size; ++i) {
    double w = r[i];
    for (int j = 0; j < i; ++j) w += D[i * size + j] * (z[j] - lambda[j]);
    z[i] = solve_bounded(D[i * size + i], w, lambda[i], 0, kInfinity);
  }
}

void solve_facets(const Block& block, const double* D, const double* r, const double* lambda, double* z) {
  const int size = block.size;
  double c[3], candidate[3] = {0, 0, 0};
  w_at_zero(size, D, r, lambda, c);
  Best best(block, D, c, z);
  if (best.consider(candidate)) return;  // z = 0
  const unsigned all = (1U << size) - 1;
  if (solve_subset(size, all, D, c, candidate) && candidate[0] >= 0 && best.consider(candidate)) return;  // w = 0
  const double friction = block.friction[0];
  if (size == 2) {
    for (const double side : {friction, -friction}) {
      const double corner[2] = {1, side};
      if (at_corner(2, D, c, corner, candidate) && best.consider(candidate)) return;
    }
    return;
  }
  const auto corner = [&](int j, double* a) {
    const double angle = 2 * std::numbers::pi * j / block.facets;
    a[0] = 1;
    a[1] = friction * portable::cos(angle);
    a[2] = friction * portable::sin(angle);
  };
  double a[3], b[3];
  corner(0, a);
  for (int j = 0; j < block.facets; ++j) {
    corner(j + 1, b);
    if (at_corner(3, D, c, a, candidate) && best.consider(candidate)) return;
    if (on_side(D, c, a, b, candidate) && best.consider(candidate)) return;
    std::copy(b, b + 3, a);
  }
}

}  // namespace catena::solve
