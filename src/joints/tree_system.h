// Baraff §8: the joints of the forest are primary, everything else is auxiliary and enters by anticipation. One factorisation, one
// solve for each auxiliary row, the k x k matrix of eq. 12, its solution, one final solve: O(n + nk + k³).
#pragma once

#include <Eigen/QR>

#include "catena/joints/constraint_system.h"
#include "catena/primary/maximal_system.h"
#include "catena/solve/semidefinite.h"

namespace catena {

class TreeSystem final : public ConstraintSystem {
 public:
  explicit TreeSystem(const Model& model);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void velocity_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void position_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;

  bool carries_inertia(JointId joint) const override { return primary_.carries_inertia(joint); }
  void set_freedom_inertia(std::span<const JointArray> a) override { primary_.set_freedom_inertia(a); }

  MaximalSystem& primary() { return primary_; }
  // W = Jᵃ M̂⁻¹ K of eq. 12, after factor().
  const Eigen::MatrixXd& compliance() const { return W_; }
  const RowSet& auxiliary_rows() const { return rows_; }

  // Nodes between the auxiliary rows' bodies and their roots.
  static std::size_t reached_nodes(const Model& model, const Forest& forest);

 private:
  void solve_auxiliary();
  double free_compliance(const Kinematics& kinematics, int row) const;
  int row_of(int auxiliary) const { return aux_row_[static_cast<std::size_t>(auxiliary)]; }

  MaximalSystem primary_;
  RowSet rows_;                          // auxiliary rows at the state of factor()
  RowSet probe_;                         // the same at the state a right-hand side is asked for
  std::uint64_t factored_ = 0;           // stamp of the kinematics of factor()
  std::vector<int> aux_row_;             // their places among all rows                               (k)
  std::vector<std::vector<int>> reach_;  // nodes a response runs over, one list for each set of trees touched
  std::vector<int> reach_of_;            // by auxiliary row                                          (k)
  Eigen::MatrixXd W_;                    // k x k
  SemidefiniteSolver solver_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> general_;  // where some force is not workless
  Eigen::VectorXd rhs_, mu_, free_;   //                                                           (k)
  std::vector<BodyVector> response_;  //                                                           (n_body)
  std::vector<BodyVector> force_;     //                                                           (n_body)
};

}  // namespace catena
