// Bullet (double precision, hinge constraints between rigid bodies, 10 iterations and 100) on the mechanisms of hold.h.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "hold.h"

namespace {

using namespace peers;

struct World {
  World(int iterations, const Vec& g) : world(&dispatcher, &broadphase, &solver, &configuration) {
    world.setGravity(btVector3(g.x, g.y, g.z));
    world.getSolverInfo().m_numIterations = iterations;
  }
  ~World() {
    for (auto& joint : joints) world.removeConstraint(joint.get());
    for (auto& body : bodies) world.removeRigidBody(body.get());
  }
  btRigidBody& add(double mass, const Vec& inertia, btCollisionShape* shape, const btTransform& at, bool touches) {
    auto& body = bodies.emplace_back(
        std::make_unique<btRigidBody>(mass, nullptr, shape, btVector3(inertia.x, inertia.y, inertia.z)));
    body->setWorldTransform(at);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setFriction(std::sqrt(kSlopeFriction));  // pairs multiply
    world.addRigidBody(body.get(), 1, touches ? 1 : 0);
    return *body;
  }
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  std::vector<std::unique_ptr<btTypedConstraint>> joints;
};

double bars(int iterations) {
  World w(iterations, {0, 0, -kGravity});
  btSphereShape unused(0.01);
  const auto add = [&](const Bar& b) -> btRigidBody& {
    const btVector3 middle(b.from.x + b.length / 2 * std::cos(b.lean), 0, b.from.z + b.length / 2 * std::sin(b.lean));
    return w.add(b.mass, box_inertia(b.mass, b.length, kBarThickness, kBarThickness), &unused,
                 btTransform(btQuaternion(btVector3(0, 1, 0), -b.lean), middle), false);
  };
  btRigidBody &crank = add(kCrank), &coupler = add(kCoupler), &rocker = add(kRocker);
  struct Anchor {
    btRigidBody *a, *b;  // a null: the ground
    btVector3 in_a, in_b;
  };
  std::vector<Anchor> anchors;
  const auto join = [&](btRigidBody* a, btRigidBody& b, const Vec& at) {
    const btVector3 p(at.x, at.y, at.z), in_b = b.getWorldTransform().inverse() * p;
    const btVector3 in_a = a ? a->getWorldTransform().inverse() * p : p, y(0, 1, 0);
    anchors.push_back({a, &b, in_a, in_b});
    if (a) w.joints.push_back(std::make_unique<btHingeConstraint>(*a, b, in_a, in_b, y, y));
    else w.joints.push_back(std::make_unique<btHingeConstraint>(b, in_b, y));
    w.world.addConstraint(w.joints.back().get(), true);
  };
  join(nullptr, crank, {0, 0, 0});
  join(&crank, coupler, kCrankPin);
  join(&coupler, rocker, kRockerPin);
  join(nullptr, rocker, kRockerPivot);
  double worst = 0;
  for (int i = 0; i < std::lround(kBarsTime / kBarsStep); ++i) {
    w.world.stepSimulation(kBarsStep, 0);
    for (const Anchor& k : anchors) {
      const btVector3 a = k.a ? k.a->getWorldTransform() * k.in_a : k.in_a, b = k.b->getWorldTransform() * k.in_b;
      worst = std::max(worst, static_cast<double>(a.distance(b)));
    }
  }
  return worst;
}

double slope(int iterations) {
  World w(iterations, slope_gravity());
  btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
  btBoxShape box(btVector3(kCube / 2, kCube / 2, kCube / 2));
  w.add(0, {0, 0, 0}, &plane, btTransform::getIdentity(), true);
  btTransform at = btTransform::getIdentity();
  at.setOrigin(btVector3(0, 0, kCube / 2));
  const btRigidBody& body = w.add(1, box_inertia(1, kCube, kCube, kCube), &box, at, true);
  double from = 0;
  const int first = static_cast<int>(std::lround(kSlopeBegin / kSlopeStep)),
            all = first + static_cast<int>(std::lround(kSlopeTime / kSlopeStep));
  for (int i = 0; i < all; ++i) {
    w.world.stepSimulation(kSlopeStep, 0);
    if (i < first) from = body.getWorldTransform().getOrigin().x();
  }
  return body.getWorldTransform().getOrigin().x() - from;
}

}  // namespace

static_assert(sizeof(btScalar) == sizeof(double), "Bullet's double-precision flavour");

int main() {
  report_bars("10 iterations", bars(10));
  report_bars("100 iterations", bars(100));
  report_slope("10 iterations", slope(10));
  report_slope("100 iterations", slope(100));
}
