#include "catena/primary/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/workloads.h"

namespace catena {
namespace forest_test {

Model bodies(int n) {
  Model model;
  for (int i = 0; i < n; ++i) {
    Body body;
    body.name = "b" + std::to_string(i);
    model.bodies.push_back(body);
  }
  return model;
}

JointId join(Model& model, JointKind kind, int a, int b) {
  Joint joint;
  joint.name = "j" + std::to_string(model.joints.size());
  joint.kind = kind;
  joint.a = BodyId(a);
  joint.b = BodyId(b);
  model.joints.push_back(joint);
  return JointId(model.joints.size() - 1);
}

// What every forest owes the sweeps that run over it.
void expect_valid(const Model& model, const Forest& forest) {
  ASSERT_EQ(forest.nodes.size(), model.bodies.size());
  std::set<int> used;
  int roots = 0;
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    const ForestNode& node = forest.nodes[i];
    EXPECT_LT(node.parent, static_cast<int>(i));
    EXPECT_EQ(forest.node_of[node.body], static_cast<int>(i));
    roots += node.parent < 0;
    if (!node.joint.valid()) {
      EXPECT_EQ(node.parent, -1);
      continue;
    }
    EXPECT_TRUE(used.insert(node.joint.value()).second) << "a joint twice";
    const Joint& joint = model.joints[node.joint];
    const BodyId parent = node.child_is_b ? joint.a : joint.b;
    EXPECT_EQ(node.child_is_b ? joint.b : joint.a, node.body);
    // At most one ground joint a tree: only roots touch the ground.
    EXPECT_EQ(parent.valid(), node.parent >= 0);
    if (!parent.valid()) continue;
    EXPECT_EQ(forest.nodes[static_cast<std::size_t>(node.parent)].body, parent);
  }
  EXPECT_EQ(forest.trees, roots);
  for (const JointId joint : forest.auxiliary) EXPECT_TRUE(used.insert(joint.value()).second);
  EXPECT_EQ(used.size(), model.joints.size()) << "every joint is primary or auxiliary";
  EXPECT_TRUE(std::is_sorted(forest.auxiliary.begin(), forest.auxiliary.end()));
}

TEST(Forest, parents_come_before_children_and_only_roots_touch_the_ground) {
  for (int seed = 1; seed <= 100; ++seed) {
    const Scene scene = workloads::random_mechanism(static_cast<std::uint64_t>(seed), 2 + seed % 30, seed % 7);
    expect_valid(scene.model, build_forest(scene.model));
  }
}

TEST(Forest, a_loop_leaves_one_joint_over) {
  Model model = bodies(3);
  join(model, JointKind::hinge, -1, 0);
  join(model, JointKind::hinge, 0, 1);
  join(model, JointKind::hinge, 1, 2);
  const JointId last = join(model, JointKind::hinge, 2, -1);
  const Forest forest = build_forest(model);
  expect_valid(model, forest);
  EXPECT_EQ(forest.auxiliary.size(), 1u);
  // Shallow: two arms from the ground rather than one of three bodies.
  EXPECT_EQ(forest.depth, 2);
  EXPECT_EQ(forest.trees, 2);
  EXPECT_NE(forest.auxiliary[0], last);
}

TEST(Forest, two_joints_between_the_same_bodies_are_a_loop) {
  Model model = bodies(2);
  join(model, JointKind::ball, 0, 1);
  join(model, JointKind::ball, 0, 1);
  const Forest forest = build_forest(model);
  expect_valid(model, forest);
  EXPECT_EQ(forest.auxiliary.size(), 1u);
}

TEST(Forest, of_a_loops_joints_the_one_that_removes_least_is_left_out) {
  for (int weak = 0; weak < 4; ++weak) {
    Model model = bodies(4);
    for (int i = 0; i < 4; ++i) join(model, i == weak ? JointKind::distance : JointKind::hinge, i, (i + 1) % 4);
    const Forest forest = build_forest(model);
    expect_valid(model, forest);
    ASSERT_EQ(forest.auxiliary.size(), 1u);
    EXPECT_EQ(forest.auxiliary[0], JointId(weak));
  }
}

TEST(Forest, joints_that_may_not_be_primary_are_not) {
  Model model = bodies(2);
  const JointId a = join(model, JointKind::hinge, -1, 0);
  model.joints[a].primary = false;
  const JointId c = join(model, JointKind::coupling, -1, -1);
  model.joints[c].extras = 0;
  model.extras.emplace_back();
  join(model, JointKind::hinge, 0, 1);
  const Forest forest = build_forest(model);
  expect_valid(model, forest);
  EXPECT_EQ(forest.auxiliary, (std::vector<JointId>{a, c}));
}

TEST(Forest, bodies_that_already_come_parents_first_keep_their_order) {
  const Scene chain = workloads::linkage(workloads::Shape::chain, JointKind::hinge, 20);
  const Scene tree = workloads::linkage(workloads::Shape::tree, JointKind::ball, 31);
  for (const Model* model : {&chain.model, &tree.model}) {
    const Forest forest = build_forest(*model);
    for (std::size_t i = 0; i < forest.nodes.size(); ++i) EXPECT_EQ(forest.nodes[i].body, BodyId(i));
  }
}

TEST(Forest, otherwise_bodies_are_visited_depth_first) {
  // A root named last with two branches: 4 – 1 – 0 and 4 – 3 – 2.
  Model model = bodies(5);
  join(model, JointKind::ball, -1, 4);
  join(model, JointKind::ball, 4, 1);
  join(model, JointKind::ball, 4, 3);
  join(model, JointKind::ball, 1, 0);
  join(model, JointKind::ball, 3, 2);
  const Forest forest = build_forest(model);
  expect_valid(model, forest);
  std::vector<int> order;
  for (const ForestNode& node : forest.nodes) order.push_back(node.body.value());
  EXPECT_EQ(order, (std::vector<int>{4, 1, 0, 3, 2}));
}

TEST(Forest, the_same_model_gives_the_same_forest) {
  for (int seed = 1; seed <= 20; ++seed) {
    const Scene scene = workloads::random_mechanism(static_cast<std::uint64_t>(seed), 25, 6);
    const Forest a = build_forest(scene.model), b = build_forest(scene.model);
    EXPECT_EQ(a.auxiliary, b.auxiliary);
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      EXPECT_EQ(a.nodes[i].body, b.nodes[i].body);
      EXPECT_EQ(a.nodes[i].joint, b.nodes[i].joint);
    }
  }
}

TEST(Forest, bodies_without_joints_are_trees_of_their_own) {
  const Forest forest = build_forest(bodies(3));
  EXPECT_EQ(forest.trees, 3);
  EXPECT_EQ(forest.depth, 1);
  EXPECT_EQ(build_forest(bodies(0)).trees, 0);
}

// A recursion of 200 000 calls would need some ten megabytes of stack; the order is reversed so that it cannot be kept.
TEST(Forest, a_chain_of_200000_links_does_not_touch_the_stack) {
  constexpr int n = 200000;
  Model model = bodies(n);
  for (int i = 0; i < n; ++i) join(model, JointKind::ball, i + 1 < n ? i + 1 : -1, i);
  const Forest forest = build_forest(model);
  ASSERT_EQ(forest.nodes.size(), static_cast<std::size_t>(n));
  EXPECT_EQ(forest.depth, n);
  EXPECT_EQ(forest.nodes.front().body, BodyId(n - 1));
  EXPECT_EQ(forest.nodes.back().body, BodyId(0));
}

}  // namespace forest_test
}  // namespace catena
