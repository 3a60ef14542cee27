// All constraints of a model behind one interface: factor at a state, then solve
//     M y − Jᵀλ = f,    J y = b            (J: the rows of all joints, in the model's order)
// for accelerations, velocity changes, displacements or impulses: what is put into f and b decides (design: "the one idea").
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/constraint/row_set.h"
#include "catena/model/settings.h"

namespace catena {

class MaximalSystem;

// A row that depends on the others, by its joint and its place in it.
struct RowName {
  JointId joint;
  int row = 0;
  friend bool operator==(const RowName&, const RowName&) = default;
};

class ConstraintSystem {
 public:
  explicit ConstraintSystem(const Model& model);
  virtual ~ConstraintSystem() = default;
  ConstraintSystem(const ConstraintSystem&) = delete;
  ConstraintSystem& operator=(const ConstraintSystem&) = delete;

  int rows() const { return row_start_.back(); }
  int row_start(JointId joint) const { return row_start_[joint]; }

  // At the state `kinematics` was updated with. False when it cannot be factored; failure() says why.
  // `closed`: the state satisfies the joints, so that what depends on what is decided strictly here and expected at the states that
  // follow, which may be a little off.
  virtual bool factor(const Kinematics& kinematics, bool closed = false) = 0;

  // Rows that depend on each other where joints are closed contradict each other where they are open. True: this system takes them for
  // dependent there too and meets only some of them, so it should be given closed states.
  virtual bool prefers_closed_states() const { return false; }

  // True: a solve without multipliers is so much cheaper that they are better asked for once, when the motion is known.
  virtual bool multipliers_cost_extra() const { return false; }

  // b of the three problems: −c (accelerations), u − J v (velocity changes), −phi (displacements; 0 where not holonomic).
  // The state may differ from the one of factor(); for accelerations in its velocities only.
  virtual void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) = 0;
  virtual void velocity_rhs(const Kinematics& kinematics, std::span<double> b) = 0;
  virtual void position_rhs(const Kinematics& kinematics, std::span<double> b) = 0;

  // y holds f on entry. Does not allocate. Where rows depend on each other λ is of least norm: over the auxiliary rows for
  // the tree and for the dense H, over the rows that close loops of each front for fronts, over all rows for the dense system, weighted for
  // the sparse one and for conjugate gradients.
  virtual void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) = 0;
  // The same where rows that depend on each other need no care: any multipliers that balance the motion will do, and any rows that imply the
  // others may be met. Cheaper for some systems.
  virtual void solve_any(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda) {
    solve(b, y, lambda);
  }

  // The motion of each number of some bodies under a unit impulse on each, once the joints have answered: W of Baraff's eq. 12 for those
  // bodies, by the numbers their kinds have (model/components.h). False: the system has no quicker way than to solve for it.
  virtual bool body_compliance(std::span<const BodyId> /*bodies*/, Eigen::MatrixXd& /*W*/) { return false; }

  // The elimination of the joints, where they form a forest and are taken out as one; null: not so.
  virtual const MaximalSystem* forest() const { return nullptr; }

  // Inertia along the coordinates of joints: armature, and what springs and dampers taken implicitly add (mechanism/impedance.h). By joint
  // and coordinate, in force from the next factor() on. Joints for which carries_inertia() is false have no room for it.
  virtual bool carries_inertia(JointId /*joint*/) const { return false; }
  virtual void set_freedom_inertia(std::span<const JointArray> /*a*/) {}

  // How far a system that iterates reduces the error of a solve, relative to what it starts with. Others solve as well as they can.
  virtual void set_accuracy(double /*relative*/) {}

  // What a user should know of how it solves; mostly nothing.
  virtual std::string remark() const { return {}; }

  // How often a closed state had another number of independent rows than the one before it: poses where the mechanism gains freedoms, in which its
  // motion may branch, and those after which it has lost them again.
  virtual int rank_changes() const { return 0; }

  // The rows of all joints at the state `kinematics` was updated with, if the last factor() or right-hand side evaluated them there; otherwise none.
  virtual const RowSet* rows_at(const Kinematics& /*kinematics*/) const { return nullptr; }

  // Rows found dependent by the last factor().
  virtual const std::vector<RowName>& redundant() const { return redundant_; }
  const std::string& failure() const { return failure_; }

 protected:
  const Model* model_;
  std::vector<int> row_start_;  //                                    (n_joint + 1)
  std::vector<RowName> redundant_;
  int expected_redundant_ = 0;  // rows found dependent at the last closed state
  std::string failure_;
};

// What the choice of a solver rests on.
struct SystemSizes {
  int primary_rows = 0, auxiliary_rows = 0;
  bool workless =
      true;  // false: some force is not along its row, H is not symmetric and the sparse LDLᵀ does not apply
  double tree_flops = 0;    // factor + anticipation + solve, estimated from counted blocks
  double sparse_flops = 0;  // of the sparse LDLᵀ of H, counted from its pattern; of A where that costs less
  double front_flops =
      0;  // of fronts; 1e300 where they do not apply, or where counting them was given up because others cost less
};
SystemSizes system_sizes(const Model& model);

// automatic: the tree where there are no loops; else fronts, the tree with anticipated auxiliary rows, or the sparse LDLᵀ of H, whichever costs least
// by counted operations.
// Throws InputError when what is asked for does not apply.
LinearSolver choose_solver(const SystemSizes& sizes, LinearSolver asked);

// `threads` is for the solver parts; `at`, a state such as those that will be factored, lets fronts be planned by the rows that depend on each
// other there.
std::unique_ptr<ConstraintSystem> make_constraint_system(const Model& model, LinearSolver solver, int threads = 1,
                                                         const Kinematics* at = nullptr);

// How well (y, λ) solves the system at a state: the largest |M y − f − Jᵀλ| over the bodies relative to the largest force, and the largest
// |J y − b| relative to the largest motion the bodies make, or would make without joints.
struct Residual {
  double force = 0, constraint = 0;
  double worst() const { return force > constraint ? force : constraint; }
};
Residual residual(const Model& model, const Kinematics& kinematics, const RowSet& all_rows,
                  std::span<const BodyVector> f, std::span<const double> b, const std::vector<BodyVector>& y,
                  std::span<const double> lambda, std::vector<BodyVector>& scratch);

}  // namespace catena
