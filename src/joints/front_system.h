// All joints of a mechanism by fronts (primary/front_elimination.h): closed loops at about the cost of a tree, redundant rows found and not
// iterated over. One factorisation, one solve; a second one corrects the first where joints are open or digits were lost. Without multipliers
// there is no second one, unless joints are open near a singular pose: motions alone are asked for to close joints, by iterations that correct
// themselves, where joints are closed, and in the stages of a step.
#pragma once

#include "catena/joints/row_rhs.h"
#include "catena/primary/front_elimination.h"

namespace catena {

class FrontSystem final : public RowRhsSystem {
 public:
  // Throws InputError where fronts do not apply (fronts_decline()). `at`: a state at which rows are counted that depend on each other, for the
  // plan; without it the plan takes them for independent.
  explicit FrontSystem(const Model& model, const Kinematics* at = nullptr);

  // A closed state at the positions, and with the inertia, of the last closed state that was factored costs nothing.
  bool factor(const Kinematics& kinematics, bool closed = false) override;
  void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) override;
  bool prefers_closed_states() const override { return true; }
  bool multipliers_cost_extra() const override { return balanced_; }
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  void solve_any(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) override;
  bool multipliers(std::span<const BodyVector> f, std::span<const BodyVector> y, std::span<double> lambda) override;
  bool carries_inertia(JointId joint) const override;
  void set_freedom_inertia(std::span<const JointArray> a) override;
  int rank_changes() const override { return rank_changes_; }
  bool body_compliance(std::span<const BodyId> bodies, Eigen::MatrixXd& W) override;
  const std::vector<RowName>& redundant() const override;

  const FrontElimination& elimination() const { return *elimination_; }

 private:
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda, bool least);
  void refine(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda, bool least);
  bool is_factored_at(const Kinematics& kinematics) const;
  void remember(const Kinematics& kinematics);

  struct Pose {
    Vec3 position;
    Quat orientation;
    double scale = 1;
  };
  double open_, unbalanced_;  // joints open by more, or forces balanced less well: a solve is corrected
  std::unique_ptr<FrontElimination> elimination_;
  std::vector<Pose> pose_;     // at the state of factor()                                (n_body)
  bool balanced_ = false;      // solves without multipliers are as exact as those with them
  bool current_ = false;       // the factorisation is of a closed state, and of the inertia that is set
  int redundant_before_ = -1;  // at the last closed state; −1: there was none
  int rank_changes_ = 0;
  std::vector<MassBlock> M_;  // at the state of factor()                                (n_body)
  // Of the last solve: its forces, and what is wrong with it.
  struct Correction {
    std::vector<BodyVector> f, dy;  //                                                    (n_body)
    std::vector<double> db, dl;     //                                                    (n_row)
    std::vector<double> unread;     // multipliers that nobody asked for                  (n_row)
  } correction_;
  mutable std::vector<RowName> named_;
  mutable std::vector<int> numbers_;
  mutable bool names_known_ = false;
};

}  // namespace catena
