// Simbody on the mechanisms of hold.h: pins in a tree and a ball constraint that closes the loop; a cube on four compliant spheres, since its own contact
// is compliant, heavily damped, with friction whose transition velocity is its default and a hundredth of that.
#include <Simbody.h>

#include "hold.h"

namespace {

using namespace SimTK;
using peers::Bar;

Body::Rigid bar(const Bar& b) {
  const peers::Vec I = peers::box_inertia(b.mass, b.length, peers::kBarThickness, peers::kBarThickness);
  const Rotation R(-b.lean, YAxis);
  const Vec3 centre(b.length / 2 * std::cos(b.lean), 0, b.length / 2 * std::sin(b.lean));
  const Inertia about_centre = Inertia(I.x, I.y, I.z).reexpress(~R);
  return Body::Rigid(MassProperties(b.mass, centre, about_centre.shiftFromMassCenter(-centre, b.mass)));
}

double bars(double accuracy) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::Gravity(forces, matter, Vec3(0, 0, -peers::kGravity));
  const Rotation y_is_z(-Pi / 2, XAxis);  // a pin turns about its frames' z
  const Vec3 pin(peers::kCrankPin.x, 0, peers::kCrankPin.z), top(peers::kRockerPin.x, 0, peers::kRockerPin.z),
      pivot(peers::kRockerPivot.x, 0, 0);
  MobilizedBody::Pin crank(matter.updGround(), Transform(y_is_z), bar(peers::kCrank), Transform(y_is_z));
  MobilizedBody::Pin coupler(crank, Transform(y_is_z, pin), bar(peers::kCoupler), Transform(y_is_z));
  MobilizedBody::Pin rocker(matter.updGround(), Transform(y_is_z, pivot), bar(peers::kRocker), Transform(y_is_z));
  Constraint::Ball loop(coupler, top - pin, rocker, top - pivot);
  system.realizeTopology();
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(system.getDefaultState());
  double worst = 0;
  for (int i = 1; i <= std::lround(peers::kBarsTime / peers::kBarsStep); ++i) {
    stepper.stepTo(i * peers::kBarsStep);
    const State& s = stepper.getState();
    system.realize(s, Stage::Position);
    const Vec3 a = coupler.findStationLocationInGround(s, top - pin),
               b = rocker.findStationLocationInGround(s, top - pivot);
    worst = std::max(worst, (a - b).norm());
  }
  return worst;
}

double slope(double transition) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  const peers::Vec g = peers::slope_gravity();
  Force::Gravity(forces, matter, Vec3(g.x, g.y, g.z));
  ContactTrackerSubsystem tracker(system);
  CompliantContactSubsystem contact(system, tracker);
  contact.setTransitionVelocity(transition);
  const ContactMaterial material(1e7, 100, peers::kSlopeFriction, peers::kSlopeFriction, 0);
  matter.Ground().updBody().addContactSurface(
      Transform(Rotation(Pi / 2, YAxis)),
      ContactSurface(ContactGeometry::HalfSpace(), material));  // its inside is below z = 0
  const double half = peers::kCube / 2, r = 0.02;
  const peers::Vec I = peers::box_inertia(1, peers::kCube, peers::kCube, peers::kCube);
  Body::Rigid cube(MassProperties(1, Vec3(0), Inertia(I.x, I.y, I.z)));
  for (const double x : {-half, half})
    for (const double y : {-half, half})
      cube.addContactSurface(Vec3(x, y, -half + r), ContactSurface(ContactGeometry::Sphere(r), material));
  MobilizedBody::Free body(matter.updGround(), Transform(), cube, Transform());
  system.realizeTopology();
  State start = system.getDefaultState();
  body.setQToFitTranslation(start, Vec3(0, 0, half));
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(1e-5);
  TimeStepper stepper(system, integrator);
  stepper.initialize(start);
  stepper.stepTo(peers::kSlopeBegin);
  const double from = body.getBodyOriginLocation(stepper.getState())[0];
  stepper.stepTo(peers::kSlopeBegin + peers::kSlopeTime);
  return body.getBodyOriginLocation(stepper.getState())[0] - from;
}

}  // namespace

int main() {
  peers::report_bars("accuracy 1e-3, the default", bars(1e-3));
  peers::report_bars("accuracy 1e-9", bars(1e-9));
  peers::report_slope("transition velocity 0.01 m/s, the default", slope(0.01));
  peers::report_slope("transition velocity 1e-4 m/s", slope(1e-4));
}
