// Where the coordinates of a model stand in q, and their rates and forces in v and tau.
//
//   q, v, tau = [ floating bodies, in the model's order | joints of the forest, in the model's order ]      n_q, n_v numbers
//
// A floating body, one that no joint of the forest hangs on another body or the ground, has 7 coordinates (position of the centre of mass,
// quaternion w x y z) and 6 rates (velocity, angular velocity; world axes). A ball joint has 4 (the quaternion of its frame B in its frame
// A) and 3 (relative angular velocity, axes of frame A). Every other joint has one of each for each of its coordinates, in m or rad,
// angles counting whole turns, beginning at `start`. A loop has one joint more than a tree: that joint, and joints with
// compliance, are not of the forest; what they have follows after n_q and n_v, in the model's order, and is read by the joint.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

class Layout {
 public:
  // Keeps a reference to the model.
  explicit Layout(const Model& model);

  const Model& model() const { return *model_; }

  struct Slot {
    int q = 0, n_q = 0;  // first and number of its coordinates
    int v = 0, n_v = 0;  // of its rates
  };
  const Slot& of(JointId joint) const { return joints_[joint]; }
  // Of floating()[i].
  const Slot& of_floating(std::size_t i) const { return floating_slots_[i]; }
  const std::vector<BodyId>& floating() const { return floating_; }

  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  int all_q() const { return all_q_; }  // with the joints that are not of the forest
  int all_v() const { return all_v_; }

  // Whether the joint is one of the forest: a ReducedModel of the model has the same ones.
  bool is_of_forest(JointId joint) const { return of_forest_[joint] != 0; }
  // Whether there are joint coordinates. Where a body changes its size there are none: every body floats.
  bool is_jointed() const { return jointed_; }

 private:
  void add(Slot& slot, int n_q, int n_v);
  void add_floating(BodyId body);

  const Model* model_;
  bool jointed_;
  std::vector<Slot> joints_;     //                           (n_joint)
  std::vector<char> of_forest_;  //                           (n_joint)
  std::vector<BodyId> floating_;
  std::vector<Slot> floating_slots_;
  int n_q_ = 0, n_v_ = 0, all_q_ = 0, all_v_ = 0;
};

}  // namespace catena
