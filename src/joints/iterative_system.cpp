#include "catena/joints/iterative_system.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace catena {

IterativeSystem::IterativeSystem(const Model& model) : RowRhsSystem(model), M_(model) {
  T_start_.push_back(0);
  for (int i = 0; i < rows_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    const bool own = rows_.K_start[r] < rows_.K_start[r + 1];
    const std::vector<int>& start = own ? rows_.K_start : rows_.start;
    const std::vector<BodyId>& body = own ? rows_.K_body : rows_.body;
    T_body_.insert(T_body_.end(), body.begin() + start[r], body.begin() + start[r + 1]);
    T_start_.push_back(static_cast<int>(T_body_.size()));
  }
  T_.resize(T_body_.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int first = row_start_[j]; first < row_start_[j + 1]; first += kMaxRows)
      joints_.push_back({first, std::min(kMaxRows, row_start_[j + 1] - first), {}});
}

double IterativeSystem::times(int row, std::span<const BodyVector> y) const {
  double sum = 0;
  for (auto t = static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(row)]);
       t < static_cast<std::size_t>(rows_.start[static_cast<std::size_t>(row) + 1]); ++t)
    sum += dot(rows_.J[t], y[rows_.body[t]]);
  return sum;
}

void IterativeSystem::push(int row, double impulse, std::span<BodyVector> y) const {
  for (auto t = static_cast<std::size_t>(T_start_[static_cast<std::size_t>(row)]);
       t < static_cast<std::size_t>(T_start_[static_cast<std::size_t>(row) + 1]); ++t)
    y[T_body_[t]] += impulse * T_[t];
}

bool IterativeSystem::factor(const Kinematics& kinematics, bool /*closed*/) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  M_.assign(kinematics.masses());
  for (int i = 0; i < rows_.rows(); ++i) {
    const auto r = static_cast<std::size_t>(i);
    const bool own = rows_.K_start[r] < rows_.K_start[r + 1];
    const BodyVector* const force =
        own ? &rows_.K[static_cast<std::size_t>(rows_.K_start[r])] : &rows_.J[static_cast<std::size_t>(rows_.start[r])];
    const auto first = static_cast<std::size_t>(T_start_[r]);
    for (std::size_t t = first; t < static_cast<std::size_t>(T_start_[r + 1]); ++t)
      T_[t] = inverse_times(model_->bodies[T_body_[t]].kind, kinematics.M(T_body_[t]), force[t - first]);
  }
  // A_ij within a joint: what the impulse of row j does to the velocity of row i.
  for (JointRows& joint : joints_) {
    Block A = Block::Zero(joint.count, joint.count);
    for (int j = 0; j < joint.count; ++j)
      for (int i = 0; i < joint.count; ++i) {
        const auto row = static_cast<std::size_t>(joint.first + i), other = static_cast<std::size_t>(joint.first + j);
        for (auto s = static_cast<std::size_t>(rows_.start[row]); s < static_cast<std::size_t>(rows_.start[row + 1]);
             ++s)
          for (auto t = static_cast<std::size_t>(T_start_[other]); t < static_cast<std::size_t>(T_start_[other + 1]);
               ++t)
            if (rows_.body[s] == T_body_[t]) A(i, j) += dot(rows_.J[s], T_[t]);
      }
    joint.inverse = A.partialPivLu().solve(Block::Identity(joint.count, joint.count));
    if (!joint.inverse.allFinite()) {
      failure_ = "the rows of joint '" + model_->joints[rows_.joint_of[static_cast<std::size_t>(joint.first)]].name +
                 "' depend on each other";
      return false;
    }
  }
  return true;
}

// One impulse a joint. Returns the largest velocity a joint lacked when its turn came.
double IterativeSystem::sweep(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) const {
  double worst = 0;
  for (const JointRows& joint : joints_) {
    Vector lacking(joint.count);
    for (int i = 0; i < joint.count; ++i) {
      lacking[i] = b[static_cast<std::size_t>(joint.first + i)] - times(joint.first + i, y);
      worst = std::max(worst, std::abs(lacking[i]));
    }
    const Vector impulse = joint.inverse * lacking;
    for (int i = 0; i < joint.count; ++i) {
      push(joint.first + i, impulse[i], y);
      if (!lambda.empty()) lambda[static_cast<std::size_t>(joint.first + i)] += impulse[i];
    }
  }
  return worst;
}

void IterativeSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = inverse_times(model_->bodies[i].kind, M_[i], y[i]);
  double first = 0;
  for (int i = 0; i < rows_.rows(); ++i)
    first = std::max(first, std::abs(b[static_cast<std::size_t>(i)] - times(i, y)));
  for (int sweeps = 0; sweeps < kMostSweeps; ++sweeps)
    if (!(sweep(b, y, lambda) > accuracy_ * first)) return;
}

}  // namespace catena
