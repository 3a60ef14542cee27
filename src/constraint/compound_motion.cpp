#include "catena/constraint/compound_motion.h"

#include <cmath>

#include "catena/constraint/compound_kernels.h"
#include "catena/math/dispatch.h"
#include "catena/math/rotation.h"
#include "catena/math/scalar.h"

namespace catena {
namespace {

using Square = std::array<std::array<double, kMaxCoordinates>, kMaxCoordinates>;

// Directions in which a unit of rate moves less than this (m or rad) count as not there: lengths are of metres, turns of radians.
constexpr double kCoincide = 1e-7;

// (FᵀF + δ²)⁻¹ x by Cholesky, δ far below any motion that counts.
class Normal {
 public:
  Normal(int count, const std::array<Spatial, kMaxCoordinates>& F) : count_(count) {
    double largest = 0;
    for (int k = 0; k < count; ++k) largest = std::max(largest, dot(F[at(k)], F[at(k)]));
    for (int i = 0; i < count; ++i)
      for (int k = 0; k <= i; ++k) {
        double sum = dot(F[at(i)], F[at(k)]) + (i == k ? kCoincide * kCoincide * largest : 0);
        for (int l = 0; l < k; ++l) sum -= L_[at(i)][at(l)] * L_[at(k)][at(l)];
        L_[at(i)][at(k)] = i == k ? 1 / std::sqrt(sum) : sum * L_[at(k)][at(k)];
      }
  }
  void solve(JointArray& x) const {
    for (int i = 0; i < count_; ++i) {
      for (int k = 0; k < i; ++k) x[at(i)] -= L_[at(i)][at(k)] * x[at(k)];
      x[at(i)] *= L_[at(i)][at(i)];
    }
    for (int i = count_; i-- > 0;) {
      for (int k = i + 1; k < count_; ++k) x[at(i)] -= L_[at(k)][at(i)] * x[at(k)];
      x[at(i)] *= L_[at(i)][at(i)];
    }
  }

 private:
  int count_;
  Square L_{};
};

Spatial unit(int i) {
  Spatial e{};
  (i < 3 ? e.linear[i] : e.angular[i - 3]) = 1;
  return e;
}

double component(const Spatial& x, int i) { return i < 3 ? x.linear[i] : x.angular[i - 3]; }

// x without what it has along an orthonormal basis: Gram–Schmidt twice.
Spatial reduced(Spatial x, const std::array<Spatial, kMaxCoordinates>& basis, int size) {
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < size; ++i) x = x - dot(basis[at(i)], x) * basis[at(i)];
  return x;
}

}  // namespace

CATENA_DISPATCH CompoundPlace compound_place(std::span<const Freedom> freedoms, const double* q) {
  return compound_place_of(freedoms, q);
}

CATENA_DISPATCH CompoundRates compound_rates(std::span<const Freedom> freedoms, const CompoundPlace& place,
                                             const double* rates) {
  return compound_rates_of(freedoms, place, rates);
}

CompoundMotion compound_motion(std::span<const Freedom> freedoms, const double* q, const double* rates) {
  CompoundMotion out{compound_place(freedoms, q), {}, {}};
  const CompoundRates moving = compound_rates(freedoms, out, rates);
  out.velocity = moving.velocity;
  out.bias = moving.bias;
  return out;
}

FoundCoordinates find_coordinates(std::span<const Freedom> freedoms, const Mat3& R, const Vec3& t, double* q) {
  constexpr int kSteps = 50;
  constexpr double kExact = 1e-15, kLast = 1e-8;
  const int n = static_cast<int>(freedoms.size());
  FoundCoordinates found;
  CompoundPlace& now = found.place;
  Spatial& gap = found.gap;
  double before = 1e300;
  for (int step = 0; step < kSteps; ++step) {
    now = compound_place(freedoms, q);
    gap = {t - now.t, log_rotation(R * transpose(now.R))};
    JointArray x{};
    for (int k = 0; k < n; ++k) x[at(k)] = dot(now.F[at(k)], gap);
    Normal(n, now.F).solve(x);
    double largest = 0;
    for (int k = 0; k < n; ++k) largest = std::max(largest, std::abs(x[at(k)]));
    if (largest < kExact || (step > 2 && largest < 1e-9 && largest >= before)) break;
    before = largest;
    // The next step would be of the size (largest + gap) largest: below rounding.
    if (largest < kLast && std::sqrt(dot(gap, gap)) < kLast) {
      for (int k = 0; k < n; ++k) {
        q[k] += x[at(k)];
        gap = gap - x[at(k)] * now.F[at(k)];
      }
      now = compound_place(freedoms, q);
      break;
    }
    const double most = 1.0;  // rad or m in a step: what is farther is approached
    const double part = largest > most ? most / largest : 1;
    for (int k = 0; k < n; ++k) q[k] += part * x[at(k)];
    if (step == kSteps - 1) now = compound_place(freedoms, q);
  }
  return found;
}

CompoundDirections compound_directions(int count, const std::array<Spatial, kMaxCoordinates>& F, bool held_too) {
  CompoundDirections out;
  const Normal normal(count, F);
  for (int k = 0; k < count; ++k) {
    JointArray x{};
    x[at(k)] = 1;
    normal.solve(x);
    for (int i = 0; i < count; ++i) out.along[at(k)] += x[at(i)] * F[at(i)];
  }
  if (!held_too) return out;
  // Of what is left by the span the unit vector that sticks out most comes next, so that directions nothing moves along stay as they are.
  std::array<Spatial, kMaxCoordinates> basis = F;
  int size = orthonormalise(count, basis);
  for (int held = 0; held < 6 - count; ++held) {
    int best = 0;
    double most = -1;
    for (int i = 0; i < 6; ++i) {
      double left = 1;  // of the square of a unit vector
      for (int k = 0; k < size; ++k) left -= component(basis[at(k)], i) * component(basis[at(k)], i);
      if (left > most * (1 + 1e-6)) most = left, best = i;
    }
    const Spatial x = reduced(unit(best), basis, size);
    out.held[at(held)] = basis[at(size++)] = (1 / std::sqrt(dot(x, x))) * x;
  }
  return out;
}

int orthonormalise(int count, std::array<Spatial, kMaxCoordinates>& F) {
  int size = 0;
  for (int k = 0; k < count; ++k) {
    const Spatial x = reduced(F[at(k)], F, size);
    const double length = std::sqrt(dot(x, x)), whole = std::sqrt(dot(F[at(k)], F[at(k)]));
    if (length > kCoincide * whole) F[at(size++)] = (1 / length) * x;
  }
  return size;
}

}  // namespace catena
