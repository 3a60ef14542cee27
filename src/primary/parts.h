// A joint graph with loops as acyclic parts of similar size, each of which the linear-time method solves by itself.     Bender §5
#pragma once

#include <vector>

#include "catena/constraint/row_set.h"
#include "catena/primary/forest.h"

namespace catena {

struct Part {
  Forest forest;                // the bodies its joints touch, and nothing else
  std::vector<JointId> joints;  // ascending
  std::size_t layer = 0;        // parts of one layer have no body in common
};

// Deterministic. Each joint goes, in the model's order, to one of as few forests as hold them all, in which it closes no loop: to
// the one with the joints that feel it strongly at the state `kinematics` was updated with (|A_ij| of eq. 5), for what is coupled
// inside a part need not be reconciled between parts; then to the one that feels it least otherwise, then to the smallest. The trees of
// these forests are the parts. A grid of threads falls into its rows and its columns (Bender's fig. 1).
// Throws InputError for couplings, which join more than two bodies.
std::vector<Part> acyclic_parts(const Model& model, const Kinematics& kinematics);

}  // namespace catena
