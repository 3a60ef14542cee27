// Joint by joint: each joint in turn receives the impulse that satisfies it alone, until all are satisfied. Bender's iterative
// method [4] on the linear system of eq. 5, which is block Gauss–Seidel; what the faster ways are compared with.
#pragma once

#include <Eigen/Core>

#include "catena/joints/row_rhs.h"

namespace catena {

class IterativeSystem final : public RowRhsSystem {
 public:
  explicit IterativeSystem(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  // To the accuracy that was set, or as near to it as kMostSweeps lead.
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  void set_accuracy(double relative) override { accuracy_ = relative; }

  static constexpr int kMostSweeps = 20000;

 private:
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxRows, kMaxRows>;
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxRows, 1>;
  struct JointRows {
    int first = 0, count = 0;
    Block inverse;  // of A_ii: from velocity changes to impulses
  };

  double sweep(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) const;
  double times(int row, std::span<const BodyVector> y) const;
  void push(int row, double impulse, std::span<BodyVector> y) const;

  std::vector<JointRows> joints_;  // a joint's rows, or a part of those of a large coupling
  MassBlocks M_;                   // at the state of factor()                             (n_body)
  std::vector<BodyVector> T_;      // M⁻¹Jᵀ of each term, or M⁻¹K where a row pushes through others
  std::vector<int> T_start_;       // terms of row i                                       (n_row + 1)
  std::vector<BodyId> T_body_;     //
  double accuracy_ = 1e-10;
};

}  // namespace catena
