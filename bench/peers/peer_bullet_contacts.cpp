// Bullet's contacts in double precision: sequential impulses, 10 iterations, its default, and 100.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "contact_scene.h"

namespace {

using namespace peers;

btVector3 bt(const Vec& v) { return {v.x, v.y, v.z}; }

template <int kIterations>
class World {
 public:
  World(const PlainScene& scene, double h) : h_(h), world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity(btVector3(0, 0, -kGravity));
    world_.getSolverInfo().m_numIterations = kIterations;
    for (const PlainBody& b : scene.bodies) add(b.mass, bt(b.inertia), shape(b.shape), pose(b.shape), scene.friction);
    for (const PlainShape& s : scene.fixed) add(0, {0, 0, 0}, shape(s), pose(s), scene.friction);
    for (const PlainPlane& p : scene.planes) {
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(bt(p.normal), p.offset));
      add(0, {0, 0, 0}, shapes_.back().get(), btTransform::getIdentity(), scene.friction);
    }
    for (const PlainJoint& j : scene.joints) add(j);
  }
  ~World() {
    for (auto& joint : joints_) world_.removeConstraint(joint.get());
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() { world_.stepSimulation(h_, 0); }
  double overlap() {
    double deepest = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold* manifold = dispatcher_.getManifoldByIndexInternal(i);
      for (int k = 0; k < manifold->getNumContacts(); ++k)
        deepest = std::max(deepest, -static_cast<double>(manifold->getContactPoint(k).getDistance()));
    }
    return deepest;
  }
  double gap() const {
    double worst = 0;
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const btVector3 a = joints_[k]->getRigidBodyA().getWorldTransform() * pivots_[k].first;
      const btVector3 b = joints_[k]->getRigidBodyB().getWorldTransform() * pivots_[k].second;
      worst = std::max(worst, static_cast<double>(a.distance(b)));
    }
    return worst;
  }
  double speed() const {
    double most = 0;
    for (const auto& body : bodies_) most = std::max(most, static_cast<double>(body->getLinearVelocity().length()));
    return most;
  }

 private:
  static btTransform pose(const PlainShape& s) {
    return btTransform(btQuaternion(s.q[1], s.q[2], s.q[3], s.q[0]), bt(s.position));
  }
  btCollisionShape* shape(const PlainShape& s) {
    if (s.kind == "box") shapes_.push_back(std::make_unique<btBoxShape>(btVector3(s.a / 2, s.b / 2, s.c / 2)));
    else if (s.kind == "sphere") shapes_.push_back(std::make_unique<btSphereShape>(s.a));
    else if (s.kind == "capsule") shapes_.push_back(std::make_unique<btCapsuleShapeZ>(s.a, s.b));
    else shapes_.push_back(std::make_unique<btCylinderShapeZ>(btVector3(s.a, s.a, s.b / 2)));
    return shapes_.back().get();
  }
  void add(double mass, const btVector3& inertia, btCollisionShape* shape, const btTransform& at, double friction) {
    auto& body = bodies_.emplace_back(std::make_unique<btRigidBody>(mass, nullptr, shape, inertia));
    body->setWorldTransform(at);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setFriction(std::sqrt(friction));  // pairs multiply
    world_.addRigidBody(body.get());
  }
  void add(const PlainJoint& j) {
    btRigidBody &first = *bodies_[static_cast<std::size_t>(j.first)],
                &second = *bodies_[static_cast<std::size_t>(j.second)];
    const btTransform &A = first.getWorldTransform(), &B = second.getWorldTransform();
    const btVector3 a = A.inverse() * bt(j.anchor), b = B.inverse() * bt(j.anchor);
    pivots_.emplace_back(a, b);
    if (j.hinge) {
      const btVector3 axis_a = A.getBasis().transpose() * bt(j.axis), axis_b = B.getBasis().transpose() * bt(j.axis);
      joints_.push_back(std::make_unique<btHingeConstraint>(first, second, a, b, axis_a, axis_b));
    } else {
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(first, second, a, b));
    }
    world_.addConstraint(joints_.back().get(), true);
  }

  double h_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
  std::vector<std::pair<btVector3, btVector3>> pivots_;
};

}  // namespace

static_assert(sizeof(btScalar) == sizeof(double), "Bullet's double-precision flavour");

int main(int argc, char** argv) {
  if (argc < 7) return 1;
  report_contacts<World<10>>("10 iterations, ", argv);
  report_contacts<World<100>>("100 iterations, ", argv);
}
