// DART: joint coordinates, contacts as a boxed LCP by Dantzig's method, its own collision detection.
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <memory>

#include "pendulum.h"

namespace {

using namespace peers;
using namespace dart::dynamics;

class World {
 public:
  explicit World(const Pendulum& p) {
    const auto sphere = std::make_shared<SphereShape>(p.radius);
    BodyNode* last = nullptr;
    for (int i = 0; i < p.n; ++i) {
      RevoluteJoint::Properties joint;
      joint.mName = "hinge" + std::to_string(i);
      joint.mAxis = Eigen::Vector3d::UnitY();
      joint.mT_ParentBodyToJoint.translation().z() = i == 0 ? kBase : -p.radius;
      joint.mT_ChildBodyToJoint.translation().z() = p.radius;
      last = pendulum_
                 ->createJointAndBodyNodePair<RevoluteJoint>(last, joint,
                                                             BodyNode::AspectProperties("sphere" + std::to_string(i)))
                 .second;
      Inertia inertia;
      inertia.setMass(1);
      inertia.setMoment(p.inertia, p.inertia, p.inertia, 0, 0, 0);
      last->setInertia(inertia);
      set_surface(last->createShapeNodeWith<CollisionAspect, DynamicsAspect>(sphere), kRestitution);
    }
    pendulum_->disableSelfCollisionCheck();
    pendulum_->setPosition(0, kStartAngle);
    pendulum_->setVelocity(0, kStartRate);
    // In one skeleton that does not move, else floor and wall would touch each other.
    ground_->setMobile(false);
    add_box("floor", {100, 100, 2}, {0, 0, -1});
    add_box("wall", {2, 100, 100}, {kWall + 1, 0, 50});
    world_->setGravity(Eigen::Vector3d(0, 0, -kPendulumGravity));
    world_->setTimeStep(kPendulumStep);
    world_->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    world_->addSkeleton(pendulum_);
    world_->addSkeleton(ground_);
  }

  void step() { world_->step(); }
  Vec centre(int i) const {
    const Eigen::Vector3d c = pendulum_->getBodyNode(static_cast<std::size_t>(i))->getWorldTransform().translation();
    return {c.x(), c.y(), c.z()};
  }
  double gap() const { return 0; }

 private:
  static void set_surface(ShapeNode* shape, double restitution) {
    shape->getDynamicsAspect()->setFrictionCoeff(kFriction);
    shape->getDynamicsAspect()->setRestitutionCoeff(restitution);
  }
  void add_box(const std::string& name, const Eigen::Vector3d& sides, const Eigen::Vector3d& place) {
    WeldJoint::Properties joint;
    joint.mName = "weld of " + name;
    joint.mT_ParentBodyToJoint.translation() = place;
    BodyNode* const body =
        ground_->createJointAndBodyNodePair<WeldJoint>(nullptr, joint, BodyNode::AspectProperties(name)).second;
    set_surface(body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(std::make_shared<BoxShape>(sides)), 1);
  }

  SkeletonPtr pendulum_ = Skeleton::create("pendulum"), ground_ = Skeleton::create("ground");
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
};

}  // namespace

int main() { report_pendulum<World>(""); }
