#include "catena/model/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace catena {
namespace {

constexpr double kFlat = 1e-10;  // of the size of the set

struct Face {
  std::array<int, 3> corners;
  Vec3 normal;                 // unit, outward
  double offset;               // normal·x of the plane
  std::vector<int> outside{};  // points beyond it that no face made before has
};

Face make_face(const std::vector<Vec3>& p, int a, int b, int c) {
  const Vec3 n = cross(p[b] - p[a], p[c] - p[a]);
  const double length = norm(n);
  const Vec3 unit = length > 0 ? n / length : Vec3{};
  return {{a, b, c}, unit, dot(unit, p[a]), {}};
}

template <class Measure>
std::pair<int, double> farthest(const std::vector<Vec3>& points, const Measure& measure) {
  std::pair<int, double> best{0, -1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const double m = measure(points[i]); m > best.second) best = {static_cast<int>(i), m};
  }
  return best;
}

// Four points far from each other, to start from; empty when there are none.
std::vector<Face> first_tetrahedron(const std::vector<Vec3>& p, double size) {
  const Vec3 p0 = p[0];
  const int a = farthest(p, [&](const Vec3& x) { return norm(x - p0); }).first;
  const auto [b, length] = farthest(p, [&](const Vec3& x) { return norm(x - p[a]); });
  if (length <= kFlat * size) return {};
  const Vec3 along = normalized(p[b] - p[a]);
  const auto [c, width] = farthest(p, [&](const Vec3& x) { return norm(cross(along, x - p[a])); });
  if (width <= kFlat * size) return {};
  const Vec3 n = normalized(cross(along, p[c] - p[a]));
  auto [d, height] = farthest(p, [&](const Vec3& x) { return std::abs(dot(n, x - p[a])); });
  if (height <= kFlat * size) return {};
  const bool above = dot(n, p[d] - p[a]) > 0;
  const int b1 = above ? c : b, c1 = above ? b : c;  // the base looks away from d
  return {make_face(p, a, b1, c1), make_face(p, a, d, b1), make_face(p, b1, d, c1), make_face(p, c1, d, a)};
}

double height(const Face& face, const Vec3& x) { return dot(face.normal, x) - face.offset; }

// Gives every point to the first of the faces from `begin` on that it is beyond; points inside all of them are done with.
void hand_out(const std::vector<Vec3>& p, const std::vector<int>& points, double margin, std::vector<Face>& faces,
              std::size_t begin) {
  for (const int k : points)
    for (std::size_t f = begin; f < faces.size(); ++f)
      if (height(faces[f], p[k]) > margin) {
        faces[f].outside.push_back(k);
        break;
      }
}

// Replaces the faces that see point k by a fan from k to the rim of what it sees. Points they had beyond them go to the new ones.
void add_point(const std::vector<Vec3>& p, int k, double margin, std::vector<Face>& faces) {
  const auto sees = [&](const Face& f) { return height(f, p[k]) > margin; };
  std::set<std::pair<int, int>> edges;
  std::vector<int> homeless;
  for (const Face& f : faces) {
    if (!sees(f)) continue;
    for (int e = 0; e < 3; ++e) edges.emplace(f.corners[e], f.corners[(e + 1) % 3]);
    homeless.insert(homeless.end(), f.outside.begin(), f.outside.end());
  }
  std::erase_if(faces, sees);
  const std::size_t begin = faces.size();
  for (const auto& [from, to] : edges) {
    if (!edges.contains({to, from})) faces.push_back(make_face(p, from, to, k));
  }
  std::erase(homeless, k);
  hand_out(p, homeless, margin, faces, begin);
}

}  // namespace

std::vector<std::array<int, 3>> convex_hull(const std::vector<Vec3>& points, double flat) {
  if (points.size() < 4) return {};
  Vec3 low = points[0], high = points[0];
  for (const Vec3& x : points) {
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], x[i]);
      high[i] = std::max(high[i], x[i]);
    }
  }
  const double size = norm(high - low);
  std::vector<Face> faces = first_tetrahedron(points, size);
  if (faces.empty()) return {};
  std::vector<int> all(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) all[k] = static_cast<int>(k);
  const double margin = flat * size;
  hand_out(points, all, margin, faces, 0);
  // The farthest point of a face is a corner of the hull, so that what lies within is never looked at again (quickhull).
  for (bool found = true; found;) {
    found = false;
    for (std::size_t f = 0; f < faces.size() && !found; ++f) {
      const Face& face = faces[f];
      if (face.outside.empty()) continue;
      const int k = *std::max_element(face.outside.begin(), face.outside.end(),
                                      [&](int a, int b) { return height(face, points[a]) < height(face, points[b]); });
      add_point(points, k, margin, faces);
      found = true;
    }
  }
  std::vector<std::array<int, 3>> triangles;
  for (const Face& f : faces) triangles.push_back(f.corners);
  return triangles;
}

}  // namespace catena
