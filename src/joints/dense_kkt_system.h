// densefactor of Baraff §7.2: H = [M −Jᵀ; −J 0] as a dense matrix in the order of §7.1, children before parents, factored into LDLᵀ without
// pivoting in O(n³). A witness: it shares the order of elimination with the linear-time system and none of its blocks, and the rows with the
// dense A and none of its products.
#pragma once

#include <Eigen/Core>

#include "catena/joints/row_rhs.h"
#include "catena/primary/forest.h"
#include "catena/solve/semidefinite.h"

namespace catena {

class DenseKktSystem final : public RowRhsSystem {
 public:
  // Throws InputError where some force is not along its row: H is not symmetric then.
  explicit DenseKktSystem(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  // The multipliers of auxiliary rows that depend on each other are of least norm.
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;

 private:
  void assemble(const Kinematics& kinematics);

  Forest forest_;
  std::vector<int> body_at_;  // where the numbers of a body stand in H                         (n_body)
  std::vector<int> row_at_;   // and where a row does                                           (n_row)
  int primary_ = 0;           // numbers of bodies and of the joints of the forest; the auxiliary rows come after them
  // Lower triangle: L below the diagonal and D on it for the first `primary_` columns; what they leave of the others is −W of eq. 12.
  Eigen::MatrixXd H_;
  Eigen::MatrixXd W_;
  Eigen::VectorXd x_, free_, rhs_, mu_;
  SemidefiniteSolver solver_;
};

}  // namespace catena
