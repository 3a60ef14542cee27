// Closed loops measured: one factorisation and one solve of the joints by fronts and by the other ways, and whole steps of every method.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "bench/figures.h"
#include "bench/loop_scenes.h"
#include "catena/joints/front_system.h"
#include "catena/mechanism/dynamics.h"
#include "catena/simulation/simulation.h"

namespace catena::bench {
namespace {

constexpr double kLoopStep = 1e-3;

double factor_and_solve(const Scene& scene, LinearSolver solver) {
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  const auto system = make_constraint_system(scene.model, solver, 1, &kinematics);
  std::vector<double> b(static_cast<std::size_t>(system->rows())), lambda(b.size());
  std::vector<BodyVector> f, y;
  for (const Body& body : scene.model.bodies) f.push_back({body.mass * scene.model.gravity, {}, 0});
  y = f;
  return time_of([&] {
    if (!system->factor(kinematics)) return;  // not said to be closed, or it would be factored once only
    std::copy(f.begin(), f.end(), y.begin());
    system->solve(b, y, lambda);
  });
}

// The compliance of so many bodies that contacts could touch.
double compliance_time(const Scene& scene, const std::vector<BodyId>& bodies) {
  Kinematics kinematics(scene.model);
  kinematics.update(scene.model, scene.initial);
  FrontSystem system(scene.model, &kinematics);
  system.factor(kinematics, true);
  Eigen::MatrixXd W;
  return time_of([&] { system.body_compliance(bodies, W); });
}

struct Stepped {
  double seconds, drift;  // a step; m at the end
};

// Over `steps` steps after a few to settle in; NaN where it stopped.
Stepped step_time(const Scene& scene, Method method, Integrator integrator, int steps, double step = kLoopStep) {
  Options options;
  options.method = MethodWords{.method = method, .integrator = integrator};
  options.step = step;
  Simulation simulation(scene, options);
  double drift = 0;
  const auto go = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const StepReport report = simulation.step();
      if (!report.ok()) return false;
      drift = std::max(drift, report.drift_position);
    }
    return true;
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!go(steps / 10 + 1)) return {kNone, kNone};
  const double start = cpu_seconds();
  if (!go(steps)) return {kNone, kNone};
  return {(cpu_seconds() - start) / steps, drift};
}

struct Way {
  const char* name;
  Method method;
  Integrator integrator;
};
constexpr Way kWays[] = {{"lagrange euler", Method::lagrange, Integrator::euler},
                         {"lagrange rk4", Method::lagrange, Integrator::rk4},
                         {"impulse", Method::impulse, Integrator::automatic},
                         {"spook", Method::spook, Integrator::automatic},
                         {"spook midpoint", Method::spook, Integrator::midpoint},
                         {"operational", Method::operational, Integrator::automatic},
                         {"operational midpoint", Method::operational, Integrator::midpoint}};

void measure(const Sink& sink, const std::string& name, const Scene& scene, int steps, bool dense = true) {
  const auto n = static_cast<long>(scene.model.bodies.size());
  const double fronts = factor_and_solve(scene, LinearSolver::fronts);
  sink({"loops", name, n, "fronts, factor + solve", fronts * 1e6, "us"});
  sink({"loops", name, n, "fronts, factor + solve, a body", fronts * 1e9 / static_cast<double>(n), "ns"});
  sink({"loops", name, n, "sparse, factor + solve", factor_and_solve(scene, LinearSolver::sparse) * 1e6, "us"});
  if (dense)
    sink({"loops", name, n, "dense, factor + solve", factor_and_solve(scene, LinearSolver::dense) * 1e6, "us"});
  for (const Way& way : kWays) {
    if (steps == 0) continue;
    const Stepped stepped = step_time(scene, way.method, way.integrator, steps);
    sink({"loops", name, n, std::string(way.name) + ", a step", stepped.seconds * 1e6, "us"});
    sink({"loops", name, n, std::string(way.name) + ", a step and body", stepped.seconds * 1e6 / static_cast<double>(n),
          "us"});
    sink({"loops", name, n, std::string(way.name) + ", joints open by", stepped.drift, "m"});
  }
}

}  // namespace

void loops(const Sink& sink, const std::string& examples) {
  const auto example = [&](const char* name) { return load(examples + "/" + name + ".yaml"); };
  const Scene beest = example("strandbeest");
  measure(sink, "strandbeest", beest, 200);
  std::vector<BodyId> feet;
  for (std::size_t i = 0; i < beest.model.bodies.size() && feet.size() < 6; ++i)
    if (beest.model.bodies[i].name.ends_with("_foot")) feet.emplace_back(i);
  sink({"loops", "strandbeest", 74, "compliance of 6 feet, 36 rows", compliance_time(beest, feet) * 1e6, "us"});
  for (const Method method : {Method::spook, Method::operational}) {
    const Stepped walking = step_time(beest, method, Integrator::automatic, 1000, 4e-3);
    const std::string name = method == Method::spook ? "spook" : "operational";
    sink({"loops", "strandbeest", 74, name + ", walking by 4 ms, a step", walking.seconds * 1e6, "us"});
    sink({"loops", "strandbeest", 74, name + ", walking by 4 ms, joints open by", walking.drift, "m"});
  }
  measure(sink, "four-bar", example("four_bar"), 1000);
  measure(sink, "stewart", example("stewart"), 1000);
  measure(sink, "jansen legs", example("jansen_legs"), 500);

  double few = 0, many = 0;
  for (const int n : {10, 20, 80, 320, 1000, 10000}) {
    const Scene scene = workloads::four_bars(n);
    measure(sink, "four-bars in a row", scene, n <= 1000 ? 2000 / n + 20 : 5, n <= 20);
    const double time = factor_and_solve(scene, LinearSolver::fronts);
    (n == 10 ? few : many) = time;
  }
  sink({"loops", "four-bars in a row", 20001, "fronts, slope from 10 to 10000",
        std::log(many / few) / std::log(20001.0 / 21), "1"});

  measure(sink, "ladder of 200 rungs", workloads::ladder(200), 0);
  measure(sink, "6 x 6 plates", workloads::plate_grid(6), 100);
  measure(sink, "scissor lift of 50 stages", workloads::scissor_lift(50), 0);
  measure(sink, "chain mail of 10 x 10 rings", workloads::chain_mail(10), 50);
  run_peer(sink, "loops", "mujoco_loops");
}

}  // namespace catena::bench
