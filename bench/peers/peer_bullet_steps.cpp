// Bullet's rigid bodies in double precision with btPoint2PointConstraint: sequential impulses, 10 iterations unless asked for more.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "stepped_tree.h"

namespace {

using namespace peers;

btVector3 bt(const Vec& v) { return {v.x, v.y, v.z}; }

template <int kIterations>
class World {
 public:
  explicit World(int joints) : tree_(tree(joints)), world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity(btVector3(0, 0, -kGravity));
    world_.getSolverInfo().m_numIterations = kIterations;
    const std::vector<Placed> places = placed(tree_);
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const TreeBody& b = tree_[i];
      auto& body = bodies_.emplace_back(std::make_unique<btRigidBody>(b.mass, nullptr, &shape_, bt(b.inertia)));
      body->setDamping(0, 0);
      body->setActivationState(DISABLE_DEACTIVATION);
      body->setWorldTransform(btTransform(btQuaternion(btVector3(0, 1, 0), places[i].angle), bt(places[i].centre)));
      world_.addRigidBody(body.get(), 0, 0);  // collides with nothing
      if (b.parent < 0) continue;
      const TreeBody& above = tree_[static_cast<std::size_t>(b.parent)];
      joints_.push_back(std::make_unique<btPoint2PointConstraint>(*bodies_[static_cast<std::size_t>(b.parent)], *body,
                                                                  btVector3(0, 0, -above.length / 2),
                                                                  btVector3(0, 0, b.length / 2)));
      world_.addConstraint(joints_.back().get(), true);
    }
  }
  ~World() {
    for (auto& joint : joints_) world_.removeConstraint(joint.get());
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }

  void torque(double t) { bodies_[0]->applyTorque(btVector3(0, t, 0)); }
  void step(double h) { world_.stepSimulation(h, 0); }
  double gap() const {
    double worst = 0;
    for (const auto& joint : joints_) {
      const btVector3 a = joint->getRigidBodyA().getWorldTransform() * joint->getPivotInA();
      const btVector3 b = joint->getRigidBodyB().getWorldTransform() * joint->getPivotInB();
      worst = std::max(worst, static_cast<double>(a.distance(b)));
    }
    return worst;
  }

 private:
  std::vector<TreeBody> tree_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  btSphereShape shape_{0.01};
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btPoint2PointConstraint>> joints_;
};

}  // namespace

static_assert(sizeof(btScalar) == sizeof(double), "Bullet's double-precision flavour");

int main() {
  for (const int n : {31, 63, 127, 255}) {
    report_steps<World<10>>("10 iterations", n);
    report_steps<World<1000>>("1000 iterations", n);
  }
}
