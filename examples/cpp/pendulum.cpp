// A double pendulum built without a file: the library in thirty lines.
#include <catena/catena.h>

#include <cstdio>

int main() {
  using namespace catena;
  const Sym3 rod = Sym3::diagonal(1.0 / 12, 1.0 / 12, 0.001);  // 1 kg, 1 m, thin
  const BuiltModel built = ModelBuilder{}
                               .body({.name = "upper",
                                      .mass = 1.0,
                                      .inertia = rod,
                                      .position = {0.5, 0, 0},
                                      .orientation = exp_rotation(Vec3{0, 1.5707963267948966, 0})})
                               .body({.name = "lower",
                                      .mass = 1.0,
                                      .inertia = rod,
                                      .position = {1.5, 0, 0},
                                      .orientation = exp_rotation(Vec3{0, 1.5707963267948966, 0})})
                               .joint({.name = "shoulder",
                                       .kind = JointKind::hinge,
                                       .between = {"ground", "upper"},
                                       .anchor = Vec3{0, 0, 0},
                                       .axis = Vec3{0, 1, 0}})
                               .joint({.name = "elbow",
                                       .kind = JointKind::hinge,
                                       .between = {"upper", "lower"},
                                       .anchor = Vec3{1, 0, 0},
                                       .axis = Vec3{0, 1, 0}})
                               .build();

  Simulation simulation(built, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
  simulation.joint("elbow").set_torque(0.5);
  const double before = simulation.energy().total();
  for (int second = 1; second <= 5; ++second) {
    const StepReport report = simulation.advance_to(second);
    if (!report.ok()) {
      std::fprintf(stderr, "%s\n", report.message.c_str());
      return 1;
    }
    const Vec3 force = simulation.joint("shoulder").reaction().linear;
    std::printf("t = %d s: elbow at %8.4f rad, shoulder carries (%7.3f, %7.3f) N, drift %.1e m, residual %.1e\n",
                second, simulation.joint("elbow").position(), force.x, force.z, report.drift_position, report.residual);
  }
  const Energy energy = simulation.energy();
  std::printf("energy gained %.9f J, work of the torque %.9f J\n", energy.total() - before, energy.ledger.actuators);
  return 0;
}
