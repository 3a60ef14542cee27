// Signed distance of any two cores. When they penetrate, Bullet's EPA and the flat features give directions to begin with.
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

#include <cmath>
#include <limits>

#include "catena/collide/axis.h"
#include "catena/collide/closest.h"

namespace catena {
namespace {

constexpr double kApart = 1e-6;  // of the size: nearer than this the closest points give no accurate normal
constexpr double kClear = 0.02;  // of the size: far enough for an accurate normal, near enough to converge fast
constexpr double kDeep = 0.05;   // of the size
constexpr int kPushes = 40;
constexpr double kSettled = 1e-9;  // of the size

btVector3 to_bullet(const Vec3& v) { return {v.x, v.y, v.z}; }
Vec3 from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

// A core as Bullet sees it: its support function, relative to `origin`. It has no margin and no state.
class CoreShape final : public btConvexInternalShape {
 public:
  CoreShape(const Convex& shape, const Vec3& origin) : shape_(shape), origin_(origin) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    m_collisionMargin = 0;
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    return to_bullet(support(shape_, from_bullet(d)) - origin_);
  }
  btVector3 localGetSupportingVertex(const btVector3& d) const override {
    return localGetSupportingVertexWithoutMargin(d);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* d, btVector3* out, int count) const override {
    for (int i = 0; i < count; ++i) out[i] = localGetSupportingVertexWithoutMargin(d[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "core"; }

 private:
  const Convex& shape_;
  Vec3 origin_;
};

// From B to A, or up where they have one centre.
Vec3 toward_a(const Convex& A, const Convex& B) {
  const double size = A.reach + B.reach;
  const Vec3 toward = A.centre - B.centre;
  return dot(toward, toward) <= 1e-24 * size * size ? Vec3{0, 0, size} : toward;
}

// The direction by EPA; none when it fails, as it does now and then on curved shapes.
std::optional<Vec3> epa_direction(const Convex& A, const Convex& B, const Vec3& toward) {
  const Vec3 origin = A.centre;
  const CoreShape a(A, origin), b(B, origin);
  const btTransform here = btTransform::getIdentity();
  btGjkEpaSolver2::sResults found;
  if (!btGjkEpaSolver2::Penetration(&a, here, &b, here, to_bullet(-toward), found, false)) return {};
  const Vec3 n = from_bullet(found.normal);
  const double length = norm(n);
  if (!(length > 0.5)) return {};
  return n / length;
}

// Of the directions in which a flat or straight feature could be left, the one with the widest slab.
Vec3 first_direction(const Convex& A, const Convex& B, const Vec3& toward) {
  Vec3 best = normalized(toward);
  double widest = separation(A, B, best);
  const auto offer = [&](const Vec3& n) {
    if (const double gap = separation(A, B, n); gap > widest) widest = gap, best = n;
  };
  const auto offer_both = [&](const Vec3& n) { offer(n), offer(-n); };
  for (const Vec3& n : A.normals) offer(-n);
  for (const Vec3& n : B.normals) offer(n);
  for (const Convex* C : {&A, &B}) {
    if (C->core != Core::cylinder) continue;
    const Vec3 axis = C->R.column(2);
    offer_both(axis);
    const Vec3 aside = toward - dot(toward, axis) * axis;
    if (dot(aside, aside) > 1e-12 * dot(toward, toward)) offer(normalized(aside));
    for_each_line(C == &A ? B : A, [&](const Vec3& line) {
      const Vec3 x = cross(axis, line);
      if (const double length = norm(x); length > 1e-3) offer_both(x / length);
    });
  }
  return best;
}

}  // namespace

std::optional<Axis> distance_axis(const Convex& A, const Convex& B, double limit) {
  const Closest c = closest_points(A, B, {}, toward_a(A, B), limit);
  if (c.distance <= kApart * (A.reach + B.reach)) return {};
  return Axis{Axis::Kind::general, -1, c.normal, c.distance, c.on_a, c.on_b};
}

// Push A along n until the slab is kClear wide, and look for the closest points there: their normal's slab is never narrower,
//   n'·shift <= |shift|  and  distance >= kClear,  so  gap(n') = distance − n'·shift >= gap(n),
// and equal only where no direction nearby parts the cores better. EPA is asked for a better place to climb from where the directions
// of flat features are few for what they have to show: deep inside, or where edges may cross.
Axis general_axis(const Convex& A, const Convex& B, double limit) {
  if (const auto apart = distance_axis(A, B, limit)) return *apart;
  constexpr double kAnyDistance = std::numeric_limits<double>::infinity();
  const double size = A.reach + B.reach;
  const Vec3 toward = toward_a(A, B);
  Axis out;
  out.normal = first_direction(A, B, toward);
  out.gap = separation(A, B, out.normal);
  const bool flat = A.core != Core::cylinder && B.core != Core::cylinder;
  if (flat || out.gap < -kDeep * size) {
    if (const auto n = epa_direction(A, B, toward)) {
      const Vec3 m = separation(A, B, *n) < separation(A, B, -*n) ? -*n : *n;
      if (const double gap = separation(A, B, m); gap > out.gap) out.normal = m, out.gap = gap;
    }
  }
  for (int i = 0; i < kPushes; ++i) {
    const Vec3 shift = (kClear * size - out.gap) * out.normal;
    const Closest c = closest_points(A, B, shift, shift, kAnyDistance);
    if (c.distance == 0) break;
    const double gap = separation(A, B, c.normal);
    const bool settled = gap <= out.gap + kSettled * size;
    out.on_a = c.on_a, out.on_b = c.on_b;
    if (gap > out.gap) out.normal = c.normal, out.gap = gap;
    if (settled) break;
  }
  return out;
}

}  // namespace catena
