// Some of each shape above a ground of a mesh, a plane and a box.
#pragma once

#include "collide/collide_testing.h"

namespace catena::testing {

inline Mesh tetrahedron_with_dent() {
  Mesh mesh;  // a square pyramid whose base is pushed in: not convex
  mesh.vertices = {{-0.4, -0.4, -0.3}, {0.4, -0.4, -0.3}, {0.4, 0.4, -0.3},
                   {-0.4, 0.4, -0.3},  {0, 0, 0.5},       {0, 0, -0.1}};
  mesh.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};
  return mesh;
}

inline Mesh floor_mesh() {
  Mesh mesh;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) mesh.vertices.push_back({i - 2.0, j - 2.0, 0.1 * ((i + j) % 2)});
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const int at = 5 * i + j;
      mesh.triangles.push_back({at, at + 5, at + 6});
      mesh.triangles.push_back({at, at + 6, at + 1});
    }
  }
  return mesh;
}

// Some of each shape above a floor; the state is random.
inline World crowd() {
  World world;
  Hull hull;
  for (int i = 0; i < 6; ++i) hull.points.push_back({i & 1 ? 0.3 : -0.2, i & 2 ? 0.35 : -0.3, i & 4 ? 0.4 : -0.2});
  const std::vector<Geometry> shapes = {Sphere{0.3},         Point{}, Box{{0.5, 0.6, 0.4}},   Capsule{0.2, 0.5},
                                        Cylinder{0.25, 0.5}, hull,    tetrahedron_with_dent()};
  for (int i = 0; i < 21; ++i) world.body(shapes[static_cast<std::size_t>(i) % shapes.size()], {});
  world.ground(floor_mesh(), {{0, 0, -0.9}}).ground(Plane{{0, 0, 1}, -1}).ground(Box{{1, 1, 1}}, {{1, 0, -0.5}});
  return world;
}

inline void scatter(World& world, std::mt19937& rng) {
  for (BodyState& body : world.state.bodies) {
    body.position = random_vector(rng, 1.2);
    body.orientation = random_rotation(rng);
  }
}

}  // namespace catena::testing
