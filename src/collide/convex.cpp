#include "catena/collide/convex.h"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

constexpr double kDiagonal = 0.70710678118654752;  // cos 45°

struct MakeConvex {
  std::optional<Convex> operator()(const Sphere& s) const { return point(s.radius); }
  std::optional<Convex> operator()(const Point&) const { return point(0); }
  std::optional<Convex> operator()(const Box& box) const {
    Convex out{.core = Core::polytope, .local = box_polytope(box.sides)};
    out.is_box = true;
    return out;
  }
  std::optional<Convex> operator()(const Capsule& c) const {
    Convex out{.core = Core::segment};
    out.local.vertices = {{0, 0, -0.5 * c.length}, {0, 0, 0.5 * c.length}};
    out.local.edges = {{0, 1, -1, -1}};
    out.at_1.radius = c.radius;
    return out;
  }
  std::optional<Convex> operator()(const Cylinder& c) const {
    Convex out{.core = Core::cylinder};
    out.at_1.cylinder = {c.radius, 0.5 * c.length};
    return out;
  }
  std::optional<Convex> operator()(const Plane&) const { return {}; }
  std::optional<Convex> operator()(const Hull& hull) const { return solid(hull.points); }
  std::optional<Convex> operator()(const Mesh& mesh) const {
    if (!bounds_convex_solid(mesh.vertices, mesh.triangles)) return {};
    return solid(mesh.vertices);
  }

 private:
  static std::optional<Convex> point(double radius) {
    Convex out{.core = Core::point};
    out.local.vertices = {{}};
    out.at_1.radius = radius;
    return out;
  }
  static std::optional<Convex> solid(const std::vector<Vec3>& points) {
    Convex out{.core = Core::polytope, .local = hull_polytope(points)};
    if (out.local.vertices.empty()) return {};
    if (out.local.faces.empty()) out.core = out.local.edges.empty() ? Core::point : Core::segment;
    return out;
  }
};

}  // namespace

std::optional<Convex> make_convex(const Geometry& geometry) {
  std::optional<Convex> out = std::visit(MakeConvex{}, geometry);
  if (out) measure(*out);
  return out;
}

namespace {

// What is around vertices in shape coordinates.
void measure(const std::vector<Vec3>& vertices, Convex& shape) {
  if (vertices.empty()) return;
  Vec3 low = vertices[0], high = low;
  shape.at_1.reach = 0;
  for (const Vec3& v : vertices) {
    shape.at_1.reach = std::max(shape.at_1.reach, norm(v));
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], v[i]);
      high[i] = std::max(high[i], v[i]);
    }
  }
  shape.at_1.box_centre = 0.5 * (low + high);
  shape.at_1.box_half = 0.5 * (high - low);
}

}  // namespace

void measure(Convex& shape) { measure(shape.local.vertices, shape); }

void place_frame(const Mat3& R, const Vec3& x, double scale, Convex& shape) {
  shape.R = R;
  shape.centre = x;
  shape.scale = scale;
  shape.radius = scale * shape.at_1.radius;
  shape.cylinder = {scale * shape.at_1.cylinder.rim, scale * shape.at_1.cylinder.half_length};
  const auto& [rim, half_length] = shape.cylinder;
  const double core =
      shape.core == Core::cylinder ? std::sqrt(rim * rim + half_length * half_length) : scale * shape.at_1.reach;
  shape.reach = core + shape.radius;
  shape.points_placed = shape.edges.placed = false;
}

void place_points(Convex& shape) {
  if (shape.points_placed) return;
  shape.points_placed = true;
  shape.vertices.clear();
  for (const Vec3& v : shape.local.vertices) shape.vertices.push_back(shape.centre + shape.scale * (shape.R * v));
  shape.normals.clear();
  for (const Polytope::Face& face : shape.local.faces) shape.normals.push_back(shape.R * face.normal);
}

void place_deformed(const Mat3& R, const Vec3& x, std::span<const Vec3> vertices, Convex& shape) {
  shape.vertices.clear();
  for (const Vec3& v : vertices) shape.vertices.push_back(transpose_times(R, v - x));
  measure(shape.vertices, shape);
  place_frame(R, x, 1, shape);
  shape.points_placed = true;
  shape.vertices.assign(vertices.begin(), vertices.end());
  shape.normals.clear();
  for (const Polytope::Face& face : shape.local.faces) {
    const int* corner = shape.local.corners.data() + face.first;
    const Vec3& at = vertices[static_cast<std::size_t>(corner[0])];
    Vec3 area{};
    for (int k = 2; k < face.count; ++k)
      area += cross(vertices[static_cast<std::size_t>(corner[k - 1])] - at,
                    vertices[static_cast<std::size_t>(corner[k])] - at);
    shape.normals.push_back(normalized(area));
  }
}

void place_edges(Convex& shape) {
  if (shape.edges.placed) return;
  shape.edges.placed = true;
  shape.edges.frames.clear();
  for (const Polytope::Edge& e : shape.local.edges) {
    const Vec3 along = shape.vertices[e.to] - shape.vertices[e.from];
    // Faces go round counter-clockwise, the left one along the edge and the right one against it.
    if (e.left < 0) {
      shape.edges.frames.push_back({along, {}, {}});
    } else {
      shape.edges.frames.push_back({along, cross(shape.normals[e.left], along), cross(along, shape.normals[e.right])});
    }
  }
}

Vec3 support(const Convex& shape, const Vec3& d) {
  if (shape.core == Core::cylinder) {
    // In the cylinder's own axes, where the radial part of a direction along the axis is small but never askew.
    const Vec3 q = transpose_times(shape.R, d);
    const double radial = std::sqrt(q.x * q.x + q.y * q.y);
    const double k = radial > 0 ? shape.cylinder.rim / radial : 0;
    return shape.centre +
           shape.R * Vec3{k * q.x, k * q.y, q.z >= 0 ? shape.cylinder.half_length : -shape.cylinder.half_length};
  }
  const Vec3* best = shape.vertices.data();
  double most = dot(*best, d);
  for (const Vec3& v : shape.vertices) {
    if (const double h = dot(v, d); h > most) {
      most = h;
      best = &v;
    }
  }
  return *best;
}

double separation(const Convex& A, const Convex& B, const Vec3& n) {
  // From a point of A, so that far from the origin no digits are lost.
  return dot(n, support(A, -n) - support(B, n));
}

Vec3 rim_point(const Convex& c, double side, int k) {
  constexpr double kCos[kRimPoints] = {1, kDiagonal, 0, -kDiagonal, -1, -kDiagonal, 0, kDiagonal};
  const double cosine = kCos[k], sine = kCos[(k + 6) % kRimPoints];
  return c.centre + c.R * Vec3{c.cylinder.rim * cosine, c.cylinder.rim * sine, side * c.cylinder.half_length};
}

Aabb bounds(const Convex& shape, double margin) {
  const double grow = shape.radius + margin;
  if (shape.core == Core::cylinder) {
    const Vec3 axis = shape.R.column(2);
    Vec3 half;
    for (int i = 0; i < 3; ++i)
      half[i] = shape.cylinder.half_length * std::abs(axis[i]) +
                shape.cylinder.rim * std::sqrt(std::max(0.0, 1 - axis[i] * axis[i])) + grow;
    return {shape.centre - half, shape.centre + half};
  }
  const Vec3 centre = shape.centre + shape.scale * (shape.R * shape.at_1.box_centre);
  Vec3 half;
  for (int i = 0; i < 3; ++i) {
    half[i] = grow;
    for (int k = 0; k < 3; ++k) half[i] += shape.scale * std::abs(shape.R(i, k)) * shape.at_1.box_half[k];
  }
  return {centre - half, centre + half};
}

}  // namespace catena
