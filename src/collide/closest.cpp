#include "catena/collide/closest.h"

#include <array>
#include <cmath>

namespace catena {
namespace {

constexpr int kIterations = 200;
constexpr double kTight = 1e-13;  // of the size

struct Vertex {
  Vec3 w, a, b;  // w = a + shift − b
};

// Up to four vertices and the weights of the point of their hull nearest to the origin.
struct Simplex {
  std::array<Vertex, 4> vertex;
  std::array<double, 4> weight{};
  int count = 0;

  Vec3 sum(Vec3 Vertex::*part) const {
    Vec3 out;
    for (int i = 0; i < count; ++i) out += weight[i] * (vertex[i].*part);
    return out;
  }
};

// Weights of the point of the plane (line, space) through the vertices nearest to the origin: with e_k = w_k − w_0, minimise
// |w_0 + Σ t_k e_k|, whose normal equations have the Gram matrix of the e. False when the vertices are too close to dependent.
bool affine_weights(const std::array<const Vertex*, 4>& p, int count, std::array<double, 4>& weight) {
  Vec3 e[3];
  for (int k = 1; k < count; ++k) e[k - 1] = p[k]->w - p[0]->w;
  const Vec3 r = -p[0]->w;
  double t[3] = {0, 0, 0};
  if (count == 2) {
    const double ee = dot(e[0], e[0]);
    if (ee == 0) return false;
    t[0] = dot(e[0], r) / ee;
  } else if (count == 3) {
    const Vec3 n = cross(e[0], e[1]);
    const double nn = dot(n, n);
    if (nn <= 1e-24 * dot(e[0], e[0]) * dot(e[1], e[1])) return false;
    t[0] = dot(cross(r, e[1]), n) / nn;
    t[1] = dot(cross(e[0], r), n) / nn;
  } else if (count == 4) {
    const Vec3 n = cross(e[0], e[1]);
    const double det = dot(n, e[2]);
    if (det * det <= 1e-26 * dot(e[0], e[0]) * dot(e[1], e[1]) * dot(e[2], e[2])) return false;
    t[0] = dot(cross(r, e[1]), e[2]) / det;
    t[1] = dot(cross(e[0], r), e[2]) / det;
    t[2] = dot(n, r) / det;
  }
  weight[0] = 1;
  for (int k = 1; k < count; ++k) {
    weight[k] = t[k - 1];
    weight[0] -= t[k - 1];
  }
  return true;
}

// The subsets of up to three older vertices, bit by bit, in the order in which they are likely: two or one of them, all, none.
constexpr std::array<int, 8> kSubsets = {3, 5, 6, 1, 2, 4, 7, 0};

// The nearest point of the hull is the nearest point of the plane through the subset it lies inside of. Tries the subsets that hold the
// newest vertex, the last one, until one is proven nearest: no vertex lies before the plane across its nearest point. Keeps that subset,
// or the nearest of all where rounding proves none. False when no subset comes nearer than the square root of `least2`.
bool nearest_subset(Simplex& s, double least2) {
  const int newest = s.count - 1;
  std::array<double, 4> best_weight{}, weight{};
  int best = -1;
  for (const int mask : kSubsets) {
    if (mask >= 1 << newest) continue;
    std::array<const Vertex*, 4> chosen{&s.vertex[newest]};
    int count = 1;
    for (int i = 0; i < newest; ++i) {
      if (mask >> i & 1) chosen[count++] = &s.vertex[i];
    }
    if (!affine_weights(chosen, count, weight)) continue;
    bool inside = true;
    Vec3 v;
    for (int i = 0; i < count; ++i) {
      inside = inside && weight[i] > 0;
      v += weight[i] * chosen[i]->w;
    }
    const double v2 = dot(v, v);
    if (!inside || v2 >= least2) continue;
    best = mask;
    best_weight = weight;
    least2 = v2;
    bool proven = true;
    for (int i = 0; i < newest; ++i) proven = proven && (mask >> i & 1 || dot(v, s.vertex[i].w) >= v2);
    if (proven) break;
  }
  if (best < 0) return false;
  std::array<Vertex, 4> kept{s.vertex[newest]};
  s.count = 1;
  for (int i = 0; i < newest; ++i) {
    if (best >> i & 1) kept[s.count++] = s.vertex[i];
  }
  s.vertex = kept;
  s.weight = best_weight;
  return true;
}

}  // namespace

Closest closest_points(const Convex& A, const Convex& B, const Vec3& shift, const Vec3& toward, double limit) {
  const double size = A.reach + B.reach;
  const auto farthest = [&](const Vec3& v) {
    const Vec3 a = support(A, -v), b = support(B, v);
    return Vertex{(a - b) + shift, a, b};
  };
  Simplex s;
  s.vertex[0] = farthest(toward);
  s.weight[0] = 1;
  s.count = 1;
  Vec3 v = s.vertex[0].w;
  for (int i = 0; i < kIterations; ++i) {
    const double length = norm(v);
    if (s.count == 4 || length <= kTight * size) return {};
    const Vertex w = farthest(v);
    const double proven = dot(v, w.w) / length;
    if (proven > limit || length - proven <= kTight * size) break;
    Simplex grown = s;
    grown.vertex[grown.count++] = w;
    if (!nearest_subset(grown, dot(v, v))) break;
    s = grown;
    v = s.sum(&Vertex::w);
  }
  const double distance = norm(v);
  if (distance <= kTight * size) return {};
  return {distance, v / distance, s.sum(&Vertex::a), s.sum(&Vertex::b)};
}

}  // namespace catena
