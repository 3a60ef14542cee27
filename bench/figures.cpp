#include "bench/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <limits>
#include <numbers>

#include "bench/workloads.h"
#include "catena/joints/tree_system.h"
#include "catena/mechanism/dynamics.h"
#include "catena/record/chart.h"

namespace catena::bench {
namespace {

using workloads::Shape;

// The stages of one acceleration, timed apart.
struct Stages {
  double kinematics, forces, load, factor, rhs, solve, whole;  // s
};

Stages time_stages(const Scene& scene) {
  Dynamics dynamics(scene.model, scene.initial, LinearSolver::tree);
  dynamics.accelerations(scene.initial);
  auto& tree = dynamic_cast<TreeSystem&>(dynamics.system());
  MaximalSystem& primary = tree.primary();
  std::vector<BodyVector> y(scene.model.bodies.size());
  std::vector<double> b(static_cast<std::size_t>(tree.rows())), lambda(b.size());
  Powers powers;
  Stages s{};
  s.kinematics = time_of([&] { dynamics.kinematics().update(scene.model, scene.initial); });
  s.forces =
      time_of([&] { dynamics.forces().apply(scene.model, dynamics.kinematics(), dynamics.coordinates(), y, powers); });
  s.load = time_of([&] { primary.load(dynamics.kinematics()); });
  s.factor = time_of([&] { primary.factor(dynamics.kinematics()); }) - s.load;
  s.rhs = time_of([&] { primary.acceleration_rhs(dynamics.kinematics(), b); });
  s.solve = time_of([&] {
              dynamics.forces().apply(scene.model, dynamics.kinematics(), dynamics.coordinates(), y, powers);
              primary.solve(b, y, lambda);
            }) -
            s.forces;
  s.whole = time_of([&] { dynamics.accelerations(scene.initial); });
  return s;
}

double relative_difference(const Model& model, const std::vector<BodyVector>& a, const std::vector<BodyVector>& b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const BodyVector d = restricted(model.bodies[i].kind, a[i] + -1.0 * b[i]);
    difference = std::max(difference, std::sqrt(dot(d, d)));
    size = std::max(size, std::sqrt(dot(b[i], b[i])));
  }
  return difference / size;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return difference / size;
}

}  // namespace

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double time_of(const std::function<void()>& call, double seconds) {
  call();
  double start = cpu_seconds();
  call();
  const double once = std::max(cpu_seconds() - start, 1e-8);
  const long batch = std::max(1L, static_cast<long>(seconds / 10 / once));
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < 10; ++repeat) {
    start = cpu_seconds();
    for (long i = 0; i < batch; ++i) call();
    best = std::min(best, (cpu_seconds() - start) / static_cast<double>(batch));
    if (once > seconds && repeat >= 2) break;
  }
  return best;
}

void accuracy(const Sink& sink) {
  for (const int loops : {0, 3}) {
    const int count = loops == 0 ? 200 : 100;
    double worst_motion = 0, worst_lambda = 0;
    for (int seed = 0; seed < count; ++seed) {
      const Scene scene =
          workloads::random_mechanism(static_cast<std::uint64_t>(1000 * loops + seed + 1), 2 + seed % 40, loops);
      Dynamics tree(scene.model, scene.initial, LinearSolver::tree),
          dense(scene.model, scene.initial, LinearSolver::dense);
      tree.accelerations(scene.initial);
      dense.accelerations(scene.initial);
      worst_motion = std::max(worst_motion, relative_difference(scene.model, tree.vdot, dense.vdot));
      if (tree.system().redundant().empty())
        worst_lambda = std::max(worst_lambda, relative_difference(tree.lambda, dense.lambda));
    }
    const std::string name = loops == 0 ? "random trees" : "random graphs with loops";
    sink({"accuracy", name, count, "acceleration against dense", worst_motion, "relative"});
    sink({"accuracy", name, count, "lambda against dense", worst_lambda, "relative"});
  }
}

void drift(const Sink& sink, const std::string& examples, long steps) {
  for (const char* name : {"four_bar", "jansen_legs", "stewart"}) {
    Simulation simulation(load(examples + "/" + name + ".yaml"),
                          {.method = MethodWords{.integrator = Integrator::rk4}, .step = 1e-3});
    double position = 0, angle = 0;
    for (long i = 0; i < steps; ++i) {
      const StepReport report = simulation.step();
      position = std::max(position, report.ok() ? report.drift_position : std::numeric_limits<double>::infinity());
      angle = std::max(angle, report.drift_angle);
      if (!report.ok()) break;
    }
    sink({"drift", name, simulation.steps(), "worst gap over size", position / simulation.size(), "relative"});
    sink({"drift", name, simulation.steps(), "worst angle", angle, "rad"});
  }
}

void scaling(const Sink& sink, int largest) {
  for (const Shape shape : {Shape::chain, Shape::tree}) {
    const std::string name = shape == Shape::chain ? "chain of balls" : "tree of balls";
    double before_n = 0, before_time = 0;
    for (int n = 1000; n <= largest; n *= 10) {
      const Scene scene = workloads::linkage(shape, JointKind::ball, n);
      MaximalSystem system(scene.model, build_forest(scene.model));
      Kinematics kinematics(scene.model);
      kinematics.update(scene.model, scene.initial);
      std::vector<BodyVector> y(static_cast<std::size_t>(n));
      std::vector<double> b(static_cast<std::size_t>(system.rows()), 0.5), lambda(b.size());
      const double time = time_of([&] {
        system.factor(kinematics);
        std::fill(y.begin(), y.end(), BodyVector{{1, 2, 3}, {3, 2, 1}, 0});
        system.solve(b, y, lambda);
      });
      system.take_operations();
      system.factor(kinematics);
      system.solve(b, y, lambda);
      sink({"scaling", name, n, "factor + solve", time * 1e3, "ms"});
      sink({"scaling", name, n, "time a body", time / n * 1e9, "ns"});
      sink({"scaling", name, n, "block operations a body", static_cast<double>(system.take_operations()) / n, "1"});
      sink({"scaling", name, n, "bytes a body",
            static_cast<double>(system.bytes() + y.size() * sizeof(BodyVector) + 2 * b.size() * sizeof(double) +
                                kinematics.bytes()) /
                n,
            "B"});
      if (before_n > 0)
        sink({"scaling", name, n, "log-log slope from n/10", std::log(time / before_time) / std::log(n / before_n),
              "1"});
      before_n = n;
      before_time = time;
    }
  }
}

void speed(const Sink& sink) {
  struct Case {
    const char* name;
    Scene scene;
  };
  const Case cases[] = {{"tree of balls", workloads::linkage(Shape::tree, JointKind::ball, 1023)},
                        {"chain of balls", workloads::linkage(Shape::chain, JointKind::ball, 1023)},
                        {"chain of hinges", workloads::linkage(Shape::chain, JointKind::hinge, 128)},
                        {"chain of hinges", workloads::linkage(Shape::chain, JointKind::hinge, 512)},
                        {"chain of hinges", workloads::linkage(Shape::chain, JointKind::hinge, 2048)},
                        {"chain of sliders", workloads::linkage(Shape::chain, JointKind::slider, 512)}};
  for (const Case& c : cases) {
    const Stages s = time_stages(c.scene);
    const auto n = static_cast<long>(c.scene.model.bodies.size());
    const double ns = 1e9 / static_cast<double>(n);
    sink({"speed", c.name, n, "world inertias", s.kinematics * ns, "ns a body"});
    sink({"speed", c.name, n, "forces", s.forces * ns, "ns a body"});
    sink({"speed", c.name, n, "rows", (s.load + s.rhs) * ns, "ns a body"});
    sink({"speed", c.name, n, "factor", s.factor * ns, "ns a body"});
    sink({"speed", c.name, n, "solve", s.solve * ns, "ns a body"});
    sink({"speed", c.name, n, "factor + solve", (s.factor + s.solve) * ns, "ns a body"});
    sink({"speed", c.name, n, "whole acceleration", s.whole * ns, "ns a body"});
  }
  reduced_speed(sink);
}

void baraff_table(const Sink& sink) {
  struct Case {
    const char* name;
    workloads::Baraff which;
  };
  for (const Case& c : {Case{"2-D, 54 pins, 108 multipliers", workloads::Baraff::planar_54},
                        Case{"2-D, 96 primary + 12 auxiliary", workloads::Baraff::planar_48_loops_6},
                        Case{"3-D, 127 balls, 381 multipliers", workloads::Baraff::spatial_127}}) {
    const Scene scene = workloads::baraff(c.which);
    const Stages s = time_stages(scene);
    Dynamics tree(scene.model, scene.initial, LinearSolver::tree),
        dense(scene.model, scene.initial, LinearSolver::dense);
    tree.accelerations(scene.initial);
    const double all = time_of([&] { tree.accelerations(scene.initial); });
    const double dense_time = time_of([&] { dense.accelerations(scene.initial); });
    auto& system = dynamic_cast<TreeSystem&>(tree.system());
    const double with_auxiliary = time_of([&] { system.factor(tree.kinematics()); });
    const auto rows = static_cast<long>(tree.system().rows());
    sink({"papers", c.name, rows, "J", (s.load + s.rhs) * 1e6, "us"});
    sink({"papers", c.name, rows, "factor", s.factor * 1e6, "us"});
    sink({"papers", c.name, rows, "solve", s.solve * 1e6, "us"});
    sink({"papers", c.name, rows, "auxiliary", std::max(0.0, with_auxiliary - s.factor - s.load) * 1e6, "us"});
    sink({"papers", c.name, rows, "whole acceleration", all * 1e6, "us"});
    sink({"papers", c.name, rows, "whole acceleration, dense O(n^3)", dense_time * 1e6, "us"});
    sink({"papers", c.name, rows, "speed-up", dense_time / all, "1"});
    baraff_solvers(sink, c.name, scene);
  }
  baraff_contacts(sink);
}

void papers(const Sink& sink, const std::string& examples, const std::string& picture) {
  std::vector<Panel> panels;
  baraff_table(sink);
  lacoursiere_mass_ratios(sink, panels);
  lacoursiere_convergence(sink, panels);
  bender_figure_2(sink, examples);
  bender_figure_4(sink, panels);
  jain_table_2(sink);
  if (picture.empty()) return;
  std::ofstream out(picture);
  out << to_svg({.panels = panels, .panel_height = 420});
  if (!out.flush()) throw InputError(fmt::format("--picture {}: cannot be written", picture));
}

}  // namespace catena::bench
