// A shape that takes part in a search for contacts, with its place in the world.
#pragma once

#include <optional>
#include <vector>

#include "catena/collide/convex.h"
#include "catena/collide/surface.h"
#include "catena/model/model.h"

namespace catena {

// A shape that takes part: convex, a surface, or a plane.
struct Part {
  BodyId body;
  int shape = 0;  // index in its body, or in the ground's shapes
  Vec3 position{};
  Mat3 R = Mat3::identity();
  const Material* material = nullptr;
  struct Filter {
    std::uint32_t category = 1, mask = 1;
  } filter{};
  bool planar = false;  // of a planar body
  bool turns = true;    // its body does: particles do not
  double grow = 0;      // its share of the margin of a pair
  Aabb box{};           // around it, grown by that
  std::optional<Convex> convex{};
  std::optional<Surface> surface{};
  struct Extent {
    double inner = 0;      // half of the smallest; 0 for surfaces
    double sweep = 0;      // of its points about the centre of mass of its body: how far turning moves them [m/rad]
    double deforming = 0;  // how fast the form of its body moves them, at most [m/s]
  };
  Extent extent{};
  struct Forming {
    const BodyForm* form = nullptr;  // of a body that has one
    BodyId own{};                    // the block of its coordinates
  };
  Forming forming{};
};

struct PlanePart {
  Part part;
  Vec3 normal{};
  double offset = 0;
};

// A disc in the plane of a planar body is a circle there, whatever its thickness.
Geometry in_plane(const Geometry& geometry, const Mat3& R);

// Puts the part where the state has its body. `vertices`: scratch.
void place_part(const State& state, Part& part, std::vector<Vec3>& vertices);

Aabb bounds(const Part& part, double margin);

// Of the lowest corner of a box.
double height_above(const PlanePart& plane, const Aabb& box);

// How far a point of it can get in `ahead`.
double travel(const State& state, const Part& part, double ahead);

// Half of the smallest extent.
double inner_radius(Convex& convex);

}  // namespace catena
