#include "catena/auxiliary/dense_system.h"

#include <algorithm>

namespace catena {

DenseSystem::DenseSystem(const Model& model)
    : RowRhsSystem(model), M_(model.bodies.size()), column_(model.bodies.size()), rows_of_(model.bodies.size()) {
  for (int i = 0; i < rows_.rows(); ++i)
    for (int t = rows_.start[static_cast<std::size_t>(i)]; t < rows_.start[static_cast<std::size_t>(i) + 1]; ++t)
      rows_of_[rows_.body[static_cast<std::size_t>(t)]].push_back(i);
  A_.setZero(rows_.rows(), rows_.rows());
  rhs_.setZero(rows_.rows());
  lambda_.setZero(rows_.rows());
  solver_.reserve(rows_.rows());
  redundant_.reserve(static_cast<std::size_t>(rows_.rows()));
}

bool DenseSystem::factor(const Kinematics& kinematics) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  for (std::size_t i = 0; i < M_.size(); ++i) M_[i] = kinematics.M(BodyId(i));

  // A_ij = Σ_k J_ik M_k⁻¹ J_jkᵀ, over the bodies k that both rows touch.
  A_.setZero();
  for (int i = 0; i < rows_.rows(); ++i) {
    const auto begin = static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(i) + 1]);
    for (std::size_t t = begin; t < end; ++t) column_[rows_.body[t]] = {};
    rows_.add_force(i, 1.0, column_);
    for (std::size_t t = begin; t < end; ++t) {
      const BodyId body = rows_.body[t];
      column_[body] = inverse_times(model_->bodies[body].kind, M_[body], column_[body]);
    }
    for (std::size_t t = begin; t < end; ++t)
      for (const int j : rows_of_[rows_.body[t]])
        if (j >= i) A_(j, i) = rows_.times(j, column_);
    for (std::size_t t = begin; t < end; ++t) column_[rows_.body[t]] = {};
  }
  solver_.factor(A_, A_.diagonal());
  redundant_.clear();
  for (const int row : solver_.redundant()) {
    const JointId joint = rows_.joint_of[static_cast<std::size_t>(row)];
    redundant_.push_back({joint, row - row_start_[joint]});
  }
  return true;
}

// A λ = b − J M⁻¹ f, then y = M⁻¹ (f + Jᵀλ).                                    Baraff eqs. 6 and 7
void DenseSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  for (std::size_t i = 0; i < y.size(); ++i) column_[i] = inverse_times(model_->bodies[i].kind, M_[i], y[i]);
  for (int i = 0; i < rows_.rows(); ++i) rhs_[i] = b[static_cast<std::size_t>(i)] - rows_.times(i, column_);
  solver_.solve(rhs_, lambda_);
  std::copy(y.begin(), y.end(), column_.begin());
  for (int i = 0; i < rows_.rows(); ++i) {
    rows_.add_force(i, lambda_[i], column_);
    if (!lambda.empty()) lambda[static_cast<std::size_t>(i)] = lambda_[i];
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = inverse_times(model_->bodies[i].kind, M_[i], column_[i]);
    column_[i] = {};
  }
}

}  // namespace catena
