// The order in which bodies are eliminated, and the fronts they are merged to.
#include "catena/primary/front_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/loop_scenes.h"
#include "bench/workloads.h"

namespace catena {
namespace front_order_test {

// Neighbours that are left when each body goes, by hand: the largest number of them is the width of the order.
int width_of(const JointGraph& graph, const std::vector<int>& order) {
  const auto n = order.size();
  std::vector<std::vector<char>> beside(n, std::vector<char>(n, 0));
  for (const auto& bodies : graph.bodies)
    for (const BodyId a : bodies)
      for (const BodyId b : bodies)
        if (a.valid() && b.valid() && a != b)
          beside[static_cast<std::size_t>(a.value())][static_cast<std::size_t>(b.value())] = 1;
  std::vector<char> gone(n, 0);
  int width = 0;
  for (const int body : order) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < n; ++i)
      if (beside[static_cast<std::size_t>(body)][i] && !gone[i]) left.push_back(i);
    width = std::max(width, static_cast<int>(left.size()));
    for (const std::size_t i : left)
      for (const std::size_t j : left)
        if (i != j) beside[i][j] = 1;
    gone[static_cast<std::size_t>(body)] = 1;
  }
  return width;
}

std::vector<int> flattened(const std::vector<std::vector<int>>& sets) {
  std::vector<int> out;
  for (const std::vector<int>& set : sets) out.insert(out.end(), set.begin(), set.end());
  return out;
}

TEST(FrontOrder, every_body_goes_once_and_trees_chains_and_ladders_stay_narrow) {
  const struct {
    Scene scene;
    int width;
  } cases[] = {{workloads::peer_tree(63), 1},  // a leaf at a time
               {workloads::peer_chain(40), 1},
               {workloads::ladder(20), 2}};  // both sides of a rung
  for (const auto& [scene, width] : cases) {
    const JointGraph graph(scene.model);
    const auto order = elimination_order(graph, 1e300);
    ASSERT_TRUE(order.has_value());
    std::vector<int> bodies = flattened(*order);
    EXPECT_LE(width_of(graph, bodies), width);
    std::sort(bodies.begin(), bodies.end());
    for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_EQ(bodies[i], static_cast<int>(i));
    EXPECT_EQ(bodies.size(), scene.model.bodies.size());
  }
}

TEST(FrontOrder, it_gives_up_where_more_operations_are_needed_than_allowed) {
  const Scene scene = workloads::plate_grid(5);
  const JointGraph graph(scene.model);
  EXPECT_TRUE(elimination_order(graph, 1e300).has_value());
  EXPECT_FALSE(elimination_order(graph, 10).has_value());
}

TEST(FrontOrder, a_front_costs_more_with_more_of_anything) {
  const FrontSizes base{2, 3, 12, 10, 4, 20};
  for (const auto grow : {&FrontSizes::boundary, &FrontSizes::freedoms, &FrontSizes::rows}) {
    FrontSizes more = base;
    more.*grow += 6;
    EXPECT_GT(front_flops(more), front_flops(base));
  }
}

}  // namespace front_order_test
}  // namespace catena
