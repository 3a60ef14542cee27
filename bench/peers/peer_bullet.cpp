// Bullet's btMultiBody in double precision: the articulated-body algorithm in reduced coordinates.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include "common.h"

namespace {

using namespace peers;

btVector3 bt(const Vec& v) { return {v.x, v.y, v.z}; }

// The algorithm and its scratch space. Gravity is a force on every body, as btMultiBodyDynamicsWorld applies it.
struct Evaluation {
  void run(btMultiBody& body) {
    body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, numbers, vectors, matrices, false, false, false);
  }
  // Six of the base (angular first), then the joints'.
  double acceleration(const btMultiBody& body, int i) const { return numbers[body.getNumDofs() + i]; }

  btAlignedObjectArray<btScalar> numbers;
  btAlignedObjectArray<btVector3> vectors;
  btAlignedObjectArray<btMatrix3x3> matrices;
};

void undamped(btMultiBody& body) {
  body.finalizeMultiDof();
  body.setLinearDamping(0);
  body.setAngularDamping(0);
  body.setMaxCoordinateVelocity(1e30);
}

class Hinges {
 public:
  explicit Hinges(const std::vector<HingeLink>& links)
      : n_(static_cast<int>(links.size())), body_(n_, 0, btVector3(0, 0, 0), true, false) {
    for (int i = 0; i < n_; ++i) {
      const HingeLink& link = links[static_cast<std::size_t>(i)];
      // Bullet measures from the parent's centre of mass.
      btVector3 to_hinge = bt(link.hinge);
      if (link.parent >= 0) to_hinge -= bt(links[static_cast<std::size_t>(link.parent)].centre);
      body_.setupRevolute(i, link.mass, bt(link.inertia), link.parent, btQuaternion(0, 0, 0, 1), bt(link.axis),
                          to_hinge, bt(link.centre), true);
      rates_.push_back(rate(i));
    }
    undamped(body_);
    for (int i = 0; i < n_; ++i)
      body_.addLinkForce(i, btVector3(0, 0, -kGravity * links[static_cast<std::size_t>(i)].mass));
  }

  void evaluate(int k) {
    for (int i = 0; i < n_; ++i) {
      body_.setJointPos(i, kAngles[k]);
      body_.setJointVel(i, rates_[static_cast<std::size_t>(i)]);
    }
    evaluation_.run(body_);
  }

  double largest() const {
    double a = 0;
    for (int i = 0; i < n_; ++i) a = std::max(a, std::abs(evaluation_.acceleration(body_, 6 + i)));
    return a;
  }

 private:
  int n_;
  btMultiBody body_;
  Evaluation evaluation_;
  std::vector<double> rates_;
};

class Tree {
 public:
  explicit Tree(int n) : n_(n), bodies_(tree(n)), body_(n, bodies_[0].mass, bt(bodies_[0].inertia), false, false) {
    for (int i = 1; i <= n; ++i) {
      const TreeBody& b = at(i);
      // Bullet's rotation takes the parent's coordinates to the child's.
      body_.setupSpherical(i - 1, b.mass, bt(b.inertia), b.parent - 1, btQuaternion(btVector3(0, 1, 0), -b.lean),
                           btVector3(0, 0, -at(b.parent).length / 2), btVector3(0, 0, -b.length / 2), true);
    }
    undamped(body_);
    body_.addBaseForce(btVector3(0, 0, -kGravity * bodies_[0].mass));
    for (int i = 1; i <= n; ++i) body_.addLinkForce(i - 1, btVector3(0, 0, -kGravity * at(i).mass));
    for (int i = 0; i < 3 * n + 6; ++i) rates_.push_back(rate(i));
  }

  void evaluate(int k) {
    const Turn turn(kAngles[k]);
    set(turn, rates_);
    evaluation_.run(body_);
  }

  double root_spin(double torque) {
    set(Turn(0), std::vector<double>(rates_.size(), 0.0));
    body_.addBaseTorque(btVector3(torque, 0, 0));
    evaluation_.run(body_);
    body_.addBaseTorque(btVector3(-torque, 0, 0));
    return evaluation_.acceleration(body_, 0);
  }

 private:
  const TreeBody& at(int i) const { return bodies_[static_cast<std::size_t>(i)]; }

  void set(const Turn& turn, const std::vector<double>& rates) {
    const double* r = rates.data();
    body_.setBasePos(btVector3(0, 0, 0));
    body_.setBaseOmega(btVector3(r[0], r[1], r[2]));
    body_.setBaseVel(btVector3(r[3], r[4], r[5]));
    const double q[] = {turn.x, 0, 0, turn.w};
    for (int i = 0; i < n_; ++i) {
      body_.setJointPosMultiDof(i, q);
      body_.setJointVelMultiDof(i, r + 6 + 3 * i);
    }
  }

  int n_;
  std::vector<TreeBody> bodies_;
  btMultiBody body_;
  Evaluation evaluation_;
  std::vector<double> rates_;
};

}  // namespace

static_assert(sizeof(btScalar) == sizeof(double), "Bullet's double-precision flavour");

int main(int argc, char** argv) { return peers::run<Hinges, Tree>("bullet", 2048, argc, argv); }
