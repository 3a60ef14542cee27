// Convex shapes of every core, placed anywhere.
#pragma once

#include <utility>
#include <vector>

#include "catena/collide/convex.h"
#include "collide/collide_testing.h"

namespace catena::testing {

inline std::vector<Vec3> cloud(std::mt19937& rng, int count, double size) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) points.push_back(random_vector(rng, size));
  return points;
}

inline Convex placed(const Geometry& geometry, const Pose& pose, double scale = 1) {
  std::optional<Convex> shape = make_convex(geometry);
  EXPECT_TRUE(shape.has_value());
  place(to_matrix(pose.orientation), pose.position, scale, *shape);
  return *shape;
}

inline std::vector<Geometry> every_core(std::mt19937& rng) {
  return {Sphere{0.4}, Capsule{0.2, 0.9}, Box{{0.7, 0.5, 0.9}}, Cylinder{0.3, 0.8}, Hull{cloud(rng, 12, 0.5)}};
}

// Points of the shape, its ball included: on its surface, in directions all around.
inline std::vector<Vec3> points_of(const Convex& shape, std::mt19937& rng, int count = 200) {
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) {
    const Vec3 d = random_direction(rng);
    out.push_back(support(shape, d) + shape.radius * d);
  }
  return out;
}

}  // namespace catena::testing
