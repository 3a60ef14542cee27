// Shapes as triangles: what other programs draw.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/shape.h"

namespace catena {

struct Surface {
  std::vector<std::array<float, 3>> points, normals;  // unit normals, outwards; one a point
  std::vector<std::uint32_t> corners;                 // three a triangle, counter-clockwise from outside
};

// A surface and the scale that makes it the shape, so that shapes that differ in size only share a surface.
struct SurfaceOf {
  std::string key;  // equal for equal surfaces; empty: every one is its own
  Surface surface;
  Vec3 scale{1, 1, 1};
};

// Of a solid shape; nothing for points and planes.
std::optional<SurfaceOf> surface_of(const Geometry& geometry);

// A square of the given side in the plane z = 0 that looks along +z.
Surface square(double side);

}  // namespace catena
