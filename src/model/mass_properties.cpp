#include <fmt/format.h>

#include <numbers>

#include "catena/model/convex_hull.h"
#include "catena/model/error.h"
#include "catena/model/shape.h"

namespace catena {
namespace {

using std::numbers::pi;

// m (|d|² 1 − d dᵀ): what a mass m at d adds to an inertia about the origin.
Sym3 point_inertia(double m, const Vec3& d) {
  const double x = d.x * d.x, y = d.y * d.y, z = d.z * d.z;
  return {m * (y + z), m * (x + z), m * (x + y), -m * d.x * d.y, -m * d.x * d.z, -m * d.y * d.z};
}

// The sum over tetrahedra (origin, a, b, c) of mass, mass · centre and second moments; the origin drops out of a closed surface.
struct SurfaceSum {
  double volume = 0, area = 0;
  Vec3 moment{}, area_vector{};
  Sym3 second{};  // ∫ x xᵀ dV

  void add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = dot(a, cross(b, c)) / 6;
    const Vec3 s = a + b + c, n = 0.5 * cross(b - a, c - a);
    volume += v;
    moment += (v / 4) * s;
    area_vector += n;
    area += norm(n);
    // ∫ x xᵀ = v/20 (s sᵀ + a aᵀ + b bᵀ + c cᵀ)
    for (const Vec3& p : {s, a, b, c})
      second += (v / 20) * Sym3{p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
  }

  MassProperties times(double density) const {
    MassProperties out{density * volume, moment / volume, {}};
    const double t = trace(second);
    const Sym3 about_origin =
        density * Sym3{t - second.xx, t - second.yy, t - second.zz, -second.xy, -second.xz, -second.yz};
    out.inertia = about_origin + point_inertia(-out.mass, out.centre);
    return out;
  }
};

MassProperties solid_of(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& triangles,
                        double density, const std::string& what) {
  // Measured from the first point, so that a solid far from its origin keeps its digits.
  SurfaceSum sum;
  const Vec3 origin = points.empty() ? Vec3{} : points[0];
  for (const auto& t : triangles) sum.add(points[t[0]] - origin, points[t[1]] - origin, points[t[2]] - origin);
  if (norm(sum.area_vector) > 1e-6 * sum.area) {
    throw InputError{
        fmt::format("{}: its surface is not closed, so it has no volume; close it or give mass and inertia", what)};
  }
  if (!(sum.volume > 1e-12 * sum.area * std::sqrt(sum.area))) {
    throw InputError{
        fmt::format("{}: its surface encloses no volume (flat, or triangles clockwise from outside); "
                    "give mass and inertia or turn the triangles",
                    what)};
  }
  MassProperties out = sum.times(density);
  out.centre += origin;
  return out;
}

struct OfGeometry {
  double density;

  MassProperties operator()(const Sphere& s) const {
    const double m = density * 4 / 3 * pi * s.radius * s.radius * s.radius, i = 0.4 * m * s.radius * s.radius;
    return {m, {}, Sym3::diagonal(i, i, i)};
  }
  MassProperties operator()(const Point&) const { return {}; }
  MassProperties operator()(const Plane&) const { return {}; }
  MassProperties operator()(const Box& b) const {
    const double m = density * b.sides.x * b.sides.y * b.sides.z;
    const double x = b.sides.x * b.sides.x, y = b.sides.y * b.sides.y, z = b.sides.z * b.sides.z;
    return {m, {}, Sym3::diagonal(m / 12 * (y + z), m / 12 * (x + z), m / 12 * (x + y))};
  }
  MassProperties operator()(const Cylinder& c) const {
    const double r2 = c.radius * c.radius, m = density * pi * r2 * c.length;
    const double across = m * (3 * r2 + c.length * c.length) / 12;
    return {m, {}, Sym3::diagonal(across, across, m * r2 / 2)};
  }
  // The cylinder and two half balls, each half ball's centre 3/8 r beyond the cylinder's end.
  MassProperties operator()(const Capsule& c) const {
    MassProperties out = (*this)(Cylinder{c.radius, c.length});
    const double r2 = c.radius * c.radius, caps = density * 4 / 3 * pi * r2 * c.radius;
    const double half = c.length / 2, across = caps * (0.4 * r2 + half * half + 0.75 * half * c.radius);
    out.mass += caps;
    out.inertia += Sym3::diagonal(across, across, 0.4 * caps * r2);
    return out;
  }
  MassProperties operator()(const Hull& h) const { return solid_of(h.points, convex_hull(h.points), density, "hull"); }
  MassProperties operator()(const Mesh& m) const {
    return solid_of(m.vertices, m.triangles, density, fmt::format("mesh '{}'", m.file));
  }
};

}  // namespace

MassProperties mass_properties(const Geometry& geometry, double density) {
  return std::visit(OfGeometry{density}, geometry);
}

MassProperties mass_properties(const std::vector<Shape>& shapes, double density) {
  MassProperties out;
  std::vector<MassProperties> parts;
  for (const Shape& shape : shapes) {
    MassProperties part = mass_properties(shape.geometry, density);
    const Mat3 R = to_matrix(shape.orientation);
    part.centre = shape.position + R * part.centre;
    part.inertia = congruence(R, part.inertia);
    out.mass += part.mass;
    out.centre += part.mass * part.centre;
    parts.push_back(part);
  }
  if (!(out.mass > 0)) return {};
  out.centre = out.centre / out.mass;
  for (const MassProperties& part : parts)
    out.inertia += part.inertia + point_inertia(part.mass, part.centre - out.centre);
  return out;
}

}  // namespace catena
