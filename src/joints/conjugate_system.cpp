#include "catena/joints/conjugate_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena {

ConjugateSystem::ConjugateSystem(const Model& model) : RowRhsSystem(model), M_(model), motion_(M_.size()) {
  if (!rows_.workless())
    throw InputError(
        "conjugate gradients need forces along their own rows; couplings with `through` take tree or dense");
  const auto n = static_cast<std::size_t>(rows_.rows());
  for (auto* v : {&diagonal_, &rhs_, &force_}) v->resize(n);
  gradients_.reserve(n);
}

bool ConjugateSystem::factor(const Kinematics& kinematics, bool /*closed*/) {
  rows_.evaluate(*model_, kinematics);
  factored_ = kinematics.stamp();
  M_.assign(kinematics.masses());
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    diagonal_[i] = 0;
    for (auto t = static_cast<std::size_t>(rows_.start[i]); t < static_cast<std::size_t>(rows_.start[i + 1]); ++t) {
      const BodyId body = rows_.body[t];
      diagonal_[i] += dot(rows_.J[t], inverse_times(model_->bodies[body].kind, M_[body], rows_.J[t]));
    }
    if (!(diagonal_[i] > 0)) diagonal_[i] = 1;  // a row that moves nothing asks for nothing
  }
  return true;
}

void ConjugateSystem::multiply(std::span<const double> p, std::span<double> q) {
  std::fill(motion_.begin(), motion_.end(), BodyVector{});
  for (int i = 0; i < rows_.rows(); ++i) rows_.add_force(i, p[static_cast<std::size_t>(i)], motion_);
  for (std::size_t i = 0; i < motion_.size(); ++i)
    motion_[i] = inverse_times(model_->bodies[i].kind, M_[i], motion_[i]);
  for (int i = 0; i < rows_.rows(); ++i) q[static_cast<std::size_t>(i)] = rows_.times(i, motion_);
}

// A λ = b − J M⁻¹ f, then y = M⁻¹ (f + Jᵀλ).                                    Baraff eqs. 6 and 7
void ConjugateSystem::solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
  for (std::size_t i = 0; i < y.size(); ++i) motion_[i] = inverse_times(model_->bodies[i].kind, M_[i], y[i]);
  for (int i = 0; i < rows_.rows(); ++i)
    rhs_[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)] - rows_.times(i, motion_);
  last_ = gradients_.solve([this](auto p, auto q) { multiply(p, q); }, diagonal_, rhs_, force_, accuracy_,
                           kMostIterations * (rows_.rows() + 1));
  worst_.iterations = std::max(worst_.iterations, last_.iterations);
  worst_.residual = std::max(worst_.residual, last_.residual);
  std::copy(y.begin(), y.end(), motion_.begin());
  for (int i = 0; i < rows_.rows(); ++i) rows_.add_force(i, force_[static_cast<std::size_t>(i)], motion_);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = inverse_times(model_->bodies[i].kind, M_[i], motion_[i]);
  std::copy(force_.begin(), lambda.empty() ? force_.begin() : force_.end(), lambda.begin());
}

std::string describe(const ConjugateReport& worst) {
  return fmt::format("conjugate gradients: at most {} iterations a solve, residual at most {:.1e}", worst.iterations,
                     worst.residual);
}

std::string ConjugateSystem::remark() const { return describe(worst_); }

}  // namespace catena
