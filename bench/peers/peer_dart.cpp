// DART: Skeleton::computeForwardDynamics, the articulated-body algorithm in reduced coordinates.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>

#include "common.h"

namespace {

using namespace peers;
using dart::dynamics::BodyNode;

struct Evaluation {
  dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create("peer");
  Eigen::VectorXd q[kAngleCount], rates;

  void finish() {
    skeleton->setGravity(Eigen::Vector3d(0, 0, -kGravity));
    rates.resize(static_cast<Eigen::Index>(skeleton->getNumDofs()));
    for (int i = 0; i < rates.size(); ++i) rates[i] = rate(i);
  }

  void run(int k) {
    skeleton->setPositions(q[k]);
    skeleton->setVelocities(rates);
    skeleton->computeForwardDynamics();
  }
};

Eigen::Isometry3d at_height(double z) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.translation().z() = z;
  return X;
}

template <class Joint>
BodyNode* add(Evaluation& e, BodyNode* parent, typename Joint::Properties joint) {
  const std::string number = std::to_string(e.skeleton->getNumBodyNodes());
  joint.mName = "joint" + number;
  return e.skeleton->createJointAndBodyNodePair<Joint>(parent, joint, BodyNode::AspectProperties("body" + number))
      .second;
}

Eigen::Vector3d eigen(const Vec& v) { return {v.x, v.y, v.z}; }

void set_inertia(BodyNode* body, double mass, const Vec& I, const Vec& centre) {
  dart::dynamics::Inertia inertia;
  inertia.setMass(mass);
  inertia.setLocalCOM(eigen(centre));
  inertia.setMoment(I.x, I.y, I.z, 0, 0, 0);
  body->setInertia(inertia);
}

class Hinges {
 public:
  explicit Hinges(const std::vector<HingeLink>& links) {
    std::vector<BodyNode*> made;
    for (const HingeLink& link : links) {
      dart::dynamics::RevoluteJoint::Properties joint;
      joint.mAxis = eigen(link.axis);
      joint.mT_ParentBodyToJoint.translation() = eigen(link.hinge);
      BodyNode* const parent = link.parent < 0 ? nullptr : made[static_cast<std::size_t>(link.parent)];
      made.push_back(add<dart::dynamics::RevoluteJoint>(e_, parent, joint));
      set_inertia(made.back(), link.mass, link.inertia, link.centre);
    }
    e_.finish();
    const auto n = static_cast<Eigen::Index>(links.size());
    for (int k = 0; k < kAngleCount; ++k) e_.q[k] = Eigen::VectorXd::Constant(n, kAngles[k]);
  }

  void evaluate(int k) { e_.run(k); }
  double largest() const { return e_.skeleton->getAccelerations().lpNorm<Eigen::Infinity>(); }

 private:
  Evaluation e_;
};

class Tree {
 public:
  explicit Tree(int n) {
    const std::vector<TreeBody> bodies = tree(n);
    std::vector<BodyNode*> made;
    for (const TreeBody& b : bodies) {
      if (b.parent < 0) {
        made.push_back(add<dart::dynamics::FreeJoint>(e_, nullptr, {}));
      } else {
        const auto parent = static_cast<std::size_t>(b.parent);
        dart::dynamics::BallJoint::Properties joint;
        joint.mT_ParentBodyToJoint =
            at_height(-bodies[parent].length / 2) * Eigen::AngleAxisd(b.lean, Eigen::Vector3d::UnitY());
        joint.mT_ChildBodyToJoint = at_height(b.length / 2);
        made.push_back(add<dart::dynamics::BallJoint>(e_, made[parent], joint));
      }
      set_inertia(made.back(), b.mass, b.inertia, {0, 0, 0});
    }
    e_.finish();
    for (int k = 0; k < kAngleCount; ++k) {
      e_.q[k] = Eigen::VectorXd::Zero(e_.rates.size());
      for (int i = 0; i < n; ++i) e_.q[k][6 + 3 * i] = kAngles[k];  // rotation vectors
    }
  }

  void evaluate(int k) { e_.run(k); }
  double root_spin(double torque) {
    const Eigen::VectorXd rates = e_.rates;
    e_.rates.setZero();
    e_.skeleton->getBodyNode(0)->addExtTorque(Eigen::Vector3d(torque, 0, 0), false);
    e_.run(0);
    e_.skeleton->clearExternalForces();
    e_.rates = rates;
    return e_.skeleton->getAcceleration(0);
  }

 private:
  Evaluation e_;
};

}  // namespace

// A skeleton allocates its mass matrices anew with every body it gets: that is what takes so long to build. Memory kept by malloc
// (M_MMAP_MAX = 0) builds ten times faster, but scatters the bodies, and the dynamics are slower for it.
int main(int argc, char** argv) { return peers::run<Hinges, Tree>("dart", 512, argc, argv); }
