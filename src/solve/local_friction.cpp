#include "catena/solve/local_friction.h"

#include <algorithm>
#include <limits>

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

// friction · n / ‖y‖ − 1 at y = −(S + sI)⁻¹ g, and its slope. Nearly linear in s; exactly so where S is isotropic.
struct Slack {
  double value, slope;
};
Slack slack_at(const FrictionBlock& B, const local_friction::Given& given, double s, double* y) {
  const double h0 = 1 / (B.e[0] + s), h1 = 1 / (B.e[1] + s);
  y[0] = -given.g[0] * h0;
  y[1] = -given.g[1] * h1;
  const double length = std::sqrt(y[0] * y[0] + y[1] * y[1]);
  const double n = -(given.c_n + B.d[0] * y[0] + B.d[1] * y[1]) * B.inverse_nn;
  const double n_slope = (B.d[0] * y[0] * h0 + B.d[1] * y[1] * h1) * B.inverse_nn;
  const double inverse = 1 / length;
  const double shrinking = (y[0] * y[0] * h0 + y[1] * y[1] * h1) * inverse * inverse;  // −(d‖y‖/ds)/‖y‖
  const double ratio = B.friction * inverse;
  return {ratio * n - 1, ratio * (n_slope + n * shrinking)};
}

// The multiplier λ has, which late in a run of sweeps is nearly the answer; else what it would be if S were isotropic and the slack
// linear: s + e = (d_nn ‖g‖/friction − dᵀg)/(−c_n).
double first_guess(const FrictionBlock& B, const local_friction::Given& given, double size_g) {
  const double held = given.pull / given.hold;
  if (held > 0 && std::isfinite(held)) return held;
  const double stiff = std::max(B.e[0], B.e[1]);
  const double reach = (B.d_nn * size_g / B.friction - B.d[0] * given.g[0] - B.d[1] * given.g[1]) / -given.c_n;
  const double s = reach > stiff ? reach - stiff : std::max(reach, 0.0) * 0.25 + 0.01 * stiff;
  return s > 0 && std::isfinite(s) ? s : B.d_nn;
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

// w_y = −s y with a slip multiplier s > 0, so y(s) = −(S + sI)⁻¹ g, and s is where y(s) meets the cone: the slack is negative at 0
// (sticking left the cone) and grows without bound. Newton's step inside a bracket; from the left it rarely leaves it.
bool local_friction::slip_exactly(const FrictionBlock& B, const Given& given, FrictionPoint& p) {
  if (!(B.d_nn > 0)) return false;
  if (B.friction == 0) return slip_along(B, given.c_n, 0, 0, p);
  const double size_g = std::sqrt(given.g[0] * given.g[0] + given.g[1] * given.g[1]);
  if (!(size_g > 0)) return slip_along(B, given.c_n, 0, 0, p);
  if (given.g[1] == 0 || given.g[0] == 0)  // one tangent moves: its direction is known
    return slip_along(B, given.c_n, -given.g[0] / size_g, -given.g[1] / size_g, p);
  double low = 0, high = std::numeric_limits<double>::infinity();
  double s = first_guess(B, given, size_g);
  double y[2];
  const double rounding = 4 * kEpsilon * (1 + B.friction * (std::abs(B.d[0]) + std::abs(B.d[1])) * B.inverse_nn);
  const double least = kEpsilon * kEpsilon * (B.d_nn + B.e[0] + B.e[1]);  // below: y runs off along a null direction
  constexpr int kMostSteps = 200;
  for (int step = 0; step < kMostSteps; ++step) {
    const Slack slack = slack_at(B, given, s, y);
    if (!std::isfinite(slack.value)) return false;
    if (std::abs(slack.value) <= rounding) break;
    (slack.value < 0 ? low : high) = s;
    double next = slack.slope > 0 ? s - slack.value / slack.slope : s;
    if (!(next > low && next < high)) {
      if (high == std::numeric_limits<double>::infinity()) next = 8 * s;
      else next = low > 0.01 * high ? 0.5 * (low + high) : (low > 0 ? std::sqrt(low) * std::sqrt(high) : 0.01 * high);
    }
    if (next < least) return false;
    if (std::abs(next - s) <= kEpsilon * s) break;
    s = next;
  }
  // n from the cone, not from w_n = 0: where the two nearly cancel, y is the one that is known.
  p = {std::sqrt(y[0] * y[0] + y[1] * y[1]) / B.friction, {y[0], y[1]}};
  return std::isfinite(p.n);
}

}  // namespace catena::solve
