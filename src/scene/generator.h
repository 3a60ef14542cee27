// Chains, trees and cloths: many bodies and joints from a few words. Each writes its bodies first and its joints later.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catena/scene/draft.h"

namespace catena {

// A chain or a tree, once its links are placed: link i hangs by its near end from link parent[i], −1 being `from`.
struct Linkage {
  std::string name;
  std::vector<int> parent;
  std::vector<Vec3> near_end, far_end;  // world
  std::vector<Quat> orientation;        // of the link's own axes
  std::vector<double> scale;            // of the link's size, 1 for chains
  const Value* link = nullptr;          // the body's keys
  const Value* joint = nullptr;         // the joint's keys
  const Value* from = nullptr;          // a name; nullptr for the ground
  const Value* to = nullptr;            // chains: what the far end is joined to
  Position at;                          // of the generator
};

Linkage plan_chain(const Value& chain, const Draft& draft);
Linkage plan_tree(const Value& tree, const Draft& draft);
void add_links(const Linkage& plan, Draft& draft);
void join_links(const Linkage& plan, Draft& draft);

void add_cloth(const Value& cloth, Draft& draft);
void join_cloth(const Value& cloth, Draft& draft);

// The block with {i}, {i+1}, {i-1}, … in its keys and texts replaced by numbers.
Value with_index(const Value& block, long long i);

}  // namespace catena
