// Between the rows of a joint and its free directions: P holds the rows as they act at the joint point,
//     c = Pᵀ (P Pᵀ)⁻¹ b    the relative motion that meets them,        λ = (P Pᵀ)⁻¹ P w    the multipliers of a wrench they can carry.
#pragma once

#include <array>
#include <cmath>

#include "catena/constraint/rows.h"

namespace catena {

struct FreedomRows {
  Rows rows;                        // as evaluated by the joint
  std::array<Spatial, kMaxRows> P;  // on body b at its anchor
  std::array<std::array<double, kMaxRows>, kMaxRows>
      L;  // Cholesky factor of P Pᵀ, lower; the diagonal holds reciprocals

  // From `rows`; arm: from b's centre of mass to its anchor.
  void prepare(const Vec3& arm) {
    const auto m = static_cast<std::size_t>(rows.count);
    for (std::size_t i = 0; i < m; ++i) {
      const Spatial& b = rows.row[i].b;
      P[i] = {b.linear, b.angular - cross(arm, b.linear)};
    }
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k <= i; ++k) {
        double sum = dot(P[i], P[k]);
        for (std::size_t l = 0; l < k; ++l) sum -= L[i][l] * L[k][l];
        L[i][k] = i == k ? 1 / std::sqrt(sum) : sum * L[k][k];
      }
  }

  Spatial motion(const double* b) const {
    std::array<double, kMaxRows> x;
    for (std::size_t i = 0; i < size(); ++i) x[i] = b[i];
    solve(x);
    Spatial c{};
    for (std::size_t i = 0; i < size(); ++i) c += x[i] * P[i];
    return c;
  }

  void multipliers(const Spatial& wrench, double* lambda) const {
    std::array<double, kMaxRows> x;
    for (std::size_t i = 0; i < size(); ++i) x[i] = dot(P[i], wrench);
    solve(x);
    for (std::size_t i = 0; i < size(); ++i) lambda[i] = x[i];
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(rows.count); }

  void solve(std::array<double, kMaxRows>& x) const {
    const std::size_t m = size();
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= L[i][k] * x[k];
      x[i] *= L[i][i];
    }
    for (std::size_t i = m; i-- > 0;) {
      for (std::size_t k = i + 1; k < m; ++k) x[i] -= L[k][i] * x[k];
      x[i] *= L[i][i];
    }
  }
};

}  // namespace catena
