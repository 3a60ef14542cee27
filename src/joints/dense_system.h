// The O(n³) way of Baraff §5: A = J M⁻¹ Jᵀ formed and factored densely. A reference, and what the linear-time methods are
// compared with.
#pragma once

#include <Eigen/QR>

#include "catena/joints/constraint_system.h"
#include "catena/joints/row_rhs.h"
#include "catena/solve/semidefinite.h"

namespace catena {

class DenseSystem final : public RowRhsSystem {
 public:
  explicit DenseSystem(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;

 private:
  MassBlocks M_;                             // at the state of factor()           (n_body)
  std::vector<BodyVector> column_;           //                                    (n_body)
  std::vector<std::vector<int>> rows_of_;    // rows that touch a body         (n_body)
  std::vector<std::vector<BodyId>> pushed_;  // bodies the force of a row pushes  (n_row)
  Eigen::MatrixXd A_;                        // n_row x n_row
  SemidefiniteSolver solver_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> general_;  // where some force is not workless
  Eigen::VectorXd rhs_, lambda_;
};

}  // namespace catena
