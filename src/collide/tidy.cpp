#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "catena/collide/manifold.h"

namespace catena {
namespace {

// A polygon in the plane of the contact that grows by one point after the other.
class Outline {
 public:
  Outline(const std::vector<ManifoldPoint>& points, const Vec3& normal)
      : points_(points), u_(perpendicular(normal)), v_(cross(normal, u_)) {}

  // What point i would add: twice the area beyond the edges that see it; of a single point, the distance.
  double gain(std::size_t i) const {
    if (count_ == 1) return norm(points_[i].position - points_[corner_[0]].position);
    double sum = 0;
    for (std::size_t k = 0; k < count_; ++k) sum += std::max(0.0, beyond(k, i));
    return sum;
  }
  // Puts i in place of the edges that see it: one run of them, since the outline is convex.
  void add(std::size_t i) {
    if (count_ < 2) {
      corner_[count_++] = i;
      return;
    }
    std::size_t first = 0;
    while (first < count_ && !(beyond(first, i) > 0 && beyond((first + count_ - 1) % count_, i) <= 0)) ++first;
    if (first == count_) return;
    std::size_t run = 1;
    while (run < count_ && beyond((first + run) % count_, i) > 0) ++run;
    std::array<std::size_t, kMaxPoints + 1> grown{corner_[first], i};
    std::size_t count = 2;
    for (std::size_t k = run; k < count_; ++k) grown[count++] = corner_[(first + k) % count_];
    corner_ = grown;
    count_ = count;
  }

 private:
  double beyond(std::size_t k, std::size_t i) const {
    const Vec3 a = points_[corner_[k]].position;
    const Vec3 e = points_[corner_[(k + 1) % count_]].position - a, d = points_[i].position - a;
    return dot(u_, d) * dot(v_, e) - dot(v_, d) * dot(u_, e);
  }

  const std::vector<ManifoldPoint>& points_;
  Vec3 u_, v_;
  std::array<std::size_t, kMaxPoints + 1> corner_{};  // counter-clockwise
  std::size_t count_ = 0;
};

// The deepest point, of equals the one farthest out; then always the one that widens the outline most, until none does. The points kept
// come to the front.
void thin_out(double same, Manifold& m) {
  std::vector<ManifoldPoint>& p = m.points;
  Vec3 middle{};
  double deepest = std::numeric_limits<double>::infinity(), width = 0;
  for (const ManifoldPoint& q : p) {
    middle += q.position / static_cast<double>(p.size());
    deepest = std::min(deepest, q.gap);
  }
  for (const ManifoldPoint& q : p) width = std::max(width, norm(q.position - middle));
  Outline outline(p, m.normal);
  std::array<std::size_t, kMaxPoints> kept{};
  std::size_t count = 0;
  while (count < kMaxPoints) {
    std::size_t best = p.size();
    double most = count == 0 ? -1 : same * width;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (count == 0 && p[i].gap > deepest + same) continue;
      const double value = count == 0 ? norm(p[i].position - middle) : outline.gain(i);
      if (value > most + same * width) most = value, best = i;
    }
    if (best == p.size()) break;
    outline.add(best);
    kept[count++] = best;
  }
  std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) p[i] = p[kept[i]];
  p.resize(count);
}

}  // namespace

void tidy(double same, Manifold& m) {
  std::vector<ManifoldPoint>& p = m.points;
  std::size_t count = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto near = [&](const ManifoldPoint& q) { return norm(q.position - p[i].position) <= same; };
    if (std::none_of(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(count), near)) p[count++] = p[i];
  }
  p.resize(count);
  if (p.size() > kMaxPoints) thin_out(same, m);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto taken = [&](const ManifoldPoint& q) { return q.feature == p[i].feature; };
    while (std::any_of(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(i), taken)) p[i].feature += 1u << 16;
  }
}

}  // namespace catena
