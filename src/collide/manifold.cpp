#include "catena/collide/manifold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kUpright = 1e-3;  // rad: below this tilt a cap lies flat and its deepest rim point has no meaning
constexpr double kSnap = 1e-4;     // of the size: a corner this near to a vertex is called after it

void add_corner(Feature& out, const Vec3& p, int id, int edge) { out.corners.push_back({p, id, edge}); }

void face_corners(const Convex& shape, int face, Feature& out) {
  const Polytope::Face& f = shape.local.faces[face];
  out.corners.clear();
  out.normal = shape.normals[face];
  for (int k = 0; k < f.count; ++k) {
    const int v = shape.local.corners[f.first + k];
    add_corner(out, shape.vertices[v], v, f.first + k);
  }
}

// Of the faces that hold a farthest vertex, the one that looks most along d: where two look alike, the first.
int face_toward(const Convex& shape, const Vec3& d) {
  double farthest = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : shape.vertices) farthest = std::max(farthest, dot(d, v - shape.centre));
  farthest -= kSame * shape.reach;
  int best = 0;
  double most = -2;
  for (std::size_t i = 0; i < shape.normals.size(); ++i) {
    if (dot(d, shape.normals[i]) <= most + kSame) continue;
    const Polytope::Face& f = shape.local.faces[i];
    const int* first = shape.local.corners.data() + f.first;
    const auto far = [&](int v) { return dot(d, shape.vertices[v] - shape.centre) >= farthest; };
    if (!std::any_of(first, first + f.count, far)) continue;
    best = static_cast<int>(i);
    most = dot(d, shape.normals[i]);
  }
  return best;
}

// The cap of a cylinder on the side +1 or −1, counter-clockwise from outside: the rim points fixed in the body and, when the cap
// is tilted against d, the point of the rim that lies farthest.
void cap_corners(const Convex& c, double side, const Vec3& d, Feature& out) {
  const Vec3 axis = c.R.column(2);
  const Vec3 slope = d - dot(d, axis) * axis;
  const double tilt = norm(slope);
  const int base = side > 0 ? kRimPoints : 0;
  const int deepest = 2 * kRimPoints + (side > 0 ? 1 : 0);
  out.corners.clear();
  out.normal = side * axis;
  for (int k = 0; k < kRimPoints; ++k) add_corner(out, rim_point(c, side, k), base + k, base + k);
  if (tilt > kUpright) {
    const double angle = portable::atan2(dot(slope, c.R.column(1)), dot(slope, c.R.column(0)));
    const double turn = angle / (2 * 3.14159265358979323846) * kRimPoints;
    const int after = static_cast<int>(std::floor(turn < 0 ? turn + kRimPoints : turn)) % kRimPoints;
    const Vec3 p = c.centre + (side * c.cylinder.half_length) * axis + (c.cylinder.rim / tilt) * slope;
    out.corners.insert(out.corners.begin() + after + 1, Feature::Corner{p, deepest, base + after});
  }
  if (side < 0) std::reverse(out.corners.begin(), out.corners.end());
}

// The line on the side of a cylinder that lies farthest along d.
void side_corners(const Convex& c, const Vec3& d, Feature& out) {
  const Vec3 axis = c.R.column(2);
  const Vec3 middle = c.centre + c.cylinder.rim * normalized(d - dot(d, axis) * axis);
  out.corners.clear();
  out.normal = {};
  for (const int side : {0, 1})
    add_corner(out, middle + (side == 0 ? -c.cylinder.half_length : c.cylinder.half_length) * axis,
               2 * kRimPoints + side, 2 * kRimPoints + side);
}

// Cuts away what lies beyond the plane m·x = m·at (Sutherland and Hodgman). `clip` names the plane.
void cut(const Vec3& m, const Vec3& at, int clip, double same, std::vector<Feature::Corner>& corners,
         std::vector<Feature::Corner>& kept) {
  kept.clear();
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Feature::Corner &p = corners[i], &q = corners[(i + 1) % corners.size()];
    const double hp = dot(m, p.p - at), hq = dot(m, q.p - at);
    const bool p_in = hp <= same, q_in = hq <= same;
    if (p_in) kept.push_back(p);
    if (p_in == q_in) continue;
    // Leaving, the outline goes on along the plane; entering, along the edge it was on.
    const int name = ((p.edge & 0x3fff) << 14) | (clip & 0x3fff);
    const double t = std::clamp(hp / (hp - hq), 0.0, 1.0);
    kept.push_back({p.p + t * (q.p - p.p), -1 - name, p_in ? clip : p.edge});
  }
  corners.swap(kept);
}

// The number of the feature at p: a vertex of A it is at, else one of B, else the edges that cross there.
std::uint32_t name_of(const Feature::Corner& p, const Feature& of_a, const Feature& of_b, const Vec3& n, double snap) {
  const auto vertex_at = [&](const Feature& f) {
    for (const Feature::Corner& c : f.corners) {
      const Vec3 away = p.p - c.p;
      const double along = dot(away, n);
      if (dot(away, away) - along * along <= snap * snap) return c.id;
    }
    return -1;
  };
  if (const int v = vertex_at(of_a); v >= 0) return kVertexOfA | static_cast<std::uint32_t>(v);
  if (const int v = vertex_at(of_b); v >= 0) return kVertexOfB | static_cast<std::uint32_t>(v);
  return kEdges | static_cast<std::uint32_t>(p.id < 0 ? -1 - p.id : p.id);
}

// The two vertices of a core that lie farthest along d, when there are exactly two.
bool straight_toward(const Convex& shape, const Vec3& d, double same, Feature& out) {
  out.corners.clear();
  if (shape.core == Core::cylinder) {
    if (std::abs(dot(shape.R.column(2), d)) > kUpright) return false;
    side_corners(shape, d, out);
    return true;
  }
  const double farthest = dot(d, support(shape, d));
  const double slack = shape.core == Core::segment ? 2 * kUpright * shape.reach : 10 * same;
  for (std::size_t i = 0; i < shape.vertices.size(); ++i) {
    if (dot(d, shape.vertices[i]) >= farthest - slack)
      add_corner(out, shape.vertices[i], static_cast<int>(i), static_cast<int>(i));
  }
  return out.corners.size() == 2;
}

}  // namespace

void feature_toward(const Convex& shape, const Vec3& d, Feature& out) {
  if (shape.core == Core::cylinder) {
    const double along = dot(shape.R.column(2), d);
    if (std::abs(along) < 0.5) return side_corners(shape, d, out);
    return cap_corners(shape, along > 0 ? 1 : -1, d, out);
  }
  if (!shape.normals.empty()) return face_corners(shape, face_toward(shape, d), out);
  out.corners.clear();
  for (std::size_t i = 0; i < shape.vertices.size(); ++i)
    add_corner(out, shape.vertices[i], static_cast<int>(i), static_cast<int>(i));
}

void ManifoldBuilder::clip_to_face(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out) {
  const bool of_a = axis.kind == Axis::Kind::face_a;
  const Convex &R = of_a ? A : B, &I = of_a ? B : A;  // reference, incident
  if (axis.face >= 0) face_corners(R, axis.face, reference_);
  else feature_toward(R, of_a ? -axis.normal : axis.normal, reference_);
  const Vec3 n = reference_.normal;
  feature_toward(I, -n, incident_);

  const double inside = same_length(A, B);
  outline_ = incident_.corners;
  for (std::size_t k = 0; k < reference_.corners.size() && !outline_.empty(); ++k) {
    const Feature::Corner& c = reference_.corners[k];
    const Vec3 along = reference_.corners[(k + 1) % reference_.corners.size()].p - c.p;
    cut(normalized(cross(along, n)), c.p, c.edge, inside, outline_, spare_);
  }
  const double snap = kSnap * (A.reach + B.reach);
  for (const Feature::Corner& c : outline_) {
    const double gap = dot(n, c.p - reference_.corners[0].p) - R.radius - I.radius;
    if (gap > margin) continue;
    const std::uint32_t name =
        of_a ? name_of(c, reference_, incident_, n, snap) : name_of(c, incident_, reference_, n, snap);
    out.points.push_back({c.p - (I.radius + 0.5 * gap) * n, gap, name});
  }
}

// Two straight features side by side touch along the stretch where they pass each other: its two ends.
bool ManifoldBuilder::pass_each_other(const Convex& A, const Convex& B, const Axis& axis, double margin,
                                      Manifold& out) {
  const double same = same_length(A, B);
  const Vec3& n = axis.normal;
  if (!straight_toward(A, -n, same, reference_) || !straight_toward(B, n, same, incident_)) return false;
  const Vec3 p = reference_.corners[0].p, q = incident_.corners[0].p;
  const Vec3 d = reference_.corners[1].p - p, e = incident_.corners[1].p - q;
  const double dd = dot(d, d), de = dot(d, e), x2 = dot(cross(d, e), cross(d, e));
  if (dd == 0 || x2 > kUpright * kUpright * dd * dot(e, e)) return false;
  // Along d from p: A from 0 to 1, B from s0 to s1.
  double s0 = dot(d, q - p) / dd, s1 = s0 + de / dd;
  int id0 = incident_.corners[0].id, id1 = incident_.corners[1].id;
  if (s0 > s1) std::swap(s0, s1), std::swap(id0, id1);
  if (std::min(s1, 1.0) - std::max(s0, 0.0) <= kSnap) return false;
  const auto add = [&](double s, std::uint32_t name) {
    const Vec3 a = p + s * d;
    const Vec3 b = q + ((s * dd - dot(d, q - p)) / de) * e;
    const double gap = dot(n, a - b) - A.radius - B.radius;
    if (gap <= margin) out.points.push_back({a - (A.radius + 0.5 * gap) * n, gap, name});
  };
  const auto of_a = [&](int k) { return kVertexOfA | static_cast<std::uint32_t>(reference_.corners[k].id); };
  const auto of_b = [](int id) { return kVertexOfB | static_cast<std::uint32_t>(id); };
  add(std::max(s0, 0.0), s0 > kSnap ? of_b(id0) : of_a(0));
  add(std::min(s1, 1.0), s1 < 1 - kSnap ? of_b(id1) : of_a(1));
  return true;
}

void ManifoldBuilder::build(const Convex& A, const Convex& B, const Axis& axis, double margin, Manifold& out) {
  out.points.clear();
  out.normal = axis.normal;
  if (axis.kind != Axis::Kind::general) return clip_to_face(A, B, axis, margin, out);
  if (pass_each_other(A, B, axis, margin, out)) return;
  const double gap = axis.gap - A.radius - B.radius;
  if (gap <= margin) out.points.push_back({axis.on_a - (A.radius + 0.5 * gap) * axis.normal, gap, kClosest});
}

}  // namespace catena
