#include "catena/solve/local_friction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/solve/slip_search.h"

namespace catena::solve {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Eigenvectors of [a b; b c] as a turn (cosine, sine), by one Jacobi rotation.
struct Turn {
  double cosine, sine, first, second;
};
Turn diagonalised(double a, double b, double c) {
  if (b == 0) return {1, 0, a, c};
  const double tau = (c - a) / (2 * b);
  const double t = std::copysign(1.0, tau) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double cosine = 1 / std::sqrt(1 + t * t);
  return {cosine, t * cosine, a - t * b, c + t * b};
}

}  // namespace

FrictionBlock friction_block(const Block& block, const double* D) {
  const int size = block.size;
  const auto at = [&](int i, int j) { return i < size && j < size ? 0.5 * (D[i * size + j] + D[j * size + i]) : 0.0; };
  const double other = size == 3 ? block.friction[1] : block.friction[0];
  const double longest = std::max(block.friction[0], other);
  const double axis[2] = {longest > 0 ? block.friction[0] / longest : 0, longest > 0 ? other / longest : 0};
  FrictionBlock B{};
  B.friction = longest;
  B.d_nn = std::max(at(0, 0), 0.0);
  B.inverse_nn = B.d_nn > 0 ? 1 / B.d_nn : 0;
  // The tangents scaled to a circle, n eliminated.
  const double d[2] = {axis[0] * at(0, 1), axis[1] * at(0, 2)};
  const double full[3] = {axis[0] * axis[0] * at(1, 1), axis[0] * axis[1] * at(1, 2), axis[1] * axis[1] * at(2, 2)};
  const Turn turn = diagonalised(full[0] - d[0] * d[0] * B.inverse_nn, full[1] - d[0] * d[1] * B.inverse_nn,
                                 full[2] - d[1] * d[1] * B.inverse_nn);
  const double null = 8 * kEpsilon * (std::abs(full[0]) + std::abs(full[2]));
  B.e[0] = turn.first > null ? turn.first : 0;
  B.e[1] = turn.second > null ? turn.second : 0;
  for (int a = 0; a < 2; ++a) {
    B.inverse_e[a] = B.e[a] > 0 ? 1 / B.e[a] : 0;
    B.weight[a] = axis[a] > 0 ? 1 / (axis[a] * axis[a]) : 0;
  }
  B.T[0] = axis[0] * turn.cosine;
  B.T[1] = axis[0] * turn.sine;
  B.T[2] = -axis[1] * turn.sine;
  B.T[3] = axis[1] * turn.cosine;
  B.d[0] = turn.cosine * d[0] - turn.sine * d[1];
  B.d[1] = turn.sine * d[0] + turn.cosine * d[1];
  return B;
}

bool local_friction::slip_exactly(const FrictionBlock& B, const Given<double>& given, bool wanted, FrictionPoint& p) {
  return slip_exactly<double>(B, given, wanted, p);
}

}  // namespace catena::solve
