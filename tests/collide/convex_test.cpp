#include "catena/collide/convex.h"

#include <gtest/gtest.h>

#include <cmath>

#include "collide/convex_testing.h"

namespace catena {
namespace convex_test {

using namespace catena::testing;

// Bodies given by what is inside: of a point in shape coordinates.
bool is_inside(const Geometry& geometry, const Vec3& p) {
  if (const auto* s = std::get_if<Sphere>(&geometry)) return norm(p) <= s->radius;
  if (const auto* b = std::get_if<Box>(&geometry))
    return std::abs(p.x) <= b->sides.x / 2 && std::abs(p.y) <= b->sides.y / 2 && std::abs(p.z) <= b->sides.z / 2;
  if (const auto* c = std::get_if<Cylinder>(&geometry))
    return std::hypot(p.x, p.y) <= c->radius && std::abs(p.z) <= c->length / 2;
  const auto& k = std::get<Capsule>(geometry);
  return norm(Vec3{p.x, p.y, p.z - std::clamp(p.z, -k.length / 2, k.length / 2)}) <= k.radius;
}

TEST(Convex, nothing_inside_a_shape_is_farther_along_a_direction_than_its_support) {
  std::mt19937 rng(1);
  for (const Geometry& geometry : {Geometry(Sphere{0.4}), Geometry(Capsule{0.2, 0.9}), Geometry(Box{{0.7, 0.5, 0.9}}),
                                   Geometry(Cylinder{0.3, 0.8})}) {
    const Pose pose{random_vector(rng), random_rotation(rng)};
    const double scale = 1.3;
    const Convex shape = placed(geometry, pose, scale);
    const Aabb box = bounds(shape, 0);
    std::vector<Vec3> inside;
    while (inside.size() < 2000)
      if (const Vec3 p = random_vector(rng, 0.8); is_inside(geometry, p))
        inside.push_back(pose.position + scale * rotate(pose.orientation, p));
    double farthest = 0;
    for (int i = 0; i < 50; ++i) {
      const Vec3 d = random_direction(rng);
      const double most = dot(d, support(shape, d)) + shape.radius;
      double nearest = 1e300;
      for (const Vec3& p : inside) {
        EXPECT_LE(dot(d, p), most + 1e-12);
        nearest = std::min(nearest, most - dot(d, p));
      }
      farthest = std::max(farthest, nearest);
    }
    EXPECT_LT(farthest, 0.4) << "and the support is of the shape";
    for (const Vec3& p : inside) {
      EXPECT_LE(norm(p - shape.centre), shape.reach + 1e-12);
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(p[k] >= box.low[k] - 1e-12 && p[k] <= box.high[k] + 1e-12);
    }
  }
}

// The support of a polyhedron is one of its vertices, and no vertex is farther.
TEST(Convex, the_support_of_a_hull_is_its_farthest_vertex) {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<Vec3> points = cloud(rng, 15, 0.5);
    const Pose pose{random_vector(rng), random_rotation(rng)};
    const Convex shape = placed(Hull{points}, pose);
    const Vec3 d = random_direction(rng);
    double most = -1e300;
    for (const Vec3& p : points) most = std::max(most, dot(d, pose.position + rotate(pose.orientation, p)));
    EXPECT_NEAR(dot(d, support(shape, d)), most, 1e-14);
  }
}

TEST(Convex, how_far_a_slab_parts_two_shapes_is_never_more_than_the_distance_of_any_two_of_their_points) {
  std::mt19937 rng(3);
  const std::vector<Geometry> shapes = every_core(rng);
  for (const Geometry& a : shapes)
    for (const Geometry& b : shapes) {
      const Convex A = placed(a, {random_vector(rng), random_rotation(rng)});
      const Convex B = placed(b, {random_vector(rng) + Vec3{1.5, 0, 0}, random_rotation(rng)});
      std::vector<Vec3> on_a, on_b;
      for (int i = 0; i < 60; ++i)
        on_a.push_back(support(A, random_direction(rng))), on_b.push_back(support(B, random_direction(rng)));
      for (int i = 0; i < 20; ++i) {
        const Vec3 n = random_direction(rng);
        const double s = separation(A, B, n);
        for (const Vec3& p : on_a)
          for (const Vec3& q : on_b) EXPECT_LE(s, dot(n, p - q) + 1e-12);
      }
    }
}

}  // namespace convex_test
}  // namespace catena
