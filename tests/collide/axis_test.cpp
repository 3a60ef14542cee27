// The axes that part two cores best, against all directions and against each other.
#include "catena/collide/axis.h"

#include <gtest/gtest.h>

#include "catena/collide/closest.h"
#include "collide/convex_testing.h"

namespace catena {
namespace axis_test {

using namespace catena::testing;

// Of two polyhedra that overlap the best direction is a face's normal or across two edges: no other parts them better. With general_axis(), which knows
// of neither (penetration.cpp).
TEST(Axis, of_overlapping_boxes_no_direction_parts_them_better_by_any_of_three_searches) {
  std::mt19937 rng(7);
  int deep = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Vec3 x = random_vector(rng);
    Convex A = placed(Box{{0.7, 0.5, 0.9}}, {x, random_rotation(rng)});
    Convex B = placed(Box{{0.4, 0.8, 0.6}}, {x + random_vector(rng, 0.4), random_rotation(rng)});
    place_edges(A), place_edges(B);
    const Axis box = box_axis(A, B, 1e300), polytope = polytope_axis(A, B, 1e300);
    EXPECT_NEAR(box.gap, polytope.gap, 1e-13);
    if (box.gap > -0.01) continue;
    ++deep;
    EXPECT_NEAR(norm(box.normal), 1, 1e-14);
    EXPECT_NEAR(separation(A, B, box.normal), box.gap, 1e-13);
    for (int i = 0; i < 300; ++i) EXPECT_LE(separation(A, B, random_direction(rng)), box.gap + 1e-12);
    const Axis general = general_axis(A, B, 1e300);
    // The shortest among its neighbours: a way out, and never one that is shorter than the shortest.
    EXPECT_LE(general.gap, box.gap + 1e-9);
    EXPECT_NEAR(separation(A, B, general.normal), general.gap, 1e-9);
  }
  EXPECT_GT(deep, 20);
}

TEST(Axis, hulls_that_overlap_are_parted_by_moving_one_along_the_axis_by_the_gap) {
  std::mt19937 rng(8);
  int deep = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Hull a{cloud(rng, 12, 0.5)}, b{cloud(rng, 9, 0.4)};
    const Pose at{random_vector(rng), random_rotation(rng)};
    Pose other{at.position + random_vector(rng, 0.4), random_rotation(rng)};
    Convex A = placed(a, at), B = placed(b, other);
    place_edges(A), place_edges(B);
    const Axis axis = polytope_axis(A, B, 1e300);
    if (axis.gap > -1e-3) continue;
    ++deep;
    for (const double more : {-1e-4, 1e-4}) {
      const Convex out = placed(a, {at.position + (more - axis.gap) * axis.normal, at.orientation});
      EXPECT_EQ(closest_points(out, B, {}, axis.normal, 1e300).distance > 0, more > 0);
    }
  }
  EXPECT_GT(deep, 10);
}

TEST(Axis, cores_that_are_apart_are_parted_by_their_distance) {
  std::mt19937 rng(9);
  const std::vector<Geometry> shapes = every_core(rng);
  for (const Geometry& a : shapes)
    for (const Geometry& b : shapes) {
      const Convex A = placed(a, {random_vector(rng), random_rotation(rng)});
      const Convex B = placed(b, {random_vector(rng) + Vec3{2.5, 0, 0}, random_rotation(rng)});
      const Closest closest = closest_points(A, B, {}, A.centre - B.centre, 1e300);
      if (closest.distance < 0.01) continue;
      const std::optional<Axis> distance = distance_axis(A, B, 1e300);
      ASSERT_TRUE(distance.has_value());
      EXPECT_NEAR(distance->gap, closest.distance, 1e-11);
      EXPECT_NEAR(general_axis(A, B, 1e300).gap, closest.distance, 1e-11);
      EXPECT_NEAR(refined_axis(A, B, *distance).gap, closest.distance, 1e-9);
    }
}

// Karush–Kuhn–Tucker: at an end of a segment the other point lies beyond it, inside the line between them is at right angles.
TEST(Axis, closest_points_of_segments_cannot_be_moved_nearer_along_either) {
  std::mt19937 rng(10);
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 p = random_vector(rng), d = random_vector(rng), q = random_vector(rng);
    const Vec3 e = trial % 5 == 0 ? -1.7 * d : random_vector(rng);
    const auto [on_a, on_b] = closest_of_segments(p, d, q, e);
    const double s = dot(on_a - p, d) / dot(d, d), t = dot(on_b - q, e) / dot(e, e);
    EXPECT_LE(norm(p + s * d - on_a) + norm(q + t * e - on_b), 1e-13);
    EXPECT_TRUE(s >= -1e-14 && s <= 1 + 1e-14 && t >= -1e-14 && t <= 1 + 1e-14);
    const double along_d = dot(on_b - on_a, d), along_e = dot(on_a - on_b, e);
    EXPECT_TRUE((s < 1 - 1e-9 ? along_d <= 1e-12 : true) && (s > 1e-9 ? along_d >= -1e-12 : true)) << s;
    EXPECT_TRUE((t < 1 - 1e-9 ? along_e <= 1e-12 : true) && (t > 1e-9 ? along_e >= -1e-12 : true)) << t;
  }
}

}  // namespace axis_test
}  // namespace catena
