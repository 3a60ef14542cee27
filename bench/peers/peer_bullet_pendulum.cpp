// Bullet's btMultiBody with contacts, in double precision: joint coordinates and sequential impulses, 10 iterations, its default.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "pendulum.h"

namespace {

using namespace peers;

class World {
 public:
  explicit World(const Pendulum& p)
      : world_(&dispatcher_, &broadphase_, &solver_, &configuration_),
        body_(p.n, 0, btVector3(0, 0, 0), true, false),
        sphere_(p.radius) {
    constexpr int kGround = 1, kSpheres = 2;
    world_.setGravity(btVector3(0, 0, -kPendulumGravity));
    body_.setBasePos(btVector3(0, 0, kBase));
    for (int i = 0; i < p.n; ++i)
      body_.setupRevolute(i, 1, btVector3(p.inertia, p.inertia, p.inertia), i - 1, btQuaternion(0, 0, 0, 1),
                          btVector3(0, 1, 0), btVector3(0, 0, i == 0 ? 0 : -p.radius), btVector3(0, 0, -p.radius),
                          true);
    body_.finalizeMultiDof();
    body_.setLinearDamping(0);
    body_.setAngularDamping(0);
    body_.setMaxCoordinateVelocity(1e30);
    body_.setCanSleep(false);
    body_.setJointPos(0, kStartAngle);
    body_.setJointVel(0, kStartRate);
    world_.addMultiBody(&body_);
    for (int i = 0; i < p.n; ++i) {
      links_.push_back(std::make_unique<btMultiBodyLinkCollider>(&body_, i));
      links_.back()->setCollisionShape(&sphere_);
      links_.back()->setFriction(kFriction);  // pairs multiply, and the ground has ones
      links_.back()->setRestitution(kRestitution);
      body_.getLink(i).m_collider = links_.back().get();
      world_.addCollisionObject(links_.back().get(), kSpheres, kGround);
    }
    btAlignedObjectArray<btQuaternion> rotations;
    btAlignedObjectArray<btVector3> places;
    body_.forwardKinematics(rotations, places);
    body_.updateCollisionObjectWorldTransforms(rotations, places);
    for (btRigidBody* fixed : {&floor_, &wall_}) {
      fixed->setFriction(1);
      fixed->setRestitution(1);
      world_.addRigidBody(fixed, kGround, kSpheres);
    }
  }
  ~World() {
    for (btRigidBody* fixed : {&floor_, &wall_}) world_.removeRigidBody(fixed);
    for (const auto& link : links_) world_.removeCollisionObject(link.get());
    world_.removeMultiBody(&body_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() { world_.stepSimulation(kPendulumStep, 0); }
  Vec centre(int i) const {
    const btVector3& c = links_[static_cast<std::size_t>(i)]->getWorldTransform().getOrigin();
    return {c.x(), c.y(), c.z()};
  }
  double gap() const { return 0; }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_;
  btMultiBody body_;
  btSphereShape sphere_;
  btStaticPlaneShape floor_shape_{btVector3(0, 0, 1), 0}, wall_shape_{btVector3(-1, 0, 0), -kWall};
  btRigidBody floor_{0, nullptr, &floor_shape_}, wall_{0, nullptr, &wall_shape_};
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> links_;
};

}  // namespace

static_assert(sizeof(btScalar) == sizeof(double), "Bullet's double-precision flavour");

int main() { report_pendulum<World>(""); }
