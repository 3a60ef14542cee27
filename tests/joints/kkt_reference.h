// The whole system [M −K; J 0] [y; λ] = [f; b] written densely from mass blocks and rows, and solved by Eigen: an answer that shares
// nothing with the solvers under test but the rows.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "catena/joints/constraint_system.h"
#include "catena/joints/row_rhs.h"
#include "catena/model/components.h"

namespace catena::testing_kkt {

inline void place(Eigen::Ref<Eigen::VectorXd> to, BodyKind kind, const BodyVector& v) {
  double numbers[7];
  const int d = components(kind, v, numbers);
  for (int i = 0; i < d; ++i) to[i] = numbers[i];
}

class KktReference {
 public:
  KktReference(const Model& model, const State& state) : model_(model), kinematics_(model), rows_(all_rows(model)) {
    kinematics_.update(model, state);
    rows_.evaluate(model, kinematics_);
    for (const Body& body : model.bodies) offset_.push_back(offset_.back() + dimension(body.kind));
    const int n = offset_.back(), m = rows_.rows();
    M.setZero(n, n);
    J.setZero(m, n);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const BodyKind kind = model.bodies[i].kind;
      for (int k = 0; k < dimension(kind); ++k) {
        double unit[7] = {};
        unit[k] = 1;
        place(M.col(offset_[i] + k).segment(offset_[i], dimension(kind)), kind,
              kinematics_.M(BodyId(i)) * from_components(kind, unit));
      }
    }
    for (int i = 0; i < m; ++i)
      for (int t = rows_.start[i]; t < rows_.start[i + 1]; ++t) {
        const BodyId body = rows_.body[t];
        Eigen::VectorXd block(dimension(model.bodies[body].kind));
        place(block, model.bodies[body].kind, rows_.J[t]);
        J.row(i).segment(offset_[body], block.size()) += block.transpose();
      }
    K = J.transpose();
    for (int i = 0; i < m; ++i) {
      if (rows_.K_start[i] == rows_.K_start[i + 1]) continue;
      K.col(i).setZero();
      for (int t = rows_.K_start[i]; t < rows_.K_start[i + 1]; ++t) {
        const BodyId body = rows_.K_body[t];
        Eigen::VectorXd block(dimension(model.bodies[body].kind));
        place(block, model.bodies[body].kind, rows_.K[t]);
        K.col(i).segment(offset_[body], block.size()) += block;
      }
    }
    H.setZero(n + m, n + m);
    H.topLeftCorner(n, n) = M;
    H.topRightCorner(n, m) = -K;
    H.bottomLeftCorner(m, n) = J;
  }

  // Gravity and velocity-dependent forces; −c.
  Eigen::VectorXd weight_and_gyration() const {
    Eigen::VectorXd f(offset_.back());
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      BodyVector force = velocity_force(model_.bodies[i], kinematics_.M(BodyId(i)), kinematics_.body(BodyId(i)));
      force.linear += model_.bodies[i].mass * model_.gravity;
      place(f.segment(offset_[i], offset_[i + 1] - offset_[i]), model_.bodies[i].kind, force);
    }
    return f;
  }
  Eigen::VectorXd minus_c() const { return -Eigen::Map<const Eigen::VectorXd>(rows_.c.data(), rows_.rows()); }

  // Solves with LU, and by a complete orthogonal decomposition where H is singular (then λ, and only λ, is not unique).
  void solve(const Eigen::VectorXd& f, const Eigen::VectorXd& b) {
    const auto n = f.size();
    Eigen::VectorXd rhs(n + b.size());
    rhs << f, b;
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(H);
    const Eigen::VectorXd pivots = lu.matrixLU().diagonal().cwiseAbs();
    regular = pivots.minCoeff() > 1e-12 * pivots.maxCoeff();
    // Both are refined once: the decomposition alone is off by 2e-10 of the reactions on one of the graphs of front_system_test.cpp.
    const auto refined = [&](const auto& factors) {
      const Eigen::VectorXd x = factors.solve(rhs);
      return Eigen::VectorXd(x + factors.solve(rhs - H * x));
    };
    const Eigen::VectorXd x = regular ? refined(lu) : refined(H.completeOrthogonalDecomposition());
    y = x.head(n);
    lambda = x.tail(b.size());
  }

  std::vector<BodyVector> bodies(const Eigen::VectorXd& v) const {
    std::vector<BodyVector> out;
    for (std::size_t i = 0; i < model_.bodies.size(); ++i)
      out.push_back(from_components(model_.bodies[i].kind, v.data() + offset_[i]));
    return out;
  }
  Eigen::VectorXd flat(std::span<const BodyVector> v) const {
    Eigen::VectorXd out(offset_.back());
    for (std::size_t i = 0; i < v.size(); ++i)
      place(out.segment(offset_[i], offset_[i + 1] - offset_[i]), model_.bodies[i].kind, v[i]);
    return out;
  }

  const Kinematics& kinematics() const { return kinematics_; }
  const RowSet& rows() const { return rows_; }

  Eigen::MatrixXd M, J, K, H;  // K = Jᵀ but for couplings that push through other terms
  Eigen::VectorXd y, lambda;   // of the last solve()
  bool regular = true;         // and whether λ was unique

 private:
  const Model& model_;
  Kinematics kinematics_;
  RowSet rows_;
  std::vector<int> offset_{0};
};

struct Solution {
  Eigen::VectorXd y, lambda;
};

// The same system by one of catena's solvers.
inline Solution solve_with(ConstraintSystem& system, const KktReference& reference, const Eigen::VectorXd& f,
                           const Eigen::VectorXd& b) {
  std::vector<BodyVector> y = reference.bodies(f);
  std::vector<double> lambda(static_cast<std::size_t>(b.size()));
  system.solve(std::span<const double>(b.data(), static_cast<std::size_t>(b.size())), y, lambda);
  return {reference.flat(y), Eigen::Map<const Eigen::VectorXd>(lambda.data(), b.size())};
}

inline double relative(const Eigen::VectorXd& got, const Eigen::VectorXd& wanted) {
  if (wanted.size() == 0) return 0;
  if (!got.allFinite()) return INFINITY;
  return (got - wanted).cwiseAbs().maxCoeff() / std::max(wanted.cwiseAbs().maxCoeff(), 1e-300);
}

}  // namespace catena::testing_kkt
