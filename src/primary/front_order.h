// The first half of fronts.h: the order in which bodies are eliminated, and which go together.
#pragma once

#include <optional>
#include <vector>

#include "catena/primary/fronts.h"

namespace catena {

// What joins bodies, by body.
struct JointGraph {
  explicit JointGraph(const Model& model);

  const Model& model;
  std::vector<std::vector<int>> joints_of;  // joints that touch a body, each once                 (n_body)
  std::vector<std::vector<BodyId>> bodies;  // of a joint, each once                               (n_joint)
  std::vector<int> rows, freedoms;          // of a joint; tree_freedoms()                         (n_joint)
  std::vector<char> grounded;               // whether the ground is one of its bodies             (n_joint)
};

// One body a set, in the order of elimination: least number of neighbours first, where the ground is a neighbour that is never eliminated and
// neighbours of a body that goes become neighbours of each other. nullopt where this needs more than `most_flops`. O(n log n) for mechanisms.
std::optional<std::vector<std::vector<int>>> elimination_order(const JointGraph& graph, double most_flops);

// What a front costs, counted in multiplications by its sizes.
struct FrontSizes {
  int bodies = 0, boundary = 0;
  int freedoms = 0, rows = 0;  // rows: own and handed up by children
  int handed = 0;              // rows it hands up itself
  int row_columns = 0;
};
double front_flops(const FrontSizes& sizes);

// Merges fronts with their parents while that saves operations. `sizes`: of single bodies, in their order; `parent`: of each.
std::vector<std::vector<int>> amalgamate(const JointGraph& graph, const std::vector<std::vector<int>>& order,
                                         const std::vector<FrontSizes>& sizes, const std::vector<int>& parent);

}  // namespace catena
