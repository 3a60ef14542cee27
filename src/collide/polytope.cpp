#include "catena/collide/polytope.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "catena/model/convex_hull.h"

namespace catena {
namespace {

constexpr double kFlat = 1e-9;  // of the size: what lies nearer to a plane lies in it

double size_of(const std::vector<Vec3>& points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  }
  return norm(high - low);
}

void add_face(Polytope& out, const std::vector<int>& loop, const Vec3& normal) {
  out.faces.push_back({static_cast<int>(out.corners.size()), static_cast<int>(loop.size()), normal});
  out.corners.insert(out.corners.end(), loop.begin(), loop.end());
}

// Every edge is met twice, once in each direction.
void find_edges(Polytope& out) {
  std::map<std::pair<int, int>, int> side;
  for (std::size_t f = 0; f < out.faces.size(); ++f) {
    const Polytope::Face& face = out.faces[f];
    for (int k = 0; k < face.count; ++k)
      side[{out.corners[face.first + k], out.corners[face.first + (k + 1) % face.count]}] = static_cast<int>(f);
  }
  for (const auto& [ends, left] : side) {
    const auto other = side.find({ends.second, ends.first});
    if (ends.first < ends.second && other != side.end())
      out.edges.push_back({ends.first, ends.second, left, other->second});
  }
}

// The farthest two points of a set on a line, or the one point it is.
Polytope line_polytope(const std::vector<Vec3>& points) {
  Polytope out;
  const auto far = [&](const Vec3& from) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3& a, const Vec3& b) { return norm(a - from) < norm(b - from); });
  };
  const Vec3 a = far(points[0]), b = far(a);
  out.vertices = {a};
  if (norm(b - a) > 0) {
    out.vertices.push_back(b);
    out.edges.push_back({0, 1, -1, -1});
  }
  return out;
}

// Points in one plane: their outline by wrapping, counter-clockwise about n, then both sides of it.
Polytope flat_polytope(const std::vector<Vec3>& points, const Vec3& n) {
  const Vec3 along = perpendicular(n);
  const auto lowest = std::min_element(points.begin(), points.end(),
                                       [&](const Vec3& a, const Vec3& b) { return dot(along, a) < dot(along, b); });
  Polytope out;
  Vec3 at = *lowest;
  do {
    out.vertices.push_back(at);
    Vec3 next = at;
    for (const Vec3& p : points) {
      const double turn = dot(n, cross(next - at, p - at));
      if (next == at || turn < 0 || (turn == 0 && norm(p - at) > norm(next - at))) next = p;
    }
    at = next;
  } while (at != *lowest && out.vertices.size() < points.size());
  std::vector<int> loop(out.vertices.size());
  for (std::size_t i = 0; i < loop.size(); ++i) loop[i] = static_cast<int>(i);
  add_face(out, loop, n);
  std::reverse(loop.begin(), loop.end());
  add_face(out, loop, -n);
  find_edges(out);
  return out;
}

// Triangles in one plane, and the rim of what they cover: the edges no neighbour in the plane walks back.
struct Facet {
  Vec3 normal;
  double offset;
  std::vector<std::array<int, 3>> triangles;

  std::vector<int> rim() const {
    std::map<int, int> next;
    std::set<std::pair<int, int>> edges;
    for (const auto& t : triangles) {
      for (int k = 0; k < 3; ++k) edges.emplace(t[k], t[(k + 1) % 3]);
    }
    for (const auto& [from, to] : edges) {
      if (!edges.contains({to, from})) next[from] = to;
    }
    std::vector<int> loop;
    for (int v = next.begin()->first; loop.size() < next.size(); v = next.at(v)) loop.push_back(v);
    return loop;
  }
};

std::vector<Facet> join_coplanar(const std::vector<Vec3>& p, const std::vector<std::array<int, 3>>& triangles,
                                 double tolerance) {
  std::vector<Facet> facets;
  for (const auto& t : triangles) {
    const Vec3 n = cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]);
    const auto in_plane = [&](const Facet& f) {
      return dot(n, f.normal) >= 0 && std::all_of(t.begin(), t.end(), [&](int v) {
               return std::abs(dot(f.normal, p[v]) - f.offset) <= tolerance;
             });
    };
    const auto found = std::find_if(facets.begin(), facets.end(), in_plane);
    if (found != facets.end()) {
      found->triangles.push_back(t);
    } else if (norm(n) > 0) {
      const Vec3 unit = normalized(n);
      facets.push_back({unit, dot(unit, p[t[0]]), {t}});
    }
  }
  return facets;
}

}  // namespace

Polytope box_polytope(const Vec3& sides) {
  Polytope out;
  for (int i = 0; i < 8; ++i)
    out.vertices.push_back(0.5 *
                           Vec3{i & 1 ? sides.x : -sides.x, i & 2 ? sides.y : -sides.y, i & 4 ? sides.z : -sides.z});
  // Face 2 axis + (1 for the positive side).
  add_face(out, {0, 4, 6, 2}, {-1, 0, 0});
  add_face(out, {1, 3, 7, 5}, {1, 0, 0});
  add_face(out, {0, 1, 5, 4}, {0, -1, 0});
  add_face(out, {2, 6, 7, 3}, {0, 1, 0});
  add_face(out, {0, 2, 3, 1}, {0, 0, -1});
  add_face(out, {4, 5, 7, 6}, {0, 0, 1});
  find_edges(out);
  return out;
}

Polytope hull_polytope(const std::vector<Vec3>& points) {
  if (points.empty()) return {};
  const double tolerance = kFlat * size_of(points);
  const std::vector<std::array<int, 3>> triangles = convex_hull(points);
  if (triangles.empty()) {
    Polytope line = line_polytope(points);
    if (line.vertices.size() < 2) return line;
    const Vec3 along = normalized(line.vertices[1] - line.vertices[0]);
    const Vec3 far = *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
      return norm(cross(along, a - line.vertices[0])) < norm(cross(along, b - line.vertices[0]));
    });
    const Vec3 n = cross(along, far - line.vertices[0]);
    if (norm(n) <= tolerance) return line;
    return flat_polytope(points, normalized(n));
  }
  Polytope out;
  std::map<int, int> kept;  // point -> vertex
  for (const Facet& facet : join_coplanar(points, triangles, tolerance)) {
    std::vector<int> loop = facet.rim();
    for (int& v : loop) {
      const auto [found, added] = kept.emplace(v, static_cast<int>(out.vertices.size()));
      if (added) out.vertices.push_back(points[v]);
      v = found->second;
    }
    add_face(out, loop, facet.normal);
  }
  find_edges(out);
  return out;
}

// Every vertex is compared with the plane of every triangle, but planes that were met lately, as those of a level height field are, once.
bool bounds_convex_solid(const std::vector<Vec3>& vertices, const std::vector<std::array<int, 3>>& triangles) {
  constexpr std::size_t kLately = 8;
  const double tolerance = kFlat * size_of(vertices);
  std::vector<std::pair<Vec3, double>> lately;  // unit normals and how far off the origin
  for (const auto& t : triangles) {
    const Vec3 n = cross(vertices[t[1]] - vertices[t[0]], vertices[t[2]] - vertices[t[0]]);
    const double length = norm(n);
    const auto same = [&](const std::pair<Vec3, double>& plane) {
      return dot(n, plane.first) > 0 &&
             std::all_of(t.begin(), t.end(), [&](int v) { return dot(plane.first, vertices[v]) == plane.second; });
    };
    if (std::any_of(lately.begin(), lately.end(), same)) continue;
    const auto outside = [&](const Vec3& p) { return dot(n, p - vertices[t[0]]) > tolerance * length; };
    if (std::any_of(vertices.begin(), vertices.end(), outside)) return false;
    if (!(length > 0)) continue;
    if (lately.size() == kLately) lately.erase(lately.begin());
    lately.emplace_back(n / length, dot(n / length, vertices[t[0]]));
  }
  // Closed: every edge is passed once in either direction.
  std::vector<std::pair<int, int>> edges, back;
  edges.reserve(3 * triangles.size());
  back.reserve(3 * triangles.size());
  for (const auto& t : triangles)
    for (int k = 0; k < 3; ++k) {
      edges.emplace_back(t[k], t[(k + 1) % 3]);
      back.emplace_back(t[(k + 1) % 3], t[k]);
    }
  std::sort(edges.begin(), edges.end());
  std::sort(back.begin(), back.end());
  return std::adjacent_find(edges.begin(), edges.end()) == edges.end() && edges == back;
}

void make_triangle(const std::array<Vec3, 3>& p, Polytope& out) {
  out.vertices.assign(p.begin(), p.end());
  out.corners.assign({0, 1, 2, 0, 2, 1});
  const Vec3 n = normalized(cross(p[1] - p[0], p[2] - p[0]));
  out.faces.assign({{0, 3, n}, {3, 3, -n}});
  out.edges.assign({{0, 1, 0, 1}, {1, 2, 0, 1}, {2, 0, 0, 1}});
}

}  // namespace catena
