// The nearest points of two shapes: they are of the shapes, and a slab of their distance parts these.
#include "catena/collide/closest.h"

#include <gtest/gtest.h>

#include "collide/convex_testing.h"

namespace catena {
namespace closest_test {

using namespace catena::testing;

// Optimality, no golden number: points of A and B at that distance, and no pair nearer, since the slab normal to the line between them parts A from B
// by as much.
TEST(Closest, the_distance_found_is_proved_by_the_slab_of_its_normal) {
  std::mt19937 rng(4);
  const std::vector<Geometry> shapes = every_core(rng);
  int apart = 0;
  for (int trial = 0; trial < 20; ++trial)
    for (const Geometry& a : shapes)
      for (const Geometry& b : shapes) {
        const Convex A = placed(a, {random_vector(rng), random_rotation(rng)}, 0.8);
        const Convex B = placed(b, {random_vector(rng) + Vec3{1.2, 0.3, 0}, random_rotation(rng)});
        const Closest got = closest_points(A, B, {}, A.centre - B.centre, 1e300);
        if (got.distance < 1e-3) continue;
        ++apart;
        EXPECT_NEAR(norm(got.normal), 1, 1e-14);
        EXPECT_LE(norm(got.on_a - got.on_b - got.distance * got.normal), 1e-11);
        // On the rims of cylinders rounding ends the search at 5e-11.
        EXPECT_NEAR(separation(A, B, got.normal), got.distance, 1e-9);
        // They are of the cores: no support is passed.
        for (int i = 0; i < 20; ++i) {
          const Vec3 d = random_direction(rng);
          EXPECT_LE(dot(d, got.on_a - support(A, d)), 1e-11);
          EXPECT_LE(dot(d, got.on_b - support(B, d)), 1e-11);
        }
      }
  EXPECT_GT(apart, 100);
}

TEST(Closest, of_two_balls_it_is_the_line_of_their_centres_and_a_shift_moves_the_first) {
  std::mt19937 rng(5);
  for (int i = 0; i < 20; ++i) {
    const Vec3 p = random_vector(rng), q = random_vector(rng) + Vec3{3, 0, 0}, shift = random_vector(rng, 0.5);
    const Convex A = placed(Sphere{0.2}, {p, {}}), B = placed(Sphere{0.3}, {q, {}});
    const Closest got = closest_points(A, B, shift, p - q, 1e300);
    EXPECT_NEAR(got.distance, norm(p + shift - q), 1e-13);
    EXPECT_LE(norm(got.normal - normalized(p + shift - q)), 1e-13);
    EXPECT_LE(norm(got.on_a - p), 1e-13) << "before the shift";
  }
}

TEST(Closest, shapes_that_meet_have_no_distance_and_those_beyond_the_limit_are_left_early) {
  std::mt19937 rng(6);
  const std::vector<Geometry> shapes = every_core(rng);
  for (const Geometry& a : shapes)
    for (const Geometry& b : shapes) {
      if (std::holds_alternative<Sphere>(a) || std::holds_alternative<Sphere>(b) ||
          std::holds_alternative<Capsule>(a) || std::holds_alternative<Capsule>(b))
        continue;  // their cores need not meet
      const Vec3 x = random_vector(rng);
      EXPECT_EQ(closest_points(placed(a, {x, random_rotation(rng)}),
                               placed(b, {x + Vec3{0.01, 0.02, 0.03}, random_rotation(rng)}), {}, {1, 0, 0}, 1e300)
                    .distance,
                0);
      const Convex A = placed(a, {x, random_rotation(rng)}), B = placed(b, {x + Vec3{5, 1, 0}, random_rotation(rng)});
      EXPECT_GT(closest_points(A, B, {}, {-1, 0, 0}, 0.1).distance, 0.1);
    }
}

}  // namespace closest_test
}  // namespace catena
