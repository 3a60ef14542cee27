// Plans of fronts: what they promise of any model, and how their cost grows.
#include "catena/primary/fronts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/loop_scenes.h"

namespace catena {
namespace fronts_test {

void expect_sound(const Model& model, const FrontPlan& plan) {
  std::set<int> interior, joints;
  for (std::size_t i = 0; i < plan.fronts.size(); ++i) {
    const BodyFront& F = plan.fronts[i];
    for (int k = 0; k < F.local(); ++k) {
      const FrontBody& body = F.bodies[static_cast<std::size_t>(k)];
      EXPECT_LT(body.parent, k) << "parents come first";
      if (k < F.boundary) {
        EXPECT_GT(plan.front_of[body.body], static_cast<int>(i)) << "a boundary body goes later";
        continue;
      }
      EXPECT_TRUE(interior.insert(body.body.value()).second);
      if (body.joint.valid()) {
        EXPECT_TRUE(joints.insert(body.joint.value()).second);
      }
    }
    for (const ClosingJoint& closing : F.closing) EXPECT_TRUE(joints.insert(closing.joint.value()).second);
    if (F.parent < 0) {
      EXPECT_EQ(F.boundary, 0);
      continue;
    }
    EXPECT_GT(F.parent, static_cast<int>(i)) << "children come first";
    // What a front leaves is seen whole by its parent.
    const BodyFront& P = plan.fronts[static_cast<std::size_t>(F.parent)];
    for (int k = 0; k < F.boundary; ++k)
      EXPECT_TRUE(std::any_of(P.bodies.begin(), P.bodies.end(), [&](const FrontBody& b) {
        return b.body == F.bodies[static_cast<std::size_t>(k)].body;
      }));
  }
  EXPECT_EQ(interior.size(), model.bodies.size()) << "every body is interior to one front";
  EXPECT_EQ(joints.size(), model.joints.size()) << "every joint belongs to one front";
}

TEST(Fronts, every_body_and_every_joint_of_100_random_graphs_belongs_to_one_front) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = workloads::random_graph(static_cast<std::uint64_t>(seed), 1 + seed % 40, seed % 7, seed % 3);
    for (const bool merge : {false, true}) expect_sound(scene.model, *plan_fronts(scene.model, 1e300, merge));
  }
}

TEST(Fronts, a_tree_has_boundaries_of_one_body_and_no_rows) {
  for (const workloads::Shape shape : {workloads::Shape::chain, workloads::Shape::tree}) {
    const FrontPlan plan = *plan_fronts(workloads::linkage(shape, JointKind::hinge, 60).model);
    EXPECT_EQ(plan.widest, 1);
    for (const BodyFront& F : plan.fronts) EXPECT_EQ(F.most.rows, 0);
  }
}

TEST(Fronts, the_cost_of_N_four_bars_and_of_ladders_is_linear_in_counted_operations) {
  const auto slope = [](double few, double many, double factor) { return std::log(many / few) / std::log(factor); };
  EXPECT_LE(slope(plan_fronts(workloads::four_bars(10).model)->flops,
                  plan_fronts(workloads::four_bars(1000).model)->flops, 100),
            1.05);
  EXPECT_LE(
      slope(plan_fronts(workloads::ladder(10).model)->flops, plan_fronts(workloads::ladder(500).model)->flops, 50),
      1.05);
  EXPECT_LE(plan_fronts(workloads::four_bars(1000).model)->widest, 2);
  EXPECT_LE(plan_fronts(workloads::ladder(500).model)->widest, 2);
}

TEST(Fronts, merging_saves_operations) {
  const Model model = workloads::four_bars(50).model;
  EXPECT_LT(plan_fronts(model)->flops, 0.9 * plan_fronts(model, 1e300, false)->flops);
}

TEST(Fronts, counting_stops_where_more_would_be_needed_than_is_allowed) {
  EXPECT_FALSE(plan_fronts(workloads::hung_cloth(30).model, 1e4).has_value());
}

}  // namespace fronts_test
}  // namespace catena
