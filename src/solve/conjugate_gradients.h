// Conjugate gradients on A x = b for a symmetric positive semidefinite A that is known by its products alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace catena {

// What the method came to. `residual` is of b − A x recomputed from x, in the norm of the scaled rows, relative to b.
struct ConjugateReport {
  int iterations = 0;
  double residual = 0;
};

// Hestenes and Stiefel's method in the unknowns whose diagonal of A is one (Jacobi scaling), so that rows in metres and rows in radians
// weigh alike. Rounding makes the residual it carries along drift from b − A x: where it has come down far enough, or no further, b − A x is
// computed anew and the method starts again from there, as long as that at least halves it.
//
// A may be singular. From x = 0 all iterates stay orthogonal to the null space in the scaled unknowns; where b is consistent the solution
// is the one with the least Σ A_ii x_i². Where b is not, the iterate of least residual is returned and the report says how far it got.
//
// Cost: one product and 5 n multiplications an iteration. Nothing is allocated in solve().
class ConjugateGradients {
 public:
  void reserve(std::size_t size) {
    for (auto* v : {&r_, &z_, &p_, &q_, &best_}) v->resize(size);
  }

  // multiply(p, q): q = A p. `diagonal` > 0: that of A, or what stands for it.
  template <class Multiply>
  ConjugateReport solve(Multiply&& multiply, std::span<const double> diagonal, std::span<const double> b,
                        std::span<double> x, double accuracy, int most) {
    ConjugateReport report;
    std::fill(x.begin(), x.end(), 0.0);
    std::copy(b.begin(), b.end(), r_.begin());
    const double size = norm(r_, diagonal), goal = accuracy * size;
    double reached = size;
    while (reached > goal && report.iterations < most) {
      std::copy(x.begin(), x.end(), best_.begin());
      report.iterations += round(multiply, diagonal, x, goal, most - report.iterations);
      multiply(std::span<const double>(x), std::span<double>(q_));
      for (std::size_t i = 0; i < q_.size(); ++i) r_[i] = b[i] - q_[i];
      const double now = norm(r_, diagonal);
      if (!(now < reached)) {  // also where numbers are no longer finite
        std::copy(best_.begin(), best_.end(), x.begin());
        break;
      }
      const bool halved = now < 0.5 * reached;
      reached = now;
      if (!halved) break;
    }
    report.residual = size > 0 ? reached / size : 0;
    return report;
  }

 private:
  // From the residual in r_, adding to x, until the residual carried along is at the goal or stops coming down.
  template <class Multiply>
  int round(Multiply& multiply, std::span<const double> diagonal, std::span<double> x, double goal, int most) {
    double rho_before = 0, least = norm(r_, diagonal);
    const int patience = 2 * static_cast<int>(x.size()) + 20;
    int iterations = 0;
    for (int since = 0; iterations < most && since < patience; ++iterations, ++since) {
      double rho = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        z_[i] = r_[i] / diagonal[i];
        rho += r_[i] * z_[i];
      }
      const double beta = iterations > 0 ? rho / rho_before : 0;
      rho_before = rho;
      for (std::size_t i = 0; i < x.size(); ++i) p_[i] = z_[i] + beta * p_[i];
      multiply(std::span<const double>(p_), std::span<double>(q_));
      double curvature = 0;
      for (std::size_t i = 0; i < x.size(); ++i) curvature += p_[i] * q_[i];
      if (!(curvature > 0)) break;  // only the null space, or rounding, is left
      const double alpha = rho / curvature;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      }
      const double now = norm(r_, diagonal);
      if (now < 0.5 * least) {
        least = now;
        since = 0;
      }
      if (now <= goal) return iterations + 1;
    }
    return iterations;
  }

  static double norm(std::span<const double> r, std::span<const double> diagonal) {
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += r[i] * r[i] / diagonal[i];
    return std::sqrt(sum);
  }

  std::vector<double> r_, z_, p_, q_, best_;
};

}  // namespace catena
