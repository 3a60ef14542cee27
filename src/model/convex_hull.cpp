#include "catena/model/convex_hull.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace catena {
namespace {

constexpr double kFlat = 1e-10;  // of the size of the set

struct Face {
  std::array<int, 3> corners;
  Vec3 normal;                 // unit, outward
  double offset;               // normal·x of the plane
  std::vector<int> outside{};  // points beyond it that no face made before has
  double beyond = 0;           // height of the farthest of them
  bool gone = false;
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

// Quickhull (Barber, Dobkin, Huhdanpaa 1996): every point beyond a face waits at one of them; the farthest of all becomes the next corner.
class Growing {
 public:
  Growing(const std::vector<Vec3>& points, double margin, const std::vector<Face>& first)
      : p_(points), margin_(margin) {
    for (const Face& face : first) add(face);
    std::vector<int> all(points.size());
    std::iota(all.begin(), all.end(), 0);
    hand_out(all, 0);
  }

  // Adds the farthest point, unless it is no farther than `enough`.
  bool grow(double enough) {
    int best = -1;
    for (std::size_t f = 0; f < faces_.size(); ++f)
      if (faces_[f].beyond > enough) best = static_cast<int>(f), enough = faces_[f].beyond;
    if (best < 0) return false;
    const Face& face = faces_[static_cast<std::size_t>(best)];
    const auto higher = [&](int a, int b) { return height(face, p_[a]) < height(face, p_[b]); };
    add_point(*std::max_element(face.outside.begin(), face.outside.end(), higher), best);
    return true;
  }

  std::vector<std::array<int, 3>> triangles() const {
    std::vector<std::array<int, 3>> out;
    for (const Face& f : faces_)
      if (!f.gone) out.push_back(f.corners);
    return out;
  }

 private:
  static std::uint64_t edge(int from, int to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  }
  static int next(int e) { return e == 2 ? 0 : e + 1; }

  void add(const Face& face) {
    for (int e = 0; e < 3; ++e) across_[edge(face.corners[e], face.corners[next(e)])] = static_cast<int>(faces_.size());
    faces_.push_back(face);
  }

  // Gives every point to the first of the faces from `begin` on that it is beyond; points inside all of them are done with.
  void hand_out(const std::vector<int>& points, std::size_t begin) {
    for (const int k : points)
      for (std::size_t f = begin; f < faces_.size(); ++f) {
        const double above = height(faces_[f], p_[k]);
        if (!(above > margin_)) continue;
        faces_[f].outside.push_back(k);
        faces_[f].beyond = std::max(faces_[f].beyond, above);
        break;
      }
  }

  // Replaces the faces that see point k, which hang together with face `from`, by a fan from k to the rim of what it sees.
  void add_point(int k, int from) {
    std::vector<int> seen{from}, homeless;
    std::vector<std::pair<int, int>> rim;
    faces_[static_cast<std::size_t>(from)].gone = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Face& face = faces_[static_cast<std::size_t>(seen[i])];
      homeless.insert(homeless.end(), face.outside.begin(), face.outside.end());
      for (int e = 0; e < 3; ++e) {
        const int a = face.corners[e], b = face.corners[next(e)], other = across_.at(edge(b, a));
        Face& neighbour = faces_[static_cast<std::size_t>(other)];
        if (neighbour.gone) continue;
        if (height(neighbour, p_[k]) > margin_) {
          neighbour.gone = true;
          seen.push_back(other);
        } else {
          rim.emplace_back(a, b);
        }
      }
    }
    for (const int f : seen) {
      faces_[static_cast<std::size_t>(f)].outside = {};
      faces_[static_cast<std::size_t>(f)].beyond = 0;
    }
    const std::size_t begin = faces_.size();
    for (const auto& [a, b] : rim) add(make_face(p_, a, b, k));
    std::erase(homeless, k);
    hand_out(homeless, begin);
  }

  const std::vector<Vec3>& p_;
  double margin_;
  std::vector<Face> faces_;                        // those that are gone keep their places
  std::unordered_map<std::uint64_t, int> across_;  // an edge to the face on its left
};

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
  const std::vector<Face> faces = first_tetrahedron(points, size);
  if (faces.empty()) return {};
  Growing hull(points, kFlat * size, faces);
  while (hull.grow(flat * size)) {
  }
  return hull.triangles();
}

}  // namespace catena
