// Which bodies may touch, against the rules one by one over all pairs.
#include "catena/collide/collide_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "collide/collide_testing.h"

namespace catena {
namespace collide_filter_test {

using namespace catena::testing;

// Bodies with balls, joints of all sorts between them at random, groups and exclusions.
Model random_model(std::mt19937& rng) {
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng); };
  World world;
  const int n = 9;
  for (int i = 0; i < n; ++i) world.body(Sphere{0.1}, {random_vector(rng), {}});
  Model model = world.model;
  if (below(2) == 0) model.ground_shapes.push_back(shape_of(Plane{{0, 0, 1}, 0}));
  for (int k = 0; k < 7; ++k) {
    Joint joint;
    joint.name = "joint" + std::to_string(k);
    joint.kind = below(3) == 0 ? JointKind::weld : JointKind::hinge;
    const int a = below(n + 1) - 1;
    joint.a = a < 0 ? kGround : BodyId(a);
    joint.b = BodyId(below(n));
    if (joint.a == joint.b) continue;
    model.joints.push_back(joint);
  }
  model.collide_adjacent = below(3) == 0;
  for (int k = 0; k < 2; ++k) {
    const int a = below(n), b = below(n);
    if (a != b) model.collide_exclude.emplace_back(BodyId(std::min(a, b)), BodyId(std::max(a, b)));
  }
  for (int k = 0; k < 3; ++k) model.bodies[BodyId(below(n))].collide_group = 1 + below(2);
  for (int k = 0; k < 2; ++k) model.bodies[BodyId(below(n))].shapes.clear();
  return model;
}

// Bodies welded together, by following welds; place n is the ground.
std::vector<int> welded(const Model& model) {
  const auto n = static_cast<int>(model.bodies.size());
  std::vector<int> of(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i <= n; ++i) of[static_cast<std::size_t>(i)] = i;
  for (int round = 0; round <= n; ++round)
    for (const Joint& joint : model.joints) {
      if (joint.kind != JointKind::weld) continue;
      int& a = of[static_cast<std::size_t>(joint.a.valid() ? joint.a.value() : n)];
      int& b = of[static_cast<std::size_t>(joint.b.valid() ? joint.b.value() : n)];
      a = b = std::max(a, b);
    }
  return of;
}

TEST(CollideFilter, allows_a_pair_where_no_rule_keeps_it_apart) {
  std::mt19937 rng(22);
  int allowed = 0, kept_apart = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Model model = random_model(rng);
    const CollideFilter filter(model);
    const std::vector<int> of = welded(model);
    const auto n = static_cast<int>(model.bodies.size());
    const auto group = [&](BodyId body) { return of[static_cast<std::size_t>(body.valid() ? body.value() : n)]; };
    bool any = false;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j <= n; ++j) {
        const BodyId a(i), b = j == n ? kGround : BodyId(j);
        bool wanted = true;
        const bool one_body = group(a) == group(b);
        bool jointed = one_body;
        for (const Joint& joint : model.joints)
          jointed = jointed || (group(joint.a) == group(a) && group(joint.b) == group(b)) ||
                    (group(joint.a) == group(b) && group(joint.b) == group(a));
        if (jointed && !model.collide_adjacent) wanted = false;
        for (const auto& [x, y] : model.collide_exclude)
          if ((x == a && y == b) || (x == b && y == a)) wanted = false;
        if (b.valid() && model.bodies[a].collide_group != 0 &&
            model.bodies[a].collide_group == model.bodies[b].collide_group)
          wanted = false;
        EXPECT_EQ(filter.allowed(a, b), wanted) << i << ' ' << j;
        EXPECT_EQ(filter.allowed(b, a), wanted);
        (wanted ? allowed : kept_apart) += 1;
        const bool shaped = !model.bodies[a].shapes.empty() &&
                            (b.valid() ? !model.bodies[b].shapes.empty() : !model.ground_shapes.empty());
        any = any || (wanted && shaped);
      }
    EXPECT_EQ(filter.any_may_touch(model), any);
  }
  EXPECT_GT(allowed, 300);
  EXPECT_GT(kept_apart, 300);
}

}  // namespace collide_filter_test
}  // namespace catena
