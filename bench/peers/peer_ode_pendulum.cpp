// ODE's rigid bodies on hinges with contacts: dWorldStep (a dense LCP of all rows) and dWorldQuickStep (20 sweeps, its default).
#include <ode/ode.h>

#include "pendulum.h"

namespace {

using namespace peers;

template <bool kQuick>
class World {
 public:
  explicit World(const Pendulum& p)
      : world_(dWorldCreate()), space_(dSimpleSpaceCreate(nullptr)), contacts_(dJointGroupCreate(0)) {
    constexpr unsigned kGround = 1, kSpheres = 2;
    dWorldSetGravity(world_, 0, 0, -kPendulumGravity);
    for (const dGeomID plane : {dCreatePlane(space_, 0, 0, 1, 0), dCreatePlane(space_, -1, 0, 0, -kWall)}) {
      dGeomSetCategoryBits(plane, kGround);
      dGeomSetCollideBits(plane, kSpheres);
    }
    const double s = std::sin(kStartAngle), c = std::cos(kStartAngle);
    for (int i = 0; i < p.n; ++i) {
      const double reach = (2 * i + 1) * p.radius, hinge = 2 * i * p.radius;
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, 1, 0, 0, 0, p.inertia, p.inertia, p.inertia, 0, 0, 0);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, -reach * s, 0, kBase - reach * c);
      // ω × r with ω along y.
      dBodySetLinearVel(body, -kStartRate * reach * c, 0, kStartRate * reach * s);
      dBodySetAngularVel(body, 0, kStartRate, 0);
      const dGeomID sphere = dCreateSphere(space_, p.radius);
      dGeomSetCategoryBits(sphere, kSpheres);
      dGeomSetCollideBits(sphere, kGround);
      dGeomSetBody(sphere, body);
      const dJointID joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, body, i == 0 ? nullptr : bodies_.back());
      dJointSetHingeAnchor(joint, -hinge * s, 0, kBase - hinge * c);
      dJointSetHingeAxis(joint, 0, 1, 0);
      joints_.push_back(joint);
      bodies_.push_back(body);
    }
  }
  ~World() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() {
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<World*>(self)->touch(a, b); });
    kQuick ? dWorldQuickStep(world_, kPendulumStep) : dWorldStep(world_, kPendulumStep);
    dJointGroupEmpty(contacts_);
  }
  Vec centre(int i) const {
    const dReal* c = dBodyGetPosition(bodies_[static_cast<std::size_t>(i)]);
    return {c[0], c[1], c[2]};
  }
  double gap() const {
    double worst = 0;
    for (const dJointID joint : joints_) {
      dVector3 a, b;
      dJointGetHingeAnchor(joint, a);
      dJointGetHingeAnchor2(joint, b);
      worst = std::max(worst, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
    return worst;
  }

 private:
  void touch(dGeomID a, dGeomID b) {
    dContact contact;
    if (dCollide(a, b, 1, &contact.geom, sizeof(dContact)) == 0) return;
    contact.surface.mode = dContactBounce | dContactApprox1;
    contact.surface.mu = kFriction;
    contact.surface.bounce = kRestitution;
    contact.surface.bounce_vel = 0.01;
    dJointAttach(dJointCreateContact(world_, contacts_, &contact), dGeomGetBody(a), dGeomGetBody(b));
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> joints_;
};

}  // namespace

int main() {
  dInitODE2(0);
  report_pendulum<World<true>>("quick step, ");
  report_pendulum<World<false>>("step, ");
  dCloseODE();
}
