#include "catena/joints/dense_system.h"

#include <algorithm>

namespace catena {

DenseSystem::DenseSystem(const Model& model)
    : RowRhsSystem(model), M_(model), column_(model.bodies.size()), rows_of_(model.bodies.size()) {
  const auto once = [](std::vector<BodyId> bodies) {
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
  };
  for (std::size_t i = 0; i < rows_.c.size(); ++i) {
    const auto felt = once({rows_.body.begin() + rows_.start[i], rows_.body.begin() + rows_.start[i + 1]});
    for (const BodyId body : felt) rows_of_[body].push_back(static_cast<int>(i));
    const auto own = once({rows_.K_body.begin() + rows_.K_start[i], rows_.K_body.begin() + rows_.K_start[i + 1]});
    pushed_.push_back(own.empty() ? felt : own);
  }
  A_.setZero(rows_.rows(), rows_.rows());
  rhs_.setZero(rows_.rows());
  lambda_.setZero(rows_.rows());
  solver_.reserve(rows_.rows());
  redundant_.reserve(static_cast<std::size_t>(rows_.rows()));
}

bool DenseSystem::factor(const Kinematics& kinematics, bool closed) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  M_.assign(kinematics.masses());

  // A_ij = Σ_k J_ik M_k⁻¹ K_kj, over the bodies k that row i feels and force j pushes.
  A_.setZero();
  for (int j = 0; j < rows_.rows(); ++j) {
    const std::vector<BodyId>& pushed = pushed_[static_cast<std::size_t>(j)];
    rows_.add_force(j, 1.0, column_);
    for (const BodyId body : pushed) column_[body] = inverse_times(model_->bodies[body].kind, M_[body], column_[body]);
    for (const BodyId body : pushed)
      for (const int i : rows_of_[body])
        if (i >= j || !rows_.workless()) A_(i, j) = rows_.times(i, column_);
    for (const BodyId body : pushed) column_[body] = {};
  }
  redundant_.clear();
  if (!rows_.workless()) {
    general_.compute(A_);
    return true;
  }
  rhs_ = A_.diagonal();  // a diagonal is not contiguous: passing it on would allocate
  solver_.factor(A_, rhs_, closed ? 0 : expected_redundant_);
  if (closed) expected_redundant_ = rows_.rows() - solver_.rank();
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
  if (rows_.workless()) {
    solver_.solve(rhs_, lambda_);
  } else {
    lambda_ = general_.solve(rhs_);
  }
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
