#include "catena/record/surface.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "catena/model/convex_hull.h"

namespace catena {
namespace {

constexpr int kAround = 32, kUp = 16;  // faces about the axis; from pole to pole

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

std::uint32_t add_point(Surface& s, const Vec3& point, const Vec3& normal) {
  s.points.push_back(to_float(point));
  s.normals.push_back(to_float(normal));
  return static_cast<std::uint32_t>(s.points.size() - 1);
}

void add_triangle(Surface& s, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  for (const std::uint32_t corner : {a, b, c}) s.corners.push_back(corner);
}

// A flat face with its own normal; nothing where it has no area.
void add_flat(Surface& s, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = cross(b - a, c - a);
  const double area = norm(n);
  if (!(area > 0)) return;
  const Vec3 unit = n / area;
  const std::uint32_t i = add_point(s, a, unit);
  add_point(s, b, unit);
  add_point(s, c, unit);
  add_triangle(s, i, i + 1, i + 2);
}

// A ring of points about z, the first one twice so that rows join by indices alone. Returns the index of its first.
std::uint32_t add_ring(Surface& s, double radius, double z, double normal_out, double normal_up) {
  const auto first = static_cast<std::uint32_t>(s.points.size());
  for (int i = 0; i <= kAround; ++i) {
    const double angle = 2 * std::numbers::pi * (i % kAround) / kAround;
    const double c = std::cos(angle), t = std::sin(angle);
    add_point(s, {radius * c, radius * t, z}, {normal_out * c, normal_out * t, normal_up});
  }
  return first;
}

// Two triangles a face between a lower ring and an upper one; the one at a pole has no area and is left out.
void join_rings(Surface& s, std::uint32_t low, std::uint32_t high, bool low_is_pole = false,
                bool high_is_pole = false) {
  for (std::uint32_t i = 0; i < kAround; ++i) {
    if (!low_is_pole) add_triangle(s, low + i, low + i + 1, high + i + 1);
    if (!high_is_pole) add_triangle(s, low + i, high + i + 1, high + i);
  }
}

// A sphere of the given radius, pulled apart at the equator by `length`.
Surface round(double radius, double length) {
  Surface s;
  std::uint32_t low = 0;
  for (int row = 0; row <= kUp + 1; ++row) {
    const bool upper = row > kUp / 2;
    const int k = upper ? row - 1 : row;
    const double angle = std::numbers::pi * (static_cast<double>(k) / kUp - 0.5);
    const double out = k == 0 || k == kUp ? 0 : std::cos(angle), up = std::sin(angle);
    const std::uint32_t high = add_ring(s, radius * out, radius * up + (upper ? length : -length) / 2, out, up);
    const bool seam = row == kUp / 2 + 1;  // the equator is there twice
    if (row > 0 && (!seam || length > 0)) join_rings(s, low, high, row == 1, row == kUp + 1);
    low = high;
  }
  return s;
}

Surface unit_cylinder() {
  Surface s;
  const std::uint32_t low = add_ring(s, 1, -0.5, 1, 0);
  join_rings(s, low, add_ring(s, 1, 0.5, 1, 0));
  for (const double side : {-1.0, 1.0}) {
    const std::uint32_t middle = add_point(s, {0, 0, side / 2}, {0, 0, side});
    const std::uint32_t ring = add_ring(s, 1, side / 2, 0, side);
    for (std::uint32_t i = 0; i < kAround; ++i)
      add_triangle(s, middle, side > 0 ? ring + i : ring + i + 1, side > 0 ? ring + i + 1 : ring + i);
  }
  return s;
}

Surface unit_box() {
  Surface s;
  const std::array<Vec3, 3> axes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  for (std::size_t k = 0; k < 3; ++k)
    for (const double side : {-0.5, 0.5}) {
      const Vec3 n = side * axes[k], u = 0.5 * axes[(k + 1) % 3], v = (2 * side) * (0.5 * axes[(k + 2) % 3]);
      const Vec3 normal = 2 * n;
      const std::uint32_t i = add_point(s, n - u - v, normal);
      add_point(s, n + u - v, normal);
      add_point(s, n + u + v, normal);
      add_point(s, n - u + v, normal);
      add_triangle(s, i, i + 1, i + 2);
      add_triangle(s, i, i + 2, i + 3);
    }
  return s;
}

Surface flat(const std::vector<Vec3>& points, const std::vector<std::array<int, 3>>& triangles) {
  Surface s;
  const auto at = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  for (const auto& [a, b, c] : triangles) add_flat(s, at(a), at(b), at(c));
  return s;
}

struct Make {
  std::optional<SurfaceOf> operator()(const Sphere& g) const {
    return SurfaceOf{"sphere", round(1, 0), {g.radius, g.radius, g.radius}};
  }
  std::optional<SurfaceOf> operator()(const Box& g) const { return SurfaceOf{"box", unit_box(), g.sides}; }
  std::optional<SurfaceOf> operator()(const Capsule& g) const {
    return SurfaceOf{fmt::format("capsule {} {}", g.radius, g.length), round(g.radius, g.length)};
  }
  std::optional<SurfaceOf> operator()(const Cylinder& g) const {
    return SurfaceOf{"cylinder", unit_cylinder(), {g.radius, g.radius, g.length}};
  }
  std::optional<SurfaceOf> operator()(const Hull& g) const {
    return SurfaceOf{"", flat(g.points, convex_hull(g.points))};
  }
  std::optional<SurfaceOf> operator()(const Mesh& g) const { return SurfaceOf{"", flat(g.vertices, g.triangles)}; }
  std::optional<SurfaceOf> operator()(const Point&) const { return std::nullopt; }
  std::optional<SurfaceOf> operator()(const Plane&) const { return std::nullopt; }
};

}  // namespace

std::optional<SurfaceOf> surface_of(const Geometry& geometry) { return std::visit(Make{}, geometry); }

Surface square(double side) {
  Surface s;
  const double h = side / 2;
  for (const Vec3& corner : {Vec3{-h, -h, 0}, Vec3{h, -h, 0}, Vec3{h, h, 0}, Vec3{-h, h, 0}})
    add_point(s, corner, {0, 0, 1});
  add_triangle(s, 0, 1, 2);
  add_triangle(s, 0, 2, 3);
  return s;
}

}  // namespace catena
