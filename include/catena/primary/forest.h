// The spanning forest of the joint graph: which joints are primary, and the order in which they are eliminated.
#pragma once

#include <vector>

#include "catena/model/model.h"

namespace catena {

// One body and the joint to its parent. Nodes are in index order, parent < child: the leaves-to-root sweep is a loop down, the
// root-to-leaves sweep a loop up.
struct ForestNode {
  BodyId body;
  JointId joint;           // to the parent; not valid() for a body that floats
  int parent = -1;         // node, or −1: the ground, or nothing
  bool child_is_b = true;  // the body is the joint's second
};

struct Forest {
  std::vector<ForestNode> nodes;   //                                    (n_body)
  std::vector<int> node_of;        // by body                            (n_body)
  std::vector<JointId> auxiliary;  // the other joints, in model order
  int trees = 0;
  int depth = 0;  // bodies on the longest path from a root
};

// Chooses the forest (deterministic). Joints that remove more freedoms go first, among equals the one nearer the root, then the one
// named first; trees that touch the ground hang from it by one joint, the others from their first body. Couplings, joints of bodies with a form (which have
// two blocks) and joints with `primary: no` are never in it. When the bodies as given already come parents first, their order is kept.
// `may_be_primary`: keeps further joints out.
Forest build_forest(const Model& model, bool (*may_be_primary)(const Model&, const Joint&) = nullptr);

}  // namespace catena
