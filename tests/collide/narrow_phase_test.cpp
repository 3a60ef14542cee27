// Contacts of every pair of shapes: they follow the frame they are seen from, and are where the shapes are nearest.
#include "catena/collide/narrow_phase.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/collide/closest.h"
#include "collide/convex_testing.h"

namespace catena {
namespace narrow_phase_test {

using namespace catena::testing;

// The pose in a world that is turned and moved.
Pose seen_from(const Pose& world, const Pose& p) {
  return {world.position + rotate(world.orientation, p.position), normalized(world.orientation * p.orientation)};
}

TEST(NarrowPhase, a_world_that_is_turned_and_moved_has_the_same_contacts_there) {
  std::mt19937 rng(14);
  const std::vector<Geometry> shapes = every_core(rng);
  int found = 0;
  for (int trial = 0; trial < 8; ++trial)
    for (const Geometry& a : shapes)
      for (const Geometry& b : shapes) {
        const Pose pa{random_vector(rng, 0.3), random_rotation(rng)},
            pb{random_vector(rng, 0.3) + Vec3{0.5, 0.2, 0.1}, random_rotation(rng)};
        const Pose world{random_vector(rng), random_rotation(rng)};
        const std::vector<Contact> here = contacts_between(a, pa, b, pb, 0.05),
                                   there = contacts_between(a, seen_from(world, pa), b, seen_from(world, pb), 0.05);
        if (here.empty()) continue;
        // Which of two equally good axes is taken may differ; the depth does not.
        EXPECT_NEAR(least_gap(here), least_gap(there), 1e-7);
        found += static_cast<int>(here.size());
      }
  EXPECT_GT(found, 100);
}

TEST(NarrowPhase, seen_from_the_other_shape_the_gap_is_the_same) {
  std::mt19937 rng(15);
  const std::vector<Geometry> shapes = every_core(rng);
  for (int trial = 0; trial < 8; ++trial)
    for (const Geometry& a : shapes)
      for (const Geometry& b : shapes) {
        const Pose pa{random_vector(rng, 0.3), random_rotation(rng)},
            pb{random_vector(rng, 0.3) + Vec3{0.6, 0.2, 0.1}, random_rotation(rng)};
        const std::vector<Contact> ab = contacts_between(a, pa, b, pb, 0.05), ba = contacts_between(b, pb, a, pa, 0.05);
        ASSERT_EQ(ab.empty(), ba.empty());
        if (ab.empty()) continue;
        EXPECT_NEAR(least_gap(ab), least_gap(ba), 1e-7);
      }
}

// Apart, the least gap is the distance of the cores less their radii, and moving one along the normal by a gap closes it.
TEST(NarrowPhase, the_least_gap_of_shapes_that_are_apart_is_their_distance) {
  std::mt19937 rng(16);
  const std::vector<Geometry> shapes = every_core(rng);
  int found = 0;
  for (int trial = 0; trial < 20; ++trial)
    for (const Geometry& a : shapes)
      for (const Geometry& b : shapes) {
        const Pose pa{random_vector(rng), random_rotation(rng)},
            pb{random_vector(rng) + Vec3{1.2, 0, 0}, random_rotation(rng)};
        const Convex A = placed(a, pa), B = placed(b, pb);
        const double distance = closest_points(A, B, {}, A.centre - B.centre, 1e300).distance - A.radius - B.radius;
        const std::vector<Contact> contacts = contacts_between(a, pa, b, pb, 0.3);
        if (distance > 0.29) continue;
        if (distance < 1e-3) continue;
        ASSERT_FALSE(contacts.empty()) << distance;
        EXPECT_NEAR(least_gap(contacts), distance, 1e-7);
        ++found;
        for (const Contact& c : contacts) EXPECT_NEAR(norm(c.normal), 1, 1e-12);
      }
  EXPECT_GT(found, 30);
}

// The half-space: the lowest point of a shape, whatever it is.
TEST(NarrowPhase, on_a_plane_the_least_gap_is_that_of_the_lowest_point) {
  std::mt19937 rng(17);
  for (int trial = 0; trial < 20; ++trial)
    for (const Geometry& a : every_core(rng)) {
      const Convex A = placed(a, {random_vector(rng), random_rotation(rng)});
      const Vec3 n = random_direction(rng);
      const double lowest = dot(n, support(A, -n)) - A.radius;
      NarrowPhase narrow;
      Manifold out;
      narrow.collide_plane(A, n, lowest - 0.01, 0.02, out);
      ASSERT_GT(out.points.size(), 0U);
      double least = 1e300;
      for (const auto& point : out.points) least = std::min(least, point.gap);
      EXPECT_NEAR(least, 0.01, 1e-12);
    }
}

}  // namespace narrow_phase_test
}  // namespace catena
