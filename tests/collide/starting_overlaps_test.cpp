// Which pairs overlap where a run begins, and how deep, against boxes and balls put at known depths.
#include "catena/collide/starting_overlaps.h"

#include <gtest/gtest.h>

#include "collide/collide_testing.h"

namespace catena {
namespace starting_overlaps_test {

using namespace catena::testing;

TEST(StartingOverlaps, a_pair_is_named_once_with_its_deepest_shapes_and_depth) {
  std::mt19937 rng(18);
  const Pose frame{random_vector(rng), random_rotation(rng)};
  const auto at = [&](double x) {
    return Pose{frame.position + rotate(frame.orientation, Vec3{x, 0, 0}), random_rotation(rng)};
  };
  World world;
  world.body(Sphere{0.5}, at(0)).body(Sphere{0.4}, at(0.8)).body(Sphere{0.3}, at(1.7)).body(Sphere{0.2}, at(1.95));
  // A second shape of body 1 that overlaps body 0 less.
  Shape second = shape_of(Sphere{0.42});
  second.position = rotate(world.state.bodies[1].orientation.conjugate(), rotate(frame.orientation, Vec3{0.08, 0, 0}));
  world.model.bodies[1].shapes.push_back(second);
  const std::vector<StartingOverlap> got = starting_overlaps(world.model, world.state);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].a, BodyId(0));
  EXPECT_EQ(got[0].b, BodyId(1));
  EXPECT_EQ(got[0].shape_b, 0);
  EXPECT_NEAR(got[0].depth, 0.1, 1e-12) << "0.5 + 0.4 − 0.8; the other shape is 0.04 deep";
  EXPECT_EQ(got[1].a, BodyId(2));
  EXPECT_EQ(got[1].b, BodyId(3));
  EXPECT_NEAR(got[1].depth, 0.25, 1e-12);
}

TEST(StartingOverlaps, what_is_shallower_than_asked_for_or_may_not_touch_is_none) {
  std::mt19937 rng(19);
  const Vec3 x = random_vector(rng), n = random_direction(rng);
  for (const double depth : {0.9e-6, 1.1e-6, 1e-3}) {
    World world;
    world.body(Sphere{0.5}, {x, {}}).body(Sphere{0.4}, {x + (0.9 - depth) * n, {}});
    EXPECT_EQ(starting_overlaps(world.model, world.state).size(), depth > 1e-6 ? 1U : 0U);
    EXPECT_EQ(starting_overlaps(world.model, world.state, 2e-6).size(), depth > 2e-6 ? 1U : 0U);
    world.model.collide_exclude.emplace_back(BodyId(0), BodyId(1));
    EXPECT_TRUE(starting_overlaps(world.model, world.state).empty());
  }
}

TEST(StartingOverlaps, the_ground_is_the_second_of_its_pair) {
  World world;
  world.body(Box{{1, 1, 1}}, {{0.3, 0.2, 0.47}, {}}).ground(Plane{{0, 0, 1}, 0});
  const std::vector<StartingOverlap> got = starting_overlaps(world.model, world.state);
  ASSERT_EQ(got.size(), 1U);
  EXPECT_FALSE(got[0].b.valid());
  EXPECT_NEAR(got[0].depth, 0.03, 1e-14);
}

}  // namespace starting_overlaps_test
}  // namespace catena
