// ODE's contacts: dWorldQuickStep with 20 sweeps, its default, and with 200.
#include <ode/ode.h>

#include "contact_scene.h"

namespace {

using namespace peers;

template <int kSweeps>
class World {
 public:
  World(const PlainScene& scene, double h)
      : h_(h),
        friction_(scene.friction),
        world_(dWorldCreate()),
        space_(dHashSpaceCreate(nullptr)),
        contacts_(dJointGroupCreate(0)) {
    dWorldSetGravity(world_, 0, 0, -kGravity);
    dWorldSetQuickStepNumIterations(world_, kSweeps);
    for (const PlainBody& b : scene.bodies) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.x, b.inertia.y, b.inertia.z, 0, 0, 0);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, b.shape.position.x, b.shape.position.y, b.shape.position.z);
      dBodySetQuaternion(body, b.shape.q);
      dGeomSetBody(geom(b.shape), body);
      bodies_.push_back(body);
    }
    for (const PlainShape& s : scene.fixed) {
      const dGeomID fixed = geom(s);
      dGeomSetPosition(fixed, s.position.x, s.position.y, s.position.z);
      dGeomSetQuaternion(fixed, s.q);
    }
    for (const PlainPlane& p : scene.planes) dCreatePlane(space_, p.normal.x, p.normal.y, p.normal.z, p.offset);
    for (const PlainJoint& j : scene.joints) add(j);
  }
  ~World() {
    dJointGroupDestroy(contacts_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() {
    overlap_ = 0;
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<World*>(self)->touch(a, b); });
    dWorldQuickStep(world_, h_);
    dJointGroupEmpty(contacts_);
  }
  double overlap() const { return overlap_; }
  double gap() const {
    double worst = 0;
    for (const dJointID joint : joints_) {
      dVector3 a, b;
      const bool ball = dJointGetType(joint) == dJointTypeBall;
      ball ? dJointGetBallAnchor(joint, a) : dJointGetHingeAnchor(joint, a);
      ball ? dJointGetBallAnchor2(joint, b) : dJointGetHingeAnchor2(joint, b);
      worst = std::max(worst, std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                        (a[2] - b[2]) * (a[2] - b[2])));
    }
    return worst;
  }
  double speed() const {
    double most = 0;
    for (const dBodyID body : bodies_) {
      const dReal* v = dBodyGetLinearVel(body);
      most = std::max(most, std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
  }

 private:
  dGeomID geom(const PlainShape& s) {
    if (s.kind == "box") return dCreateBox(space_, s.a, s.b, s.c);
    if (s.kind == "sphere") return dCreateSphere(space_, s.a);
    if (s.kind == "capsule") return dCreateCapsule(space_, s.a, s.b);
    return dCreateCylinder(space_, s.a, s.b);
  }
  void add(const PlainJoint& j) {
    const dBodyID first = j.first < 0 ? nullptr : bodies_[static_cast<std::size_t>(j.first)];
    const dJointID joint = j.hinge ? dJointCreateHinge(world_, nullptr) : dJointCreateBall(world_, nullptr);
    dJointAttach(joint, first, bodies_[static_cast<std::size_t>(j.second)]);
    if (j.hinge) {
      dJointSetHingeAnchor(joint, j.anchor.x, j.anchor.y, j.anchor.z);
      dJointSetHingeAxis(joint, j.axis.x, j.axis.y, j.axis.z);
    } else {
      dJointSetBallAnchor(joint, j.anchor.x, j.anchor.y, j.anchor.z);
    }
    joints_.push_back(joint);
  }
  void touch(dGeomID a, dGeomID b) {
    constexpr int kMost = 8;
    const dBodyID on_a = dGeomGetBody(a), on_b = dGeomGetBody(b);
    if ((!on_a && !on_b) || (on_a && on_b && dAreConnectedExcluding(on_a, on_b, dJointTypeContact))) return;
    dContact contact[kMost];
    const int count = dCollide(a, b, kMost, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contact[i].surface.mode = dContactApprox1;
      contact[i].surface.mu = friction_;
      overlap_ = std::max(overlap_, static_cast<double>(contact[i].geom.depth));
      dJointAttach(dJointCreateContact(world_, contacts_, &contact[i]), on_a, on_b);
    }
  }

  double h_, friction_, overlap_ = 0;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> bodies_;
  std::vector<dJointID> joints_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 1;
  dInitODE2(0);
  report_contacts<World<20>>("20 sweeps, ", argv);
  report_contacts<World<200>>("200 sweeps, ", argv);
  dCloseODE();
}
