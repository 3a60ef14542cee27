// Baraff §8: the joints of the forest are primary, everything else is auxiliary and enters by anticipation. One factorisation, one
// solve for each auxiliary row, the k x k matrix of eq. 12, its solution, one final solve: O(n + nk + k³).
// Or, with the same tree, conjugate gradients on eq. 12 without its matrix: a product with W is one solve of the tree, O(n) an iteration. That is
// conjugate gradients on A with the tree as its preconditioner, taken exactly: the primary rows are met in every iterate, and in exact
// arithmetic k iterations are the most there can be.
#pragma once

#include <Eigen/QR>

#include "catena/joints/conjugate_system.h"
#include "catena/joints/constraint_system.h"
#include "catena/primary/maximal_system.h"
#include "catena/solve/semidefinite.h"

namespace catena {

class TreeSystem final : public ConstraintSystem {
 public:
  enum class Auxiliary { factored, conjugate };
  // `conjugate` throws InputError where some force is not along its row. It does not find the rows that depend on each other; μ is then
  // the one with the least Σ A_ii μ_i² over the auxiliary rows.
  explicit TreeSystem(const Model& model, Auxiliary auxiliary = Auxiliary::factored);

  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void velocity_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void position_rhs(const Kinematics& kinematics, std::span<double> b) override;
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;

  bool carries_inertia(JointId joint) const override { return primary_.carries_inertia(joint); }
  void set_freedom_inertia(std::span<const JointArray> a) override { primary_.set_freedom_inertia(a); }

  const MaximalSystem* forest() const override { return rows_.rows() == 0 ? &primary_ : nullptr; }

  void set_accuracy(double relative) override { iterated_.accuracy = relative; }
  std::string remark() const override;

  MaximalSystem& primary() { return primary_; }
  const ConjugateReport& last() const { return iterated_.last; }  // of the last solve by conjugate gradients
  // W = Jᵃ M̂⁻¹ K of eq. 12, after factor(); not formed by `conjugate`.
  const Eigen::MatrixXd& compliance() const { return direct_.W; }
  const RowSet& auxiliary_rows() const { return rows_; }

  // Nodes between the auxiliary rows' bodies and their roots.
  static std::size_t reached_nodes(const Model& model, const Forest& forest);

 private:
  // Nodes that responses run over.
  struct Reach {
    std::vector<std::vector<int>> lists;  // one for each set of trees touched
    std::vector<int> of_row;              // which list                                                (k)
    std::vector<int> all;                 // nodes that some auxiliary row can see
  };
  struct Factored {
    Eigen::MatrixXd W;  // k x k
    SemidefiniteSolver solver;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> general;  // where some force is not workless
  };
  struct Iterated {
    ConjugateGradients gradients;
    ConjugateReport last, worst;
    double accuracy = ConjugateSystem::kAccuracy;
  };

  void anticipate();
  void multiply(std::span<const double> p, std::span<double> q);
  void solve_auxiliary();
  double free_compliance(const Kinematics& kinematics, int row) const;
  int row_of(int auxiliary) const { return aux_row_[static_cast<std::size_t>(auxiliary)]; }

  MaximalSystem primary_;
  RowSet rows_;                 // auxiliary rows at the state of factor()
  RowSet probe_;                // the same at the state a right-hand side is asked for
  std::uint64_t factored_ = 0;  // stamp of the kinematics of factor()
  std::vector<int> aux_row_;    // their places among all rows                               (k)
  Reach reach_;
  Factored direct_;                   // Auxiliary::factored
  Iterated iterated_;                 // Auxiliary::conjugate
  Eigen::VectorXd rhs_, mu_, free_;   //                                                           (k)
  std::vector<BodyVector> response_;  //                                                           (n_body)
  std::vector<BodyVector> force_;     //                                                           (n_body)
  Auxiliary auxiliary_;
};

}  // namespace catena
