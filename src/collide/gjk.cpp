// The door to Bullet's GJK and EPA.
#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

#include "catena/collide/axis.h"

namespace catena {
namespace {

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

}  // namespace

Axis general_axis(const Convex& A, const Convex& B) {
  const Vec3 origin = A.centre;
  const CoreShape a(A, origin), b(B, origin);
  const btTransform here = btTransform::getIdentity();
  Vec3 toward = B.centre - A.centre;
  if (dot(toward, toward) == 0) toward = {0, 0, 1};
  btGjkEpaSolver2::sResults found;
  Axis out;
  if (btGjkEpaSolver2::Distance(&a, here, &b, here, to_bullet(toward), found) && found.distance > same_length(A, B)) {
    out.on_a = origin + from_bullet(found.witnesses[0]);
    out.on_b = origin + from_bullet(found.witnesses[1]);
    out.gap = norm(out.on_a - out.on_b);
    out.normal = (out.on_a - out.on_b) / out.gap;
    return out;
  }
  // Touching cores may be either side of zero; EPA finds the shallowest way out.
  const bool deep = btGjkEpaSolver2::Penetration(&a, here, &b, here, to_bullet(toward), found, false);
  Vec3 n = deep ? from_bullet(found.normal) : -toward;
  n = dot(n, n) > 0 ? normalized(n) : normalized(-toward);
  if (separation(A, B, n) < separation(A, B, -n)) n = -n;
  out.normal = n;
  out.gap = separation(A, B, n);
  out.on_a = deep ? origin + from_bullet(found.witnesses[0]) : support(A, -n);
  out.on_b = out.on_a - out.gap * n;
  return out;
}

}  // namespace catena
