// How fast the sweeps converge: Lacoursière's algorithms, orders of traversal and relaxation on a hanging chain, and the three ways with the
// friction of a contact on a wall of bricks and on a stack.                                                      Lacoursière 2011, §§2–3
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/chain_problem.h"
#include "bench/contact_scenes.h"
#include "bench/figures.h"
#include "bench/solver_problems.h"
#include "catena/model/setting_names.h"
#include "catena/record/chart.h"
#include "catena/simulation/simulation.h"
#include "catena/solve/gauss_seidel.h"
#include "catena/solve/natural_map.h"

namespace catena::bench {
namespace {

using Sweeps = solve::GaussSeidelOptions;

struct Way {
  const char* name;
  Sweeps options;
};

std::vector<Way> ways_with_joints() {
  std::vector<Way> out;
  const auto add = [&](const char* name, const auto& change) {
    Sweeps options;
    change(options);
    out.push_back({name, options});
  };
  add("2.1, kept residual", [](Sweeps& o) { o.algorithm = Sweeps::Algorithm::kept_residual; });
  add("2.2, monitored", [](Sweeps& o) { o.algorithm = Sweeps::Algorithm::monitored; });
  add("3.1, plain", [](Sweeps&) {});
  add("3.1, symmetric order", [](Sweeps& o) { o.order = Sweeps::Order::symmetric; });
  add("3.1, random order", [](Sweeps& o) { o.order = Sweeps::Order::random; });
  add("3.1, coloured order", [](Sweeps& o) { o.order = Sweeps::Order::coloured; });
  add("3.1, relaxation 0.8", [](Sweeps& o) { o.relaxation = 0.8; });
  add("3.1, relaxation 1.3", [](Sweeps& o) { o.relaxation = 1.3; });
  add("3.1, relaxation 1.6", [](Sweeps& o) { o.relaxation = 1.6; });
  add("3.1, relaxation 1.9", [](Sweeps& o) { o.relaxation = 1.9; });
  return out;
}

std::vector<Way> ways_with_friction() {
  std::vector<Way> out;
  for (const auto& [name, friction] : {std::pair{"exact law", solve::FrictionMethod::exact},
                                       {"projection (18)-(19)", solve::FrictionMethod::projection},
                                       {"approximate (20)-(21)", solve::FrictionMethod::approximate}})
    out.push_back({name, {.friction = friction}});
  out.push_back({"exact law by 2.1", {.algorithm = Sweeps::Algorithm::kept_residual}});
  out.push_back({"exact law by 2.2", {.algorithm = Sweeps::Algorithm::monitored}});
  out.push_back({"exact law, symmetric order", {.order = Sweeps::Order::symmetric}});
  out.push_back({"exact law, random order", {.order = Sweeps::Order::random}});
  out.push_back({"exact law, coloured order", {.order = Sweeps::Order::coloured}});
  out.push_back({"exact law, relaxation 0.8", {.relaxation = 0.8}});
  out.push_back({"exact law, relaxation 1.3", {.relaxation = 1.3}});
  return out;
}

constexpr std::size_t kColours = 8;  // lines beyond are dashed
constexpr int kPlotted[] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000};
constexpr bool is_figure(int sweeps) {
  return sweeps == 1 || sweeps == 3 || sweeps == 10 || sweeps == 30 || sweeps == 100 || sweeps == 300 || sweeps == 1000;
}

double natural_map(const solve::Problem& problem, const solve::Vector& z) {
  solve::Vector w;
  multiply(problem.A, z, w);
  w += problem.b;
  return natural_residual(problem, z, w, matrix_scale(problem.A)).value;
}

// Errors of a problem after so many sweeps, by each of the ways.
struct Course {
  const solve::Problem* problem;
  std::string name, metric;
  std::function<double(const solve::Vector&)> error;
};
Panel courses(const Sink& sink, const Course& course, const std::vector<Way>& ways) {
  Panel panel{.title = course.name, .x_label = "sweeps", .y_label = course.metric, .log_x = true, .log_y = true};
  Series monitored{.name = "2.2, its own monitored error", .dashed = true};
  for (const Way& way : ways) {
    solve::GaussSeidel sweeps(way.options);
    sweeps.begin(*course.problem);
    Series& series = panel.series.emplace_back();
    series.name = way.name;
    series.dashed = panel.series.size() > kColours;
    int done = 0;
    for (const int until : kPlotted) {
      for (; done < until; ++done) sweeps.sweep();
      const double error = course.error(sweeps.z());
      series.x.push_back(until);
      series.y.push_back(error);
      if (is_figure(until))
        sink({"papers", course.name + ": " + way.name, until, course.metric + " after n sweeps", error, "relative"});
      if (way.options.algorithm != Sweeps::Algorithm::monitored) continue;
      monitored.x.push_back(until);
      monitored.y.push_back(std::sqrt(sweeps.monitored()) /
                            course.problem->b.norm());  // not drawn where it is below zero
      if (is_figure(until))
        sink({"papers", course.name + ": " + way.name, until, "monitored error squared after n sweeps",
              sweeps.monitored() / course.problem->b.squaredNorm(), "relative"});
    }
  }
  const auto drawn = [](double y) { return std::isfinite(y) && y > 0; };
  if (std::count_if(monitored.y.begin(), monitored.y.end(), drawn) > 1) panel.series.push_back(monitored);
  return panel;
}

}  // namespace

void lacoursiere_convergence(const Sink& sink, std::vector<Panel>& panels) {
  ChainProblem chain(10);
  panels.push_back(courses(sink,
                           {&chain.law_problem.problem(), "Lacoursière, chain of 10", "error",
                            [&](const solve::Vector& z) { return chain.error(z); }},
                           ways_with_joints()));
  const SolverProblem wall = brick_wall(5);
  panels.push_back(courses(sink,
                           {&wall.problem, "Lacoursière, wall of 15 bricks", "natural-map residual",
                            [&](const solve::Vector& z) { return natural_map(wall.problem, z); }},
                           ways_with_friction()));
  // Half of its weight pushes along the floor, and friction is too weak to hold that: fixed points of the projections are not Coulomb's law.
  SolverProblem sliding = brick_wall(5);
  for (solve::Block& block : sliding.problem.blocks) {
    block.friction = {0.1, 0.1};
    sliding.problem.b[block.first + 1] -= 0.5 * sliding.problem.b[block.first];
    sliding.problem.b[block.first + 2] -= 0.3 * sliding.problem.b[block.first];
  }
  panels.push_back(courses(sink,
                           {&sliding.problem, "Lacoursière, sliding wall of 15 bricks", "natural-map residual",
                            [&](const solve::Vector& z) { return natural_map(sliding.problem, z); }},
                           ways_with_friction()));
  constexpr int kBoxes = 5, kSteps = 20;
  for (const auto& [word, friction] : kSweepFrictionNames) {
    Simulation sim(
        workloads::box_stack(kBoxes),
        {.method = Spook{.law_solver = LawSolver::split, .sweeps = {.most = 200, .friction = friction}}, .step = 5e-3});
    double residual = 0;
    int most = 0;
    for (int i = 0; i < kSteps; ++i) {
      const StepReport report = sim.step();
      residual = std::max(residual, report.complementarity);
      most = std::max(most, report.sweeps);
    }
    const std::string name = fmt::format("Lacoursière, stack of {}: friction by {}", kBoxes, word);
    sink({"papers", name, kBoxes, "sweeps a step, at most", static_cast<double>(most), "1"});
    sink({"papers", name, kBoxes, "natural-map residual, at worst", residual, "relative"});
  }
}

}  // namespace catena::bench
