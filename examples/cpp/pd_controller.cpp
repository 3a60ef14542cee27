// An arm of two links that a PD controller with gravity compensation leads along a circle: a function called before every step reads q and v,
// asks for the gravity terms of the equations of motion and writes tau.
#include <catena/catena.h>
#include <catena/dynamics.h>

#include <cmath>
#include <cstdio>

namespace {

const char* const kArm = R"(
catena: 1
name: arm
bodies:
  upper: {mass: 2, inertia: [0.06, 0.06, 0.002], position: [0, 0, -0.3]}
  lower: {mass: 1, inertia: [0.02, 0.02, 0.001], position: [0, 0, -0.85]}
joints:
  shoulder: {kind: hinge, between: [ground, upper], anchor: [0, 0, 0], axis: [0, 1, 0]}
  elbow:    {kind: hinge, between: [upper, lower], anchor: [0, 0, -0.6], axis: [0, 1, 0]}
)";

struct Target {
  double q[2], v[2];
};

Target target(double t) {
  const double w = 2;  // rad/s
  return {{0.6 * (1 - std::cos(w * t)), 0.4 * std::sin(w * t) * std::sin(w * t)},
          {0.6 * w * std::sin(w * t), 0.4 * w * std::sin(2 * w * t)}};
}

}  // namespace

int main() {
  const catena::Scene scene = catena::load_text(kArm);
  catena::Simulation sim(scene, {.step = 1e-3});
  catena::JointDynamics dynamics(sim);
  double worst = 0;
  sim.on_step([&](catena::Simulation& s) {
    const Target wanted = target(s.time());
    dynamics.update();
    const Eigen::VectorXd gravity_and_coriolis = dynamics.bias();
    for (std::size_t i = 0; i < 2; ++i) {
      const double error = wanted.q[i] - s.q()[i];
      s.tau()[i] = gravity_and_coriolis[static_cast<Eigen::Index>(i)] + 400 * error + 40 * (wanted.v[i] - s.v()[i]);
      worst = std::max(worst, std::abs(error));
    }
  });
  const catena::StepReport report = sim.advance_to(3.0);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", report.message.c_str());
    return 1;
  }
  std::printf("3 s in %ld steps: the joints followed their targets to %.4f rad; residual %.1e\n", sim.steps(), worst,
              report.residual);
  return worst < 0.02 ? 0 : 1;
}
