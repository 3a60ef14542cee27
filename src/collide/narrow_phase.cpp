#include "catena/collide/narrow_phase.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena {
namespace {

// Pairs of edges beyond which trying all costs more than iterating.
constexpr std::size_t kManyEdgePairs = 4096;
constexpr double kCoincide = 1e-12;  // of the size: points nearer than this give no direction

Axis axis_between(const Vec3& on_a, const Vec3& on_b, double gap, const Vec3& normal) {
  return {Axis::Kind::general, -1, normal, gap, on_a, on_b};
}

Axis from_closest(const Vec3& p, const Vec3& closest, double tiny, const Vec3& fallback) {
  const double gap = norm(p - closest);
  if (gap <= tiny) return axis_between(p, closest, 0, fallback);
  return axis_between(p, closest, gap, (p - closest) / gap);
}

Vec3 closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 d = b - a;
  const double dd = dot(d, d);
  return dd > 0 ? a + std::clamp(dot(d, p - a) / dd, 0.0, 1.0) * d : a;
}

// In a box's own axes: outside, clamp; inside, the nearest face.
Axis point_box(const Vec3& p, const Convex& box) {
  const Vec3 half = transpose_times(box.R, box.vertices[7] - box.centre);
  const Vec3 q = transpose_times(box.R, p - box.centre);
  Vec3 closest = q;
  int face = 0;
  double nearest = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    closest[i] = std::clamp(q[i], -half[i], half[i]);
    const double out = std::abs(q[i]) - half[i];
    if (out > nearest + kSame * box.reach) nearest = out, face = i;
  }
  const Vec3 normal = q[face] < 0 ? -box.R.column(face) : box.R.column(face);
  if (nearest > 0) return from_closest(p, box.centre + box.R * closest, kCoincide * box.reach, normal);
  return axis_between(p, p - nearest * normal, nearest, normal);
}

// In a cylinder's own axes, in the half-plane through p: a rectangle.
Axis point_cylinder(const Vec3& p, const Convex& c) {
  const Vec3 axis = c.R.column(2);
  const double z = dot(axis, p - c.centre);
  const Vec3 radial = p - c.centre - z * axis;
  const double rho = norm(radial);
  const Vec3 out = rho > kCoincide * c.reach ? radial / rho : c.R.column(0);
  const double beyond_cap = std::abs(z) - c.cylinder.half_length, beyond_side = rho - c.cylinder.rim;
  const bool cap = beyond_cap > beyond_side;
  const Vec3 normal = !cap ? out : z < 0 ? -axis : axis;
  if (std::max(beyond_cap, beyond_side) > 0) {
    const Vec3 closest = c.centre + std::clamp(z, -c.cylinder.half_length, c.cylinder.half_length) * axis +
                         std::min(rho, c.cylinder.rim) * out;
    return from_closest(p, closest, kCoincide * c.reach, normal);
  }
  const double gap = std::max(beyond_cap, beyond_side);
  return axis_between(p, p - gap * normal, gap, normal);
}

Vec3 closest_on_face(const Vec3& p, const Convex& B, std::size_t f) {
  const Polytope::Face& face = B.local.faces[f];
  const Vec3& n = B.normals[f];
  const auto corner = [&](int k) { return B.vertices[B.local.corners[face.first + k % face.count]]; };
  bool inside = true;
  Vec3 best{};
  double nearest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < face.count; ++k) {
    const Vec3 a = corner(k), b = corner(k + 1);
    if (dot(cross(n, b - a), p - a) >= 0) continue;  // on the face's side of this edge
    inside = false;
    const Vec3 c = closest_on_segment(p, a, b);
    if (const double away = norm(p - c); away < nearest) nearest = away, best = c;
  }
  return inside ? p - dot(n, p - corner(0)) * n : best;
}

Axis point_polytope(const Vec3& p, const Convex& B) {
  const auto height = [&](std::size_t f) {
    return dot(B.normals[f], p - B.vertices[B.local.corners[B.local.faces[f].first]]);
  };
  std::size_t face = 0;
  double highest = height(0);
  for (std::size_t f = 1; f < B.normals.size(); ++f) {
    if (const double h = height(f); h > highest + kSame * B.reach) highest = h, face = f;
  }
  if (highest < 0) return axis_between(p, p - highest * B.normals[face], highest, B.normals[face]);
  Vec3 best{};
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < B.normals.size(); ++f) {
    if (height(f) < 0) continue;
    const Vec3 c = closest_on_face(p, B, f);
    if (const double away = norm(p - c); away < nearest) nearest = away, best = c;
  }
  return from_closest(p, best, kCoincide * B.reach, B.normals[face]);
}

void one_point(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out) {
  out.points.clear();
  out.normal = axis.normal;
  const double gap = axis.gap - A.radius - B.radius;
  if (gap <= margin) out.points.push_back({axis.on_a - (A.radius + 0.5 * gap) * axis.normal, gap, kClosest});
}

// Whether some point of the manifold is as near as the axis says.
bool reaches(const Manifold& m, double gap, double same) {
  return std::any_of(m.points.begin(), m.points.end(), [&](const ManifoldPoint& p) { return p.gap <= gap + same; });
}

}  // namespace

Axis point_axis(const Vec3& p, const Convex& B) {
  const double tiny = kCoincide * B.reach;
  switch (B.core) {
    case Core::point: return from_closest(p, B.vertices[0], tiny, {0, 0, 1});
    case Core::segment: {
      const Vec3 along = B.vertices[1] - B.vertices[0];
      const Vec3 aside = dot(along, along) > 0 ? perpendicular(normalized(along)) : Vec3{0, 0, 1};
      return from_closest(p, closest_on_segment(p, B.vertices[0], B.vertices[1]), tiny, aside);
    }
    case Core::cylinder: return point_cylinder(p, B);
    case Core::polytope: break;
  }
  return B.is_box ? point_box(p, B) : point_polytope(p, B);
}

Axis segment_axis(const Convex& A, const Convex& B) {
  const Vec3 d = A.vertices[1] - A.vertices[0], e = B.vertices[1] - B.vertices[0];
  const auto [on_a, on_b] = closest_of_segments(A.vertices[0], d, B.vertices[0], e);
  Vec3 aside = cross(d, e);
  const double dd = dot(d, d), scale = dd * dot(e, e);
  if (dot(aside, aside) > 1e-12 * scale) {
    aside = normalized(dot(aside, A.centre - B.centre) < 0 ? -aside : aside);
  } else {
    aside = dd > 0 ? perpendicular(normalized(d)) : Vec3{0, 0, 1};
  }
  return from_closest(on_a, on_b, kCoincide * (A.reach + B.reach), aside);
}

void NarrowPhase::collide(Convex& A, Convex& B, double margin, Manifold& out) {
  out.points.clear();
  facing_.points.clear();
  const double near = A.reach + B.reach + margin;
  const Vec3 between = A.centre - B.centre;
  if (dot(between, between) > near * near) return;
  if (A.core == Core::point) return one_point(A, B, point_axis(A.vertices[0], B), margin, out);
  if (B.core == Core::point) {
    const Axis back = point_axis(B.vertices[0], A);
    return one_point(A, B, axis_between(back.on_b, back.on_a, back.gap, -back.normal), margin, out);
  }
  if (A.core == Core::segment && B.core == Core::segment) {
    builder_.build(A, B, segment_axis(A, B), margin, out);
  } else {
    collide_general(A, B, margin, out);
  }
  tidy(same_length(A, B), out);
}

// Curved features may touch between the corners: then their closest points join the others.
void NarrowPhase::touch(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out) {
  builder_.build(A, B, axis, margin, out);
  find_facing(A, B, axis, margin, out);
  const double gap = axis.gap - A.radius - B.radius;
  if (gap <= margin && !reaches(out, gap, same_length(A, B)))
    out.points.push_back({axis.on_a - (A.radius + 0.5 * gap) * axis.normal, gap, kClosest});
}

void NarrowPhase::collide_general(Convex& A, Convex& B, double margin, Manifold& out) {
  const double radii = A.radius + B.radius, limit = margin + radii, same = same_length(A, B);
  const Vec3 between = A.centre - B.centre;
  if (const double d = norm(between); d > 0 && separation(A, B, between / d) > limit) return;
  const bool curved = A.core == Core::cylinder || B.core == Core::cylinder;
  if (curved || A.local.edges.size() * B.local.edges.size() > kManyEdgePairs) {
    const Axis axis = general_axis(A, B, limit);
    if (axis.gap <= limit) touch(A, B, refined_axis(A, B, axis), margin, out);
    return;
  }
  const bool boxes = A.is_box && B.is_box;
  Axis axis;
  if (boxes) {
    axis = box_axis(A, B, limit);
    if (axis.gap > limit) return;
    builder_.build(A, B, axis, margin, out);
    find_facing(A, B, axis, margin, out);
    // Apart, with a vertex against a vertex or an edge: no face normal nor pair of edges gives the distance.
    const bool exact = axis.kind == Axis::Kind::general ? norm(axis.on_a - axis.on_b) <= axis.gap + same
                                                        : reaches(out, axis.gap, same);
    if (axis.gap <= 0 || exact) return;
    out.points.clear();
  }
  if (const auto apart = distance_axis(A, B, limit)) {
    if (apart->gap <= limit) touch(A, B, refined_axis(A, B, *apart), margin, out);
  } else {
    if (!boxes) axis = polytope_axis(A, B, limit);
    builder_.build(A, B, axis, margin, out);
    find_facing(A, B, axis, margin, out);
  }
}

// The face that looks most nearly along the axis, if it does within 15°, and what lies in front of it.
void NarrowPhase::find_facing(const Convex& A, const Convex& B, const Axis& axis, double margin, const Manifold& out) {
  constexpr double kFacing = 0.966, kBeside = 1e-3;
  facing_.points.clear();
  if (axis.kind != Axis::Kind::general) return;
  Axis best;
  double most = kFacing;
  const auto offer = [&](Axis::Kind kind, int face, const Vec3& normal) {
    if (const double c = dot(normal, axis.normal); c > most) most = c, best = {kind, face, normal, 0, {}, {}};
  };
  for (const bool of_a : {true, false}) {
    const Convex& C = of_a ? A : B;
    const Axis::Kind kind = of_a ? Axis::Kind::face_a : Axis::Kind::face_b;
    for (std::size_t f = 0; f < C.normals.size(); ++f)
      offer(kind, static_cast<int>(f), of_a ? -C.normals[f] : C.normals[f]);
    if (C.core == Core::cylinder)
      for (const double sign : {1.0, -1.0}) offer(kind, -1, sign * C.R.column(2));
  }
  if (best.kind == Axis::Kind::general) return;
  builder_.build(A, B, best, margin, facing_);
  tidy(same_length(A, B), facing_);
  // The way out along the face is longer: no point is deeper than the pair is.
  for (ManifoldPoint& p : facing_.points) p.gap = std::max(p.gap, axis.gap - A.radius - B.radius);
  const double beside = kBeside * (A.reach + B.reach);
  std::erase_if(facing_.points, [&](const ManifoldPoint& p) {
    return std::any_of(out.points.begin(), out.points.end(),
                       [&](const ManifoldPoint& q) { return norm(p.position - q.position) <= beside; });
  });
}

void NarrowPhase::collide_plane(const Convex& A, const Vec3& n, double offset, double margin, Manifold& out) {
  out.points.clear();
  out.normal = n;
  if (dot(n, A.centre) - offset - A.reach > margin) return;
  const auto add = [&](const Vec3& p, int id) {
    const double gap = dot(n, p) - offset - A.radius;
    if (gap <= margin)
      out.points.push_back({p - (A.radius + 0.5 * gap) * n, gap, kVertexOfA | static_cast<std::uint32_t>(id)});
  };
  if (A.core == Core::cylinder) {
    feature_toward(A, -n, feature_);
    for (const Feature::Corner& c : feature_.corners) add(c.p, c.id);
  } else {
    for (std::size_t i = 0; i < A.vertices.size(); ++i) add(A.vertices[i], static_cast<int>(i));
  }
  tidy(kSame * A.reach, out);
}

}  // namespace catena
