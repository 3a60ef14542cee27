// Smooth surfaces that joints hold points and other surfaces to (constraint/point_on_surface.h, constraint/tangent_surfaces.h). A surface
// belongs to one frame of its joint, and is where a function f of the coordinates in that frame vanishes; f > 0 outside, or above.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "catena/math/rotation.h"

namespace catena {

struct JointSurface {
  enum class Kind : std::uint8_t {
    plane,         // z = 0
    sphere,        // about the origin
    cylinder,      // about z, without ends
    torus,         // its ring in the plane z = 0
    ellipsoid,     // its axes along x, y, z
    height_field,  // z = h(x, y), over a rectangle about the origin
  };
  Kind kind = Kind::sphere;
  // m. Sphere, cylinder: x is the radius; torus: x that of the ring, y that of the tube; ellipsoid: the semi-axes; height field: the
  // distances of the points along x and y.
  Vec3 size{};
  // Of a height field: h at a grid of points, columns along x, rows along y. Between them it is the natural cubic spline in both
  // directions, beyond the edge its straight continuation: twice continuously differentiable everywhere.
  int columns = 0, rows = 0;
  std::vector<double> heights{};       // m, row by row                            (columns · rows)
  std::vector<double> coefficients{};  // of the spline's basis, by fill_spline()   ((columns + 2) · (rows + 2))
};

// Surfaces of the first and the second frame.
struct JointSurfaces {
  JointSurface first, second;  // a point on a surface has the first alone
  bool slides = false;         // tangent surfaces: they slide on each other without friction instead of rolling
  bool inside = false;         // tangent surfaces: a ball touches the first from inside
};

// The value of f, its gradient and its second derivatives. Of planes, spheres, cylinders and tori f is the distance to the surface.
struct SurfaceValue {
  double f = 0;
  Vec3 gradient{};
  Sym3 hessian{};
};
SurfaceValue evaluate(const JointSurface& surface, const Vec3& point);

// Computes the coefficients of a height field.
void fill_spline(JointSurface& surface);

// Why there can be no such surface; empty if there can.
std::string fault_of(const JointSurface& surface);

}  // namespace catena
