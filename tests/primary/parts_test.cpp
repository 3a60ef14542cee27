#include "catena/primary/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/workloads.h"

namespace catena {
namespace parts_test {

std::vector<Part> parts_of(const Scene& scene) {
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  return acyclic_parts(scene.model, kinematics);
}

// Every joint is in one part; a part is a tree whose nodes come parents first and whose joints lead from child to parent; parts of
// a layer share no body, so that they can be solved side by side.
void expect_good(const Scene& scene) {
  const std::vector<Part> parts = parts_of(scene);
  std::vector<int> seen(scene.model.joints.size());
  std::set<std::pair<std::size_t, std::size_t>> bodies_of_layer;
  for (const Part& part : parts) {
    std::size_t in_nodes = 0;
    for (std::size_t n = 0; n < part.forest.nodes.size(); ++n) {
      const ForestNode& node = part.forest.nodes[n];
      EXPECT_TRUE(bodies_of_layer.insert({part.layer, node.body}).second) << "body shared within a layer";
      EXPECT_LT(node.parent, static_cast<int>(n));
      if (!node.joint.valid()) continue;
      ++in_nodes;
      ++seen[node.joint];
      const Joint& joint = scene.model.joints[node.joint];
      EXPECT_EQ(node.child_is_b ? joint.b : joint.a, node.body);
      const BodyId parent = node.child_is_b ? joint.a : joint.b;
      EXPECT_EQ(parent.valid(), node.parent >= 0);
      if (node.parent < 0) continue;
      EXPECT_EQ(part.forest.nodes[static_cast<std::size_t>(node.parent)].body, parent);
    }
    EXPECT_EQ(in_nodes, part.joints.size());  // as many joints as tree edges: no loop
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(seen.size()));
}

TEST(Parts, random_mechanisms_fall_into_trees) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed)
    expect_good(workloads::random_mechanism(seed, 3 + static_cast<int>(seed), static_cast<int>(seed % 7)));
}

TEST(Parts, a_tree_is_one_part) {
  const Scene scene = workloads::peer_tree(63);
  expect_good(scene);
  EXPECT_EQ(parts_of(scene).size(), 1u);
}

// Bender's fig. 1. The pins hang on the rows or columns they touch.
TEST(Parts, a_cloth_falls_into_its_rows_and_columns) {
  const Scene scene = workloads::hung_cloth(9);
  expect_good(scene);
  const std::vector<Part> parts = parts_of(scene);
  ASSERT_EQ(parts.size(), 18u);
  for (const Part& part : parts) {
    EXPECT_GE(part.joints.size(), 8u);
    EXPECT_LE(part.joints.size(), 9u);
  }
}

}  // namespace parts_test
}  // namespace catena
