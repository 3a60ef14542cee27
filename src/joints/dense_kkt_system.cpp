#include "catena/joints/dense_kkt_system.h"

#include <algorithm>
#include <cmath>

#include "catena/model/components.h"

namespace catena {

DenseKktSystem::DenseKktSystem(const Model& model)
    : RowRhsSystem(model),
      forest_(build_forest(model)),
      body_at_(model.bodies.size()),
      row_at_(static_cast<std::size_t>(rows_.rows())) {
  if (!rows_.workless())
    throw InputError("the factors of H need forces along their own rows; couplings with `through` take tree or dense");
  // A body, then the joint to its parent: a constraint never goes before one of its bodies has (design: errata of §7).
  const auto place_rows = [&](JointId joint, int& at) {
    for (int i = row_start_[joint]; i < row_start_[joint + 1]; ++i) row_at_[static_cast<std::size_t>(i)] = at++;
  };
  for (std::size_t i = forest_.nodes.size(); i-- > 0;) {
    const ForestNode& node = forest_.nodes[i];
    body_at_[node.body] = primary_;
    primary_ += dimension(model.bodies[node.body].kind);
    if (node.joint.valid()) place_rows(node.joint, primary_);
  }
  int size = primary_;
  for (const JointId joint : forest_.auxiliary) place_rows(joint, size);
  const int k = size - primary_;
  H_.setZero(size, size);
  x_.setZero(size);
  W_.setZero(k, k);
  for (auto* v : {&free_, &rhs_, &mu_}) v->setZero(k);
  solver_.reserve(k);
  redundant_.reserve(static_cast<std::size_t>(k));
}

void DenseKktSystem::assemble(const Kinematics& kinematics) {
  H_.setZero();
  double numbers[7];
  for (std::size_t i = 0; i < body_at_.size(); ++i) {
    const BodyKind kind = model_->bodies[i].kind;
    const int at = body_at_[i], d = dimension(kind);
    for (int k = 0; k < d; ++k) {
      double unit[7] = {};
      unit[k] = 1;
      components(kind, kinematics.M(BodyId(i)) * from_components(kind, unit), numbers);
      for (int j = 0; j < d; ++j) H_(at + j, at + k) = numbers[j];
    }
  }
  for (std::size_t r = 0; r < row_at_.size(); ++r)
    for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t) {
      const BodyId body = rows_.body[t];
      const int d = components(model_->bodies[body].kind, rows_.J[t], numbers), row = row_at_[r];
      for (int k = 0; k < d; ++k) {
        const int at = body_at_[body] + k;
        H_(std::max(row, at), std::min(row, at)) -= numbers[k];
      }
    }
}

bool DenseKktSystem::factor(const Kinematics& kinematics, bool closed) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  assemble(kinematics);
  // D_i is positive on bodies and negative on joints: no pivot vanishes unless a joint's own rows depend on each other.
  const Eigen::Index size = H_.rows();
  for (Eigen::Index i = 0; i < primary_; ++i) {
    const double d = H_(i, i);
    if (d == 0 || !std::isfinite(d)) {
      failure_ = "a pivot of H vanishes: the rows of a joint depend on each other";
      return false;
    }
    for (Eigen::Index j = i + 1; j < size; ++j)
      H_.col(j).segment(j, size - j) -= (H_(j, i) / d) * H_.col(i).segment(j, size - j);
    H_.col(i).segment(i + 1, size - i - 1) /= d;
  }
  redundant_.clear();
  const int k = static_cast<int>(size) - primary_;
  if (k == 0) return true;
  // What the primary joints have left of the others is −W. Dependent rows show as its pivots that vanish against the free compliance.
  W_ = -H_.bottomRightCorner(k, k);
  int a = 0;
  for (const JointId joint : forest_.auxiliary)
    for (int i = row_start_[joint]; i < row_start_[joint + 1]; ++i) {
      const auto r = static_cast<std::size_t>(i);
      double sum = 0;
      for (auto t = static_cast<std::size_t>(rows_.start[r]); t < static_cast<std::size_t>(rows_.start[r + 1]); ++t) {
        const BodyId body = rows_.body[t];
        sum += dot(rows_.J[t], inverse_times(model_->bodies[body].kind, kinematics.M(body), rows_.J[t]));
      }
      free_[a++] = sum;
    }
  solver_.factor(W_, free_, closed ? 0 : expected_redundant_);
  if (closed) expected_redundant_ = k - solver_.rank();
  for (const int row : solver_.redundant()) {
    const auto at = std::find(row_at_.begin(), row_at_.end(), primary_ + row) - row_at_.begin();
    const JointId joint = rows_.joint_of[static_cast<std::size_t>(at)];
    redundant_.push_back({joint, static_cast<int>(at) - row_start_[joint]});
  }
  return true;
}

// densesolve: L x = (f, −b), D x = x, Lᵀ x = x; in between the auxiliary rows, W μ = −x.
void DenseKktSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  double numbers[7];
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int d = components(model_->bodies[i].kind, y[i], numbers);
    for (int k = 0; k < d; ++k) x_[body_at_[i] + k] = numbers[k];
  }
  for (std::size_t i = 0; i < b.size(); ++i) x_[row_at_[i]] = -b[i];
  const Eigen::Index size = x_.size(), k = size - primary_;
  for (Eigen::Index i = 0; i < primary_; ++i) {
    x_.segment(i + 1, size - i - 1) -= x_[i] * H_.col(i).segment(i + 1, size - i - 1);
    x_[i] /= H_(i, i);
  }
  if (k > 0) {
    rhs_ = -x_.tail(k);
    solver_.solve(rhs_, mu_);
    x_.tail(k) = mu_;
  }
  for (Eigen::Index i = primary_; i-- > 0;)
    x_[i] -= H_.col(i).segment(i + 1, size - i - 1).dot(x_.segment(i + 1, size - i - 1));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = from_components(model_->bodies[i].kind, x_.data() + body_at_[i]);
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] = x_[row_at_[i]];
}

}  // namespace catena
