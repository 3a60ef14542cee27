// A body of a kind of our own (stretching_body.h) hangs from the ceiling by a corner and carries a rod: no line of the library knows of it.
#include <catena/catena.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "stretching_body.h"

int main() {
  using namespace catena;
  const BuiltModel built =
      ModelBuilder{}
          .body({.name = "jelly",
                 .kind = BodyKind::formed,
                 .mass = 2.0,
                 .position = {0.1, 0.1, -0.2},
                 .angular_velocity = {0, 0, 3},
                 .form = std::make_shared<StretchingBody>(StretchingBody::box(2.0, {0.2, 0.2, 0.4}, 8.0)),
                 .form_start = {1, 1, 1}})
          .body({.name = "rod",
                 .mass = 0.5,
                 .inertia = Sym3::diagonal(0.01, 0.01, 1e-4),
                 .position = {0.1, 0.1, -0.6},
                 .angular_velocity = {0, 0, 3}})
          .joint({.name = "hook", .kind = JointKind::ball, .between = {"ground", "jelly"}, .anchor = Vec3{0, 0, 0}})
          .joint({.name = "knee",
                  .kind = JointKind::hinge,
                  .between = {"jelly", "rod"},
                  .anchor = Vec3{0.1, 0.1, -0.4},
                  .axis = Vec3{0, 1, 0}})
          .build();

  Simulation simulation(built, {.method = Lagrange{.integrator = Integrator::rk4}, .step = 1e-3});
  simulation.advance_to(0);
  const double before = simulation.energy().total();
  double worst_drift = 0;
  for (int tenth = 1; tenth <= 20; ++tenth) {
    const StepReport report = simulation.advance_to(0.1 * tenth);
    if (!report.ok()) {
      std::fprintf(stderr, "%s\n", report.message.c_str());
      return 1;
    }
    worst_drift = std::max(worst_drift, report.drift_position);
    const OwnVector stretch = form_coordinates(simulation.body("jelly.form"));
    if (tenth % 4 == 0)
      std::printf("t = %.1f s: stretched to %.4f %.4f %.4f, knee at %7.4f rad\n", 0.1 * tenth, stretch[0], stretch[1],
                  stretch[2], simulation.joint("knee").position());
  }
  const double gained = simulation.energy().total() - before;
  std::printf("joints apart by %.1e m at most, energy gained %.1e J\n", worst_drift, gained);
  return worst_drift < 1e-9 && std::abs(gained) < 1e-6 ? 0 : 1;
}
