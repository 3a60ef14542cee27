// One contact point between two shapes.
#pragma once

#include <cstdint>

#include "catena/math/vec3.h"
#include "catena/model/ids.h"

namespace catena {

struct Contact {
  BodyId a, b;                   // b is kGround for contacts with the ground
  int shape_a = 0, shape_b = 0;  // index into the shapes of its body, or of the ground
  Vec3 position{};               // world; half way between the two surfaces
  Vec3 normal{};                 // unit, world, from b to a: a pushing force on a points along it
  double gap = 0;                // m, along the normal; negative when the shapes penetrate
  double friction = 0;           // of the pair: the geometric mean
  double restitution = 0;        // of the pair: the larger
  std::uint64_t feature = 0;     // names the point from step to step: vertices, edges or faces that meet there
  double compliance = 0;         // of the pair: m/N, the sum; 0: rigid
  double relaxation = 0;         // of the pair: s, the larger
  double creep = 0;              // of the pair: m/s/N, the sum; 0: what sticks does not slip

  Vec3 on_a() const { return position + (0.5 * gap) * normal; }
  Vec3 on_b() const { return position - (0.5 * gap) * normal; }
};

}  // namespace catena
