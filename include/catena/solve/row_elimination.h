// The general step of Baraff's tree LDLᵀ: one block D (a body) and the rows J that tie it to its parent, eliminated together.
//     D y − Jᵀλ = f,    J y + J_p y_p − Σ λ … = b
//     C = J D⁻¹ Jᵀ + Σ,    parent: D_p += J_pᵀ C⁻¹ J_p,   f_p += J_pᵀ C⁻¹ (b − J D⁻¹ f)
// Sizes are at most 7 unknowns and 6 rows; nothing allocates. D and C are positive definite: Cholesky, no pivoting.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace catena {

inline constexpr int kMaxBlock = 7;
inline constexpr int kMaxBlockRows = 6;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxBlock, 1>;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxBlock, kMaxBlock>;

struct RowElimination {
  // Filled by the caller before eliminate().
  SmallMatrix J, J_parent;  // m x d, m x d_p (d_p = 0: the parent is the ground)
  SmallVector sigma;        // compliance of each row, mostly zero        (m)
  SmallVector b;            // before up()                                (m)
  // Filled by eliminate().
  // Defined from the start: copying one that never factored anything would read an undefined number.
  Eigen::LLT<SmallMatrix> D_factor{SmallMatrix::Identity(1, 1)}, C_factor{SmallMatrix::Identity(1, 1)};
  SmallMatrix T;  // D⁻¹ Jᵀ                                     (d x m)
  // Filled by up().
  SmallVector r;  // b − J D⁻¹ f                                (m)

  // False when D or C is not positive definite: the rows depend on each other.
  bool eliminate(const SmallMatrix& D) {
    D_factor.compute(D);
    T = D_factor.solve(J.transpose());
    SmallMatrix C = J * T;
    C.diagonal() += sigma;
    C_factor.compute(C);
    return D_factor.info() == Eigen::Success && C_factor.info() == Eigen::Success;
  }

  SmallMatrix parent_block() const { return J_parent.transpose() * C_factor.solve(J_parent); }

  // f ← D⁻¹ f; returns what the parent receives.
  SmallVector up(SmallVector& f) {
    D_factor.solveInPlace(f);
    r = b - J * f;
    return J_parent.transpose() * C_factor.solve(r);
  }

  // f ← y; returns λ.
  SmallVector down(const SmallVector& y_parent, SmallVector& f) const {
    SmallVector lambda = r;
    if (J_parent.cols() > 0) lambda -= J_parent * y_parent;
    C_factor.solveInPlace(lambda);
    f += T * lambda;
    return lambda;
  }
};

}  // namespace catena
