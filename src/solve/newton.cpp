#include "catena/solve/newton.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "catena/solve/jordan.h"
#include "catena/solve/linear_solver.h"
#include "catena/solve/sparse_ldlt.h"

namespace catena::solve {
namespace {

// Steps that do not bring ‖F‖ down by a tenth before it is left at that.
constexpr int kPatience = 6;
constexpr double kRise = 5;

// Slopes of P at v, and of De Saxcé's term at w, for one cone ‖t‖ ≤ friction · n.
ConeMatrix projection_slope(double friction, const ConeVector& v) {
  const auto size = v.size();
  const double n = v[0], t = tangent_norm(v);
  if (n >= 0 && t <= friction * n) return ConeMatrix::Identity(size, size);
  if (friction * t <= -n) return ConeMatrix::Zero(size, size);
  ConeVector e = v / t, g(size);
  e[0] = 0;
  g = friction * e;
  g[0] = 1;
  const double shrink = friction * (n + friction * t) / ((1 + friction * friction) * t);
  ConeMatrix slope = g * g.transpose() / (1 + friction * friction) - shrink * e * e.transpose();
  for (int a = 1; a < size; ++a) slope(a, a) += shrink;
  return slope;
}

ConeMatrix slip_slope(double friction, const ConeVector& w) {
  ConeMatrix slope = ConeMatrix::Identity(w.size(), w.size());
  const double t = tangent_norm(w);
  for (int a = 1; a < w.size(); ++a) slope(0, a) = t > 0 ? friction * w[a] / t : 0;
  return slope;
}

// (JᵀJ + λ 1) d = −Jᵀ F; sparse as [√λ J; Jᵀ −√λ](s, d) = (−F, 0), which needs no square of J and is as well conditioned as J can be.
class DampedLeastSquares {
 public:
  explicit DampedLeastSquares(bool sparse) : sparse_(sparse) {}

  void set(const SparseRows& J) {
    J_ = J;
    if (sparse_) {
      make_pattern();
    } else {
      dense_ = J;
      square_.noalias() = dense_.transpose() * dense_;
    }
  }

  Vector solve(const Vector& F, double lambda) {
    const Vector r = -(J_.transpose() * F);
    if (!sparse_) {
      Eigen::MatrixXd S = square_;
      S.diagonal().array() += lambda;
      const Eigen::LLT<Eigen::MatrixXd> llt(S);
      Vector d = llt.solve(r);
      d += llt.solve(r - J_.transpose() * (J_ * d) - lambda * d);
      return d;
    }
    const int n = static_cast<int>(F.size());
    const double alpha = std::sqrt(lambda);
    for (int j = 0; j < n; ++j) {
      H_.value[diagonal_[j]] = alpha;
      H_.value[diagonal_[n + j]] = -alpha;
    }
    if (!ldlt_.factor(H_)) return Vector::Constant(n, std::nan(""));
    Vector x = Vector::Zero(2 * n), miss(2 * n);
    miss << -F, Vector::Zero(n);
    for (int k = 0; k < 3; ++k) {
      ldlt_.solve({miss.data(), static_cast<std::size_t>(2 * n)});
      x += miss;
      miss << -F - alpha * x.head(n) - J_ * x.tail(n), alpha * x.tail(n) - J_.transpose() * x.head(n);
    }
    return x.tail(n);
  }

 private:
  void make_pattern() {
    const int n = static_cast<int>(J_.rows());
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
      entries.emplace_back(i, i, 0.0);
      entries.emplace_back(n + i, n + i, 0.0);
      for (SparseRows::InnerIterator at(J_, i); at; ++at) {
        entries.emplace_back(i, n + static_cast<int>(at.col()), at.value());
        entries.emplace_back(n + static_cast<int>(at.col()), i, at.value());
      }
    }
    Eigen::SparseMatrix<double> K(2 * n, 2 * n);
    K.setFromTriplets(entries.begin(), entries.end());
    H_.size = 2 * n;
    H_.start.assign(K.outerIndexPtr(), K.outerIndexPtr() + 2 * n + 1);
    H_.row.assign(K.innerIndexPtr(), K.innerIndexPtr() + K.nonZeros());
    H_.value.assign(K.valuePtr(), K.valuePtr() + K.nonZeros());
    diagonal_.resize(2 * n);
    for (int j = 0; j < 2 * n; ++j)
      diagonal_[j] = static_cast<int>(
          std::lower_bound(H_.row.begin() + H_.start[j], H_.row.begin() + H_.start[j + 1], j) - H_.row.begin());
    // Rows of J are empty where P is flat, so the pattern changes with the active set.
    ldlt_.analyse(H_);
  }

  bool sparse_;
  SparseRows J_;
  Eigen::MatrixXd dense_, square_;
  SparseSymmetric H_;
  std::vector<int> diagonal_;
  SparseLdlt ldlt_;
};

class NaturalNewton {
 public:
  NaturalNewton(const Problem& problem, const ConeOptions& options, Solution& solution)
      : problem_(problem), options_(options), solution_(solution), scale_(matrix_scale(problem.A)) {
    round_cones();
    A_ = to_sparse(problem.A);
    A_ = unit_.asDiagonal() * A_ * unit_.asDiagonal();
    b_ = unit_.cwiseProduct(problem.b);
  }

  void run() {
    Vector z(problem_.size());
    for (int i = 0; i < z.size(); ++i) z[i] = unit_[i] > 0 ? solution_.z[i] / unit_[i] : 0;
    DampedLeastSquares step(worth_sparse(A_));
    Vector F = map(z);
    double damping = 1, best = F.norm();
    int slow = 0;
    for (int k = 0; k < options_.max_iterations && solution_.certificate.residual > options_.tolerance; ++k) {
      step.set(slope(z));
      if (!advance(step, best, z, F, damping)) return;
      slow = F.norm() < 0.9 * best ? 0 : slow + 1;
      best = std::min(best, F.norm());
      if (slow > kPatience) return;
    }
  }

 private:
  // Coordinates in which an ellipse is the circle of its longer axis: z = unit · z̃, w̃ = unit · w.
  void round_cones() {
    unit_ = Vector::Ones(problem_.size());
    friction_.resize(problem_.blocks.size());
    for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
      const Block& block = problem_.blocks[k];
      if (block.law != Law::cone) continue;
      friction_[k] = block.size == 2 ? block.friction[0] : std::max(block.friction[0], block.friction[1]);
      if (friction_[k] > 0)
        for (int a = 1; a < block.size; ++a) unit_[block.first + a] = block.friction[a - 1] / friction_[k];
    }
  }

  Vector map(const Vector& z) const {
    const Vector w = A_ * z + b_;
    Vector F(z.size());
    for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
      Block block = problem_.blocks[k];
      if (block.law == Law::cone) block.friction = {friction_[k], friction_[k]};
      natural_map(block, z, w.data() + block.first, 1 / scale_, F.data() + block.first);
    }
    return F;
  }

  // J = (1 − P') + ρ P' ŵ' A, block row by block row.
  SparseRows slope(const Vector& z) const {
    const Vector w = A_ * z + b_;
    const double rho = 1 / scale_;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(static_cast<std::size_t>(A_.nonZeros() + 3 * z.size()));
    for (std::size_t k = 0; k < problem_.blocks.size(); ++k) {
      const Block& block = problem_.blocks[k];
      if (block.law == Law::cone) {
        const ConeVector own_w = w.segment(block.first, block.size);
        ConeVector v = z.segment(block.first, block.size) - rho * own_w;
        v[0] -= rho * friction_[k] * tangent_norm(own_w);
        const ConeMatrix P = projection_slope(friction_[k], v);
        add_rows(block.first, P, rho * P * slip_slope(friction_[k], own_w), entries);
        continue;
      }
      for (int i = block.first; i < block.first + block.size; ++i) {
        const double v = z[i] - rho * w[i];
        const double lower = block.law == Law::complementary ? 0 : block.lower;
        const bool inside =
            block.law == Law::free || (v > lower && (block.law == Law::complementary || v < block.upper));
        const ConeMatrix P = ConeMatrix::Constant(1, 1, inside ? 1 : 0);
        add_rows(i, P, rho * P, entries);
      }
    }
    SparseRows J(z.size(), z.size());
    J.setFromTriplets(entries.begin(), entries.end());
    return J;
  }

  void add_rows(int first, const ConeMatrix& P, const ConeMatrix& B, std::vector<Eigen::Triplet<double>>& out) const {
    const int size = static_cast<int>(P.rows());
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        const double own = (i == j ? 1 : 0) - P(i, j);
        if (own != 0) out.emplace_back(first + i, first + j, own);
        if (B(i, j) == 0) continue;
        for (SparseRows::InnerIterator at(A_, first + j); at; ++at)
          out.emplace_back(first + i, static_cast<int>(at.col()), B(i, j) * at.value());
      }
  }

  // One damped step. ‖F‖ may rise a little over the best so far: across a kink of P the way down often leads up first.
  bool advance(DampedLeastSquares& step, double best, Vector& z, Vector& F, double& damping) {
    const double size = F.norm(), reach = std::max(z.norm(), 1e-300);
    for (int tries = 0; tries < 6; ++tries, damping *= 10) {
      const Vector next = z + step.solve(F, damping * std::min(1.0, size / reach));
      if (!next.allFinite()) continue;
      const Vector next_F = map(next);
      if (!(next_F.norm() < kRise * best)) continue;
      if (next_F.norm() < size) damping = std::max(damping / 10, 1e-8);
      z = next;
      F = next_F;
      keep(z);
      return true;
    }
    return false;
  }

  void keep(const Vector& z) {
    Solution next = solution_;
    next.z = unit_.cwiseProduct(z);
    certify(problem_, scale_, options_.tolerance, next);
    ++solution_.certificate.iterations;
    if (!(next.certificate.residual < solution_.certificate.residual)) return;
    next.certificate.iterations = solution_.certificate.iterations;
    solution_ = next;
  }

  const Problem& problem_;
  ConeOptions options_;
  Solution& solution_;
  double scale_;
  SparseRows A_;
  Vector b_, unit_;
  std::vector<double> friction_;  // of the round cones                                (blocks)
};

}  // namespace

void newton(const Problem& problem, const ConeOptions& options, Solution& solution) {
  for (const Block& block : problem.blocks)
    if (block.law == Law::bounded_by || block.law == Law::facets) return;
  NaturalNewton(problem, options, solution).run();
}

}  // namespace catena::solve
