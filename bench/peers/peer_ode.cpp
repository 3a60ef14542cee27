// ODE's rigid bodies with ball joints: dWorldStep (a dense LCP of all rows) and dWorldQuickStep (20 sweeps of successive over-relaxation).
#include <ode/ode.h>

#include "stepped_tree.h"

namespace {

using namespace peers;

template <bool kQuick>
class World {
 public:
  explicit World(int joints) : tree_(tree(joints)), world_(dWorldCreate()) {
    dWorldSetGravity(world_, 0, 0, -kGravity);
    dWorldSetCFM(world_, 0);
    const std::vector<Placed> places = placed(tree_);
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const TreeBody& b = tree_[i];
      const dBodyID body = dBodyCreate(world_);
      bodies_.push_back(body);
      dMass mass;
      dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.x, b.inertia.y, b.inertia.z, 0, 0, 0);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, places[i].centre.x, places[i].centre.y, places[i].centre.z);
      const dQuaternion q = {std::cos(places[i].angle / 2), 0, std::sin(places[i].angle / 2), 0};
      dBodySetQuaternion(body, q);
      dBodySetGyroscopicMode(body, 1);
      if (b.parent < 0) continue;
      const dJointID joint = dJointCreateBall(world_, nullptr);
      dJointAttach(joint, bodies_[static_cast<std::size_t>(b.parent)], body);
      dJointSetBallAnchor(joint, places[i].top.x, places[i].top.y, places[i].top.z);
      joints_.push_back(joint);
    }
  }
  ~World() { dWorldDestroy(world_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void torque(double t) { dBodyAddTorque(bodies_[0], 0, t, 0); }
  void step(double h) { kQuick ? dWorldQuickStep(world_, h) : dWorldStep(world_, h); }
  double gap() const {
    double worst = 0;
    for (const dJointID joint : joints_) {
      dVector3 a, b;
      dJointGetBallAnchor(joint, a);
      dJointGetBallAnchor2(joint, b);
      worst = std::max(worst, distance({a[0], a[1], a[2]}, {b[0], b[1], b[2]}));
    }
    return worst;
  }

 private:
  std::vector<TreeBody> tree_;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> joints_;
};

}  // namespace

int main() {
  dInitODE2(0);
  for (const int n : {31, 63, 127, 255}) {
    report_steps<World<true>>("quick step", n);
    report_steps<World<false>>("step", n);
  }
  dCloseODE();
}
