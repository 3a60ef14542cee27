// Baraff's linear-time system in maximal coordinates: the joints of a forest, factored once, solved many times.
//     M y − Jᵀλ = f,    J y = b      (J: the primary joints)
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "catena/constraint/joint_pose.h"
#include "catena/constraint/row_set.h"
#include "catena/primary/elimination.h"
#include "catena/primary/forest.h"
#include "catena/primary/freedom_rows.h"
#include "catena/solve/row_elimination.h"

namespace catena {

// Vectors over the bodies are in the model's order; vectors over rows hold the rows of ALL joints in the model's order
// (row_start(joint) tells where a joint's begin); this system reads and writes those of the primary joints only.
class MaximalSystem {
 public:
  MaximalSystem(const Model& model, Forest forest);

  const Forest& forest() const { return forest_; }
  int rows() const { return row_start_.back(); }  // of all joints
  int row_start(JointId joint) const { return row_start_[joint]; }

  // Inertia along the coordinates of joints (armature; what implicit springs and dampers add), by joint and coordinate; takes effect
  // with the next factor(). Only joints for which carries_inertia() is true have room for it.
  bool carries_inertia(JointId joint) const;
  void set_freedom_inertia(std::span<const JointArray> a);

  // POSITION: load() takes arms, axes, rows and mass blocks from the state `kinematics` was updated with; factor() does that and then
  // eliminates from the leaves to the roots: O(n). False, with failed_joint(), when a joint's own rows depend on each other.
  void load(const Kinematics& kinematics);
  bool factor(const Kinematics& kinematics);
  JointId failed_joint() const { return failed_; }

  // VELOCITY: b = −c, the right-hand side of the acceleration-level problem. After factor() at the same state.
  void acceleration_rhs(const Kinematics& kinematics, std::span<double> b) const;
  // u − J v, the velocity the joints lack; and −phi of the holonomic rows (0 for the others).
  void velocity_rhs(const Kinematics& kinematics, std::span<double> b) const;
  void position_rhs(const Kinematics& kinematics, std::span<double> b) const;

  // y holds f on entry and the motion on return; lambda may be empty. O(n), any number of times after factor().
  void solve(std::span<const double> b, std::span<BodyVector> y, std::span<double> lambda);

  // The response M̂⁻¹ f to a force when b = 0, on the part of the forest above `active` nodes only (ascending, closed under parent):
  // f must be zero elsewhere, and y elsewhere is left alone.
  void respond(std::span<const int> active, std::span<BodyVector> y);

  // Half a solve (primary/path_compliance.h): what the freedoms of a node see of a force f, Z = Fᵀf', and E Z, half_size(node) numbers each. f at the
  // centre of mass of the node's body on entry, what its parent receives on return; at a root it is done with. After factor().
  int half_size(int node) const;
  void halve(int node, BodyVector& f, double* Z, double* EZ) const;

  // Memory the system holds.
  std::size_t bytes() const;
  // Block operations (products and inversions of blocks) counted since the last call.
  std::int64_t take_operations() { return std::exchange(operations_, 0); }

 private:
  enum class Kernel : std::uint8_t { ball, hinge, freedom, compound, rows, free };
  struct Node {
    Kernel kernel;
    bool rigid;  // the body has a 6x6 block
    bool child_is_b;
    int slot;    // in the kernel's array
    int block;   // in blocks_.rigid or blocks_.other
    int parent;  // node
    BodyId body, parent_body;
    int row;  // first row of the joint
    JointId joint;
  };
  // Constant geometry of a ball or hinge in the tree.
  struct Anchors {
    Vec3 child, parent;  // body coordinates (parent: world when it is the ground)
  };
  struct Axes {
    Vec3 axis_b;  // in body b
    Vec3 t1, t2;  // in body a
  };

  // The diagonal blocks of the bodies; what eliminate() leaves there.
  struct Blocks {
    std::vector<Sym6> rigid;                     //                                  (n_rigid)
    std::vector<SmallMatrix> other;              // bodies of other kinds
    std::vector<Eigen::LLT<SmallMatrix>> roots;  // of bodies without a joint
  };
  // The joints of each kernel, by slot.
  struct Balls {
    std::vector<BallJoint<double>> joints;
    std::vector<Anchors> anchors;
  };
  struct Hinges {
    std::vector<HingeJoint<double>> joints;
    std::vector<Anchors> anchors;
    std::vector<Axes> axes;
    std::vector<Vec3> frames;  // world t1, t2, a_A of each hinge, three in a row
  };
  template <class J>
  struct JointsOf {
    std::vector<J> joints;
    std::vector<FreedomRows> rows;
    std::vector<JointGeometry> geometry;
  };
  struct FreedomJoints {
    JointsOf<FreedomJoint<double>> few;
    JointsOf<FreedomJoint<double, ManyFreedomsT>> many;  // compound joints
  };

  struct BallPose;
  // A hinge, by the joint's order (a, b) rather than the tree's.
  struct HingePose {
    Placement A, B;
    Vec3 arm_a, arm_b;
    Vec3 t1, t2, axis;  // two directions fixed in a, the axis fixed in b
  };

  void add_node(const ForestNode& node);
  void load(const Kinematics& kinematics, const Node& node);
  void load_hinge(const Kinematics& kinematics, const Node& node);
  void load_freedom(const Kinematics& kinematics, const Node& node);
  void load_compound(const Kinematics& kinematics, const Node& node);
  const Rows& rows_here(const Kinematics& kinematics, const Node& node, Rows& rows) const;
  void load_rows(const Kinematics& kinematics, const Node& node);
  bool eliminate(const Node& node);
  void set_rhs(const Node& node, std::span<const double> b);
  void clear_rhs(const Node& node);
  void up(const Node& node, std::span<BodyVector> y);
  void down(const Node& node, std::span<BodyVector> y, std::span<double> lambda);
  void solve_free(const Node& node, BodyVector& y) const;
  BallPose ball_pose(const Kinematics& kinematics, const Node& node) const;
  HingePose hinge_pose(const Kinematics& kinematics, const Node& node) const;
  SmallMatrix block_of(const Node& node) const;
  void add_block(int index, const SmallMatrix& S);
  BodyKind kind_of(BodyId body) const { return model_->bodies[body].kind; }

  const Model* model_;
  Forest forest_;
  std::vector<int> row_start_;  //                                                (n_joint + 1)
  std::vector<Node> nodes_;     //                                                (n_body)
  Blocks blocks_;
  Balls balls_;
  Hinges hinges_;
  FreedomJoints freedoms_;
  std::vector<RowElimination> eliminations_;
  std::vector<char> impeded_;       // joints that may be given inertia along their coordinates  (n_joint)
  std::vector<int> node_of_joint_;  // −1: not in the forest                            (n_joint)
  std::uint64_t loaded_ = 0;        // stamp of the kinematics of the last load()
  bool rhs_set_ = true;             // some joint holds a right-hand side that is not zero
  JointId failed_;
  std::int64_t operations_ = 0;
};

}  // namespace catena
