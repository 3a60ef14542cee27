#include "catena/collide/surface.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace catena {
namespace {

constexpr double kLean = 1e-3;       // rad: normals this near to a limit are on it
constexpr double kOneNormal = 1e-6;  // 1 − cosine between normals of one patch
constexpr double kThin = 0.25;       // of a shape's thickness: how deep a seam may push it out of a face
constexpr double kPointDepth = 4;    // margins: a point without a size is felt this far behind a triangle

Vec3 normal_of(const std::vector<Vec3>& p, const std::array<int, 3>& t) {
  return normalized(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]));
}

std::vector<std::array<int, 3>> with_area(const Mesh& mesh) {
  std::vector<std::array<int, 3>> out;
  for (const auto& t : mesh.triangles) {
    const Vec3 d = mesh.vertices[t[1]] - mesh.vertices[t[0]], e = mesh.vertices[t[2]] - mesh.vertices[t[0]];
    if (norm(cross(d, e)) > 1e-12 * (dot(d, d) + dot(e, e))) out.push_back(t);
  }
  return out;
}

void place_triangle(const Surface& s, int t, Convex& out) {
  std::array<Vec3, 3> corners;
  for (std::size_t k = 0; k < 3; ++k) corners[k] = s.to_world(s.vertices[s.triangles[t][k]]);
  out.core = Core::polytope;
  out.sides.one_sided = true;
  // Corners relative to their middle, so that the triangle is small where it is.
  const Vec3 middle = (corners[0] + corners[1] + corners[2]) / 3;
  for (Vec3& c : corners) c -= middle;
  make_triangle(corners, out.local);
  measure(out);
  place(Mat3::identity(), middle, 1, out);
}

// The box of a shape in the coordinates of a surface.
Aabb local_bounds(const Surface& s, const Vec3& centre, const Aabb& world) {
  const Vec3 middle = 0.5 * (world.low + world.high), half = 0.5 * (world.high - world.low);
  const Vec3 c = transpose_times(s.R, middle - centre) / s.scale;
  Vec3 h;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = s.R.column(i);
    h[i] = (std::abs(axis.x) * half.x + std::abs(axis.y) * half.y + std::abs(axis.z) * half.z) / s.scale;
  }
  return {c - h, c + h};
}

// Whether n may push out of the triangle at the part of it that lies farthest along n: its face, a ridge, a rim.
bool may_push(const Surface& s, int t, const Convex& triangle, const Vec3& n, double same) {
  const auto& p = triangle.vertices;
  if (dot(n, triangle.normals[0]) < -kLean) return false;
  const double height[3] = {dot(n, p[0]), dot(n, p[1]), dot(n, p[2])};
  const double top = std::max({height[0], height[1], height[2]});
  const auto at_top = [&](int k) { return height[k % 3] >= top - same; };
  if (at_top(0) && at_top(1) && at_top(2)) return true;
  const bool edge_on_top = at_top(0) + at_top(1) + at_top(2) == 2;
  for (int k = 0; k < 3; ++k) {
    const bool touches = edge_on_top ? at_top(k) && at_top(k + 1) : at_top(k) || at_top(k + 1);
    const Surface::Seam& seam = s.seams[t][k];
    if (!touches || seam.open) continue;
    const Vec3 along = normalized(p[(k + 1) % 3] - p[k]);
    // Into the neighbour: along × its normal. Where the surface is flat or hollow only the face's normal passes both this and the triangle.
    if (dot(n, cross(along, s.R * seam.neighbour_normal)) > kLean) return false;
  }
  return true;
}

}  // namespace

Surface::Surface(const Mesh& mesh) : vertices(mesh.vertices), triangles(with_area(mesh)), tree(vertices, triangles) {
  std::map<std::pair<int, int>, int> side;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    normals.push_back(normal_of(vertices, triangles[t]));
    for (int k = 0; k < 3; ++k) side[{triangles[t][k], triangles[t][(k + 1) % 3]}] = static_cast<int>(t);
  }
  for (const Vec3& v : vertices) reach_1 = std::max(reach_1, norm(v));
  for (const auto& corners : triangles) {
    std::array<Seam, 3> around;
    for (int k = 0; k < 3; ++k) {
      const int from = corners[k], to = corners[(k + 1) % 3];
      const auto other = side.find({to, from});
      if (other == side.end()) {
        around[k].open = true;
        continue;
      }
      around[k].neighbour_normal = normals[other->second];
    }
    seams.push_back(around);
  }
}

Aabb bounds(const Surface& s, double margin) {
  Vec3 low = s.to_world(s.vertices[0]), high = low;
  for (const Vec3& v : s.vertices) {
    const Vec3 p = s.to_world(v);
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  }
  const Vec3 grow{margin, margin, margin};
  return {low - grow, high + grow};
}

void SurfacePhase::collide_triangle(Convex& A, const Surface& B, int t, double margin, std::uint64_t feature) {
  Convex& T = triangle_b_;
  place_triangle(B, t, T);
  T.sides.planar = A.sides.planar;
  const Vec3 n = T.normals[0];
  const double same = same_length(A, T), limit = margin + A.radius;
  // All of the shape behind the triangle: it is another triangle's to push it out.
  const double behind = A.core == Core::point && A.radius == 0 ? kPointDepth * margin : A.radius;
  if (dot(n, support(A, n) - T.vertices[0]) + behind < 0 || separation(A, T, n) > limit) return;

  narrow_.collide(A, T, margin + (A.radius == 0 ? behind : 0), manifold_);
  if (manifold_.points.empty()) return;
  if (!may_push(B, t, T, manifold_.normal, same)) {
    double nearest = manifold_.points[0].gap;
    for (const ManifoldPoint& p : manifold_.points) nearest = std::min(nearest, p.gap);
    builder_.build(A, T, {Axis::Kind::face_b, 0, n, 0, {}, {}}, margin, manifold_);
    tidy(same, manifold_);
    // Apart from the triangle, what lies under it is under the surface elsewhere; so is what lies deep under it.
    const double thick = dot(n, support(A, n) - support(A, -n)) + 2 * A.radius;
    const double deepest = nearest > same ? 0 : -kThin * thick;
    if (A.core != Core::point) std::erase_if(manifold_.points, [&](const ManifoldPoint& p) { return p.gap < deepest; });
  }
  for (const ManifoldPoint& p : manifold_.points) {
    if (p.gap <= margin) found_.push_back({p.position, manifold_.normal, p.gap, feature << 32 | p.feature});
  }
}

// Neighbouring triangles find the same points at their seams; what is left is thinned out patch by patch.
void SurfacePhase::emit(double same, std::vector<SurfacePoint>& out) {
  while (!found_.empty()) {
    manifold_.points.clear();
    features_.clear();
    const Vec3 normal = found_[0].normal;
    manifold_.normal = normal;
    std::erase_if(found_, [&](const SurfacePoint& p) {
      if (1 - dot(p.normal, normal) > kOneNormal) return false;
      manifold_.points.push_back({p.position, p.gap, static_cast<std::uint32_t>(features_.size())});
      features_.push_back(p.feature);
      return true;
    });
    tidy(same, manifold_);
    for (const ManifoldPoint& p : manifold_.points) out.push_back({p.position, normal, p.gap, features_[p.feature]});
  }
}

void SurfacePhase::collide(Convex& A, Surface& B, double margin, std::vector<SurfacePoint>& out) {
  found_.clear();
  B.tree.query(local_bounds(B, B.centre, bounds(A, kPointDepth * margin)), near_b_);
  for (const int t : near_b_) collide_triangle(A, B, t, margin, static_cast<std::uint64_t>(t));
  emit(kSame * A.reach, out);
}

void SurfacePhase::collide(Surface& A, Surface& B, double margin, std::vector<SurfacePoint>& out) {
  found_.clear();
  A.tree.query(local_bounds(A, A.centre, bounds(B, margin)), near_a_);
  for (const int a : near_a_) {
    place_triangle(A, a, triangle_a_);
    B.tree.query(local_bounds(B, B.centre, bounds(triangle_a_, margin)), near_b_);
    for (const int b : near_b_)
      collide_triangle(triangle_a_, B, b, margin, static_cast<std::uint64_t>(a) << 16 ^ static_cast<std::uint64_t>(b));
  }
  emit(kSame * A.reach(), out);
}

void SurfacePhase::collide_plane(const Surface& A, const Vec3& n, double offset, double margin,
                                 std::vector<SurfacePoint>& out) {
  if (dot(n, A.centre) - offset - A.reach() > margin) return;
  found_.clear();
  for (std::size_t i = 0; i < A.vertices.size(); ++i) {
    const Vec3 p = A.to_world(A.vertices[i]);
    const double gap = dot(n, p) - offset;
    if (gap <= margin) found_.push_back({p - 0.5 * gap * n, n, gap, kVertexOfA | i});
  }
  emit(kSame * A.reach(), out);
}

}  // namespace catena
