// Simbody: realize(Stage::Acceleration), Jain's articulated-body recursion in reduced coordinates.
#include <Simbody.h>

#include "common.h"

namespace {

using namespace peers;
using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;
using SimTK::Vector;

struct System {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, Vec3(0, 0, -kGravity)};
  SimTK::Force::DiscreteForces discrete{forces, matter};
  SimTK::State state;
  Vector q[kAngleCount], u;

  void finish() {
    state = system.realizeTopology();
    system.realizeModel(state);
    u.resize(state.getNU());
    for (int i = 0; i < u.size(); ++i) u[i] = rate(i);
  }

  void evaluate(int k) {
    state.updQ() = q[k];
    state.updU() = u;
    system.realize(state, SimTK::Stage::Acceleration);
  }
};

// `centre`: in the body's frame. The inertia that Simbody wants is about the frame's origin.
SimTK::Body::Rigid rigid(double mass, const Vec& inertia, const Vec3& centre) {
  const SimTK::Inertia central(inertia.x, inertia.y, inertia.z);
  return SimTK::Body::Rigid(SimTK::MassProperties(mass, centre, central.shiftFromMassCenter(centre, mass)));
}

class Hinges {
 public:
  explicit Hinges(const std::vector<HingeLink>& links) {
    const auto vec = [](const Vec& v) { return Vec3(v.x, v.y, v.z); };
    std::vector<MobilizedBody> made;
    for (const HingeLink& link : links) {
      const SimTK::Rotation frame(SimTK::UnitVec3(vec(link.axis)), SimTK::ZAxis);  // a Pin turns about z
      MobilizedBody parent = s_.matter.Ground();
      if (link.parent >= 0) parent = made[static_cast<std::size_t>(link.parent)];
      made.push_back(MobilizedBody::Pin(parent, Transform(frame, vec(link.hinge)),
                                        rigid(link.mass, link.inertia, vec(link.centre)), Transform(frame, Vec3(0))));
    }
    s_.finish();
    for (int k = 0; k < kAngleCount; ++k) s_.q[k] = Vector(static_cast<int>(links.size()), kAngles[k]);
  }

  void evaluate(int k) { s_.evaluate(k); }
  double largest() const { return s_.state.getUDot().normInf(); }

 private:
  System s_;
};

class Tree {
 public:
  explicit Tree(int n) {
    const std::vector<TreeBody> bodies = tree(n);
    std::vector<MobilizedBody> made;
    for (const TreeBody& b : bodies) {
      const SimTK::Body::Rigid body = rigid(b.mass, b.inertia, Vec3(0));
      if (b.parent < 0) {
        made.push_back(MobilizedBody::Free(s_.matter.Ground(), Transform(), body, Transform()));
        continue;
      }
      const auto parent = static_cast<std::size_t>(b.parent);
      const Transform hang(SimTK::Rotation(b.lean, SimTK::YAxis), Vec3(0, 0, -bodies[parent].length / 2));
      made.push_back(MobilizedBody::Ball(made[parent], hang, body, Transform(Vec3(0, 0, b.length / 2))));
    }
    root_ = made[0];
    s_.finish();
    for (int k = 0; k < kAngleCount; ++k) {
      s_.q[k] = s_.state.getQ();  // quaternions, w first; the root's three coordinates after its own
      const Turn turn(kAngles[k]);
      for (int i = 0; i < n; ++i) {
        s_.q[k][7 + 4 * i] = turn.w;
        s_.q[k][8 + 4 * i] = turn.x;
      }
    }
  }

  void evaluate(int k) { s_.evaluate(k); }
  double root_spin(double torque) {
    const Vector rates = s_.u;
    s_.u = 0;
    s_.discrete.setOneBodyForce(s_.state, root_, SimTK::SpatialVec(Vec3(torque, 0, 0), Vec3(0)));
    s_.evaluate(0);
    const double spin = s_.state.getUDot()[0];
    s_.discrete.clearAllBodyForces(s_.state);
    s_.u = rates;
    return spin;
  }

 private:
  System s_;
  MobilizedBody root_;
};

}  // namespace

int main(int argc, char** argv) { return peers::run<Hinges, Tree>("simbody", 2048, argc, argv); }
