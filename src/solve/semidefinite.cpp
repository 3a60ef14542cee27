#include "catena/solve/semidefinite.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace catena {

void SemidefiniteSolver::reserve(int size) {
  if (L_.rows() >= size) return;
  order_.resize(static_cast<std::size_t>(size));
  scale_.resize(size);
  L_.resize(size, size);
  N_.resize(size, size);
  gram_.resize(size, size);
  x_.resize(size);
  t_.resize(size);
}

void SemidefiniteSolver::factor(const Eigen::Ref<const Eigen::MatrixXd>& W,
                                const Eigen::Ref<const Eigen::VectorXd>& size, int expected) {
  size_ = static_cast<int>(W.rows());
  reserve(size_);
  std::iota(order_.begin(), order_.begin() + size_, 0);
  for (int i = 0; i < size_; ++i) scale_[i] = size[i] > 0 ? 1 / std::sqrt(size[i]) : 0;
  auto L = L_.topLeftCorner(size_, size_);
  for (int j = 0; j < size_; ++j)
    for (int i = j; i < size_; ++i) L(i, j) = scale_[i] * W(i, j) * scale_[j];

  // Left-looking with the diagonal kept up to date; rows are swapped as they are chosen.
  rank_ = 0;
  for (int k = 0; k < size_; ++k) {
    int best = k;
    for (int i = k + 1; i < size_; ++i)
      if (L(i, i) > L(best, best)) best = i;
    if (!(L(best, best) > (k < size_ - expected ? kRankTolerance : kNearTolerance))) break;
    if (best != k) {
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(best)]);
      L.row(k).head(k).swap(L.row(best).head(k));
      L.col(k).tail(size_ - best - 1).swap(L.col(best).tail(size_ - best - 1));
      for (int i = k + 1; i < best; ++i) std::swap(L(i, k), L(best, i));
      std::swap(L(k, k), L(best, best));
    }
    const double pivot = std::sqrt(L(k, k));
    L(k, k) = pivot;
    L.col(k).tail(size_ - k - 1) /= pivot;
    for (int j = k + 1; j < size_; ++j) L.col(j).tail(size_ - j) -= L(j, k) * L.col(k).tail(size_ - j);
    ++rank_;
  }
  if (rank_ < size_) build_null_space();
}

// W = P S [L1; L2][L1; L2]ᵀ S Pᵀ in equilibrated, permuted form, so [−L1⁻ᵀ L2ᵀ; 1] spans the null space.
void SemidefiniteSolver::build_null_space() {
  const int r = rank_, p = size_ - rank_;
  auto N = N_.topLeftCorner(size_, p);
  N.topRows(r) = -L_.block(r, 0, p, r).transpose();
  L_.topLeftCorner(r, r).triangularView<Eigen::Lower>().transpose().solveInPlace(N.topRows(r));
  N.bottomRows(p).setIdentity();
  for (int i = 0; i < size_; ++i) {
    const double s = scale_[order_[static_cast<std::size_t>(i)]];
    N.row(i) *= s > 0 ? s : 1;
  }
  auto G = gram_.topLeftCorner(p, p);
  G.noalias() = N.transpose() * N;
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> in_place(G);
}

void SemidefiniteSolver::solve(const Eigen::Ref<const Eigen::VectorXd>& rhs, Eigen::Ref<Eigen::VectorXd> z) {
  const int r = rank_, p = size_ - rank_;
  auto x = x_.head(size_);
  for (int i = 0; i < size_; ++i) {
    const int from = order_[static_cast<std::size_t>(i)];
    x[i] = scale_[from] * rhs[from];
  }
  const auto L1 = L_.topLeftCorner(r, r).triangularView<Eigen::Lower>();
  L1.solveInPlace(x.head(r));
  L1.transpose().solveInPlace(x.head(r));
  x.tail(p).setZero();
  for (int i = 0; i < r; ++i) x[i] *= scale_[order_[static_cast<std::size_t>(i)]];
  if (p > 0) {
    // z − N (NᵀN)⁻¹ Nᵀ z: remove what lies in the null space.
    const auto N = N_.topLeftCorner(size_, p);
    auto t = t_.head(p);
    t.noalias() = N.transpose() * x;
    const auto G = gram_.topLeftCorner(p, p).triangularView<Eigen::Lower>();
    G.solveInPlace(t);
    G.transpose().solveInPlace(t);
    x.noalias() -= N * t;
  }
  for (int i = 0; i < size_; ++i) z[order_[static_cast<std::size_t>(i)]] = x[i];
}

}  // namespace catena
