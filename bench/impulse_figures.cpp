// The impulse method measured: Bender's figure 4, large trees, cloth, and long runs.
#include <algorithm>
#include <limits>

#include "bench/contact_scenes.h"
#include "bench/figures.h"
#include "bench/workloads.h"
#include "catena/record/chart.h"

namespace catena::bench {
namespace {

struct Run {
  double time = 0;        // CPU s a step
  double gap = 0;         // worst over the run, m or rad
  double overlap = 0;     // deepest over the run, m
  double iterations = 0;  // solves for positions a step
  long steps = 0;         // until it stopped or was done
  bool ok = true;
};

Run run(const Scene& scene, const Options& options, long steps) {
  Simulation simulation(scene, options);
  Run result;
  long iterations = 0;
  const double start = cpu_seconds();
  for (; result.steps < steps && result.ok; ++result.steps) {
    const StepReport report = simulation.step();
    result.ok = report.ok();
    result.gap = std::max({result.gap, report.drift_position, report.drift_angle});
    result.overlap = std::max(result.overlap, report.penetration);
    iterations += report.position_iterations;
  }
  const auto done = static_cast<double>(result.steps);
  result.time = (cpu_seconds() - start) / done;
  result.iterations = static_cast<double>(iterations) / done;
  if (!result.ok) result.gap = std::numeric_limits<double>::infinity();
  return result;
}

struct Method4 {
  const char* name;
  Options options;
};

Options impulse(LinearSolver solver, double tolerance) {
  return {.method = MethodWords{.method = Method::impulse,
                                .solver = solver,
                                .position_tolerance = tolerance,
                                .velocity_tolerance = tolerance}};
}

Options lagrange(LinearSolver solver) {
  return {.method = MethodWords{.method = Method::lagrange,
                                .integrator = Integrator::rk4,
                                .stabilise = Stabilisation::baumgarte,
                                .solver = solver}};
}

}  // namespace

// Cloth of 21 x 21 particles, threads of 5 cm, hung by two corners; by itself, and with objects falling onto it. 2 s.
void bender_figure_2(const Sink& sink, const std::string& examples) {
  constexpr double kStep = 5e-3, kThread = 0.05;
  for (const char* name : {"cloth", "cloth_with_objects"}) {
    const Run r = run(load(examples + "/" + name + ".yaml"), {.method = Method::impulse, .step = kStep}, 400);
    const std::string title = std::string("Bender fig. 2: ") + name;
    sink({"papers", title, 21 * 21, "time a step", r.time * 1e3, "ms"});
    sink({"papers", title, 21 * 21, "stretch", r.gap / kThread, "1"});
    sink({"papers", title, 21 * 21, "deepest overlap", r.overlap, "m"});
  }
}

void bender_figure_4(const Sink& sink, std::vector<Panel>& panels) {
  constexpr double kStep = 1.0 / 30;
  constexpr long kSteps = 60;  // 2 s
  const Method4 methods[] = {{"iterative 1e-3", impulse(LinearSolver::iterative, 1e-3)},
                             {"iterative 1e-4", impulse(LinearSolver::iterative, 1e-4)},
                             {"iterative 1e-6", impulse(LinearSolver::iterative, 1e-6)},
                             {"SLE 1e-3", impulse(LinearSolver::dense, 1e-3)},
                             {"SLE 1e-6", impulse(LinearSolver::dense, 1e-6)},
                             {"SLE sparse 1e-6", impulse(LinearSolver::sparse, 1e-6)},
                             {"linear 1e-6", impulse(LinearSolver::tree, 1e-6)},
                             {"Lagrange dense", lagrange(LinearSolver::dense)},
                             {"Lagrange linear", lagrange(LinearSolver::tree)}};
  Panel& panel = panels.emplace_back();
  panel = {.title = "Time of one step, trees of ball joints, h = 1/30 s",
           .x_label = "joints",
           .y_label = "CPU time [ms]",
           .log_x = true,
           .log_y = true};
  for (const Method4& method : methods) {
    Series& series = panel.series.emplace_back();
    series.name = method.name;
    for (const int joints : {31, 63, 127, 255}) {
      Options options = method.options;
      options.step = kStep;
      const Run r = run(workloads::bender_tree(joints, kStep), options, kSteps);
      sink({"papers", std::string("Bender fig. 4: ") + method.name, joints, "time a step", r.time * 1e3, "ms"});
      sink({"papers", std::string("Bender fig. 4: ") + method.name, joints, "worst gap", r.gap, "m"});
      series.x.push_back(joints);
      series.y.push_back(r.time * 1e3);
    }
  }
}

void impulse_method(const Sink& sink, const std::string& examples, long steps) {
  const auto show = [&](const char* name, long n, const Run& r) {
    sink({"impulse", name, n, "time a step", r.time * 1e3, "ms"});
    sink({"impulse", name, n, "solves for positions a step", r.iterations, "1"});
    sink({"impulse", name, n, "worst gap", r.gap, "m or rad"});
  };
  const auto linear = [](double step) { return Options{.method = Method::impulse, .step = step}; };
  show("tree of balls, h = 1/30 s", 255, run(workloads::bender_tree(255, 1.0 / 30), linear(1.0 / 30), 3000));
  for (const int n : {1000, 10000, 100000})
    show("tree of balls in general motion, h = 5 ms", n,
         run(workloads::linkage(workloads::Shape::tree, JointKind::ball, n), linear(5e-3), std::max(10, 100000 / n)));
  show("cloth 21 x 21, h = 5 ms", 21 * 21, run(workloads::hung_cloth(21), linear(5e-3), 1000));
  show("cloth.yaml, h = 5 ms", 21 * 21, run(load(examples + "/cloth.yaml"), linear(5e-3), 800));
  show("cloth_with_objects.yaml, h = 5 ms", 21 * 21,
       run(load(examples + "/cloth_with_objects.yaml"), linear(5e-3), 400));
  show("ball in a hammock, friction 0.5, h = 5 ms", 9 * 9,
       run(workloads::ball_over_hammock(9, 0.5), linear(5e-3), 1000));
  show("cloth 101 x 101, h = 1 ms", 101 * 101, run(workloads::hung_cloth(101), linear(1e-3), 20));
  for (const char* name : {"chain", "four_bar", "jansen_legs", "stewart"})
    show(name, steps, run(load(examples + "/" + name + ".yaml"), linear(1e-3), steps));
  show("tree of 31 balls, h = 10 ms", steps, run(workloads::bender_tree(31, 1e-2), linear(1e-2), steps));
  show("cloth 6 x 6, h = 5 ms", steps, run(workloads::hung_cloth(6), linear(5e-3), steps));
  show("cloth 21 x 21, h = 5 ms", steps, run(workloads::hung_cloth(21), linear(5e-3), steps));
}

}  // namespace catena::bench
