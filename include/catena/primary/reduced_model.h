// Joint coordinates of a model: which joints have them, where they stand in q, and what is constant about every body.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "catena/constraint/kinematics.h"
#include "catena/primary/forest.h"

namespace catena {

// Coordinates and their rates. A ball joint has a quaternion (of frame B in frame A) and the relative angular velocity along the
// axes of frame A; a body without a joint has the position of its centre of mass, a quaternion, and its velocity and angular velocity in
// world axes. All others as constraint/ reads them, angles without bound.
template <class Real>
struct JointStateT {
  std::vector<Real> q;  //                      (n_q)
  std::vector<Real> v;  //                      (n_v)
};
using JointState = JointStateT<double>;

enum class Mobility : std::uint8_t { free, hinge, ball, other, compound };

// A body and the joint above it. Its frame is the joint's frame on its side, with the origin at the anchor there; of a body that
// floats, its own at the centre of mass.
struct ReducedNode {
  Mobility mobility = Mobility::free;
  JointKind kind = JointKind::weld;
  bool child_is_b = true;
  int parent = -1;
  int q = 0, v = 0;  // first coordinate, first rate
  int count = 0;     // rates
  BodyId body;
  JointId joint;           // not valid(): the body floats
  double parameter = 0;    // pitch of a screw
  Quat turn, turn_parent;  // node frame in the body; joint frame on the parent's side in the parent's node frame
  Vec3 anchor{};           // origin in body coordinates
  Vec3 com{};              // centre of mass in the node frame
};

// Rigid bodies, planar bodies and particles. The latter two are carried as rigid bodies with unit inertia along the directions they
// do not have: no force acts along those and no motion arises.
class ReducedModel {
 public:
  // Throws InputError for bodies that joint coordinates do not describe (scalable).
  explicit ReducedModel(const Model& model);

  // Ball, hinge, slider, cylindrical, universal, planar, screw, weld and compound joints, and those of the plane.
  static bool has_coordinates(const Model& model, const Joint& joint);

  const Model& model() const { return *model_; }
  const Forest& forest() const { return forest_; }  // its auxiliary joints: loops, and joints without coordinates
  const std::vector<ReducedNode>& nodes() const { return nodes_; }
  int size() const { return static_cast<int>(nodes_.size()); }
  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  // Freedoms of the forest: n_v without what planar bodies and particles do not have.
  int freedoms() const { return freedoms_; }

  // The coordinates of bodies whose joints are closed.
  void read(const Kinematics& kinematics, JointState& out) const;
  // q moved along v for h, exactly on its manifold.
  void integrate(double h, std::span<const double> v, std::span<double> q) const;

 private:
  void add_node(const ForestNode& node);

  const Model* model_;
  Forest forest_;
  std::vector<ReducedNode> nodes_;
  int n_q_ = 0, n_v_ = 0, freedoms_ = 0;
};

}  // namespace catena
