// How fast the sweeps converge: Lacoursière's algorithms, orders of traversal and relaxation on a hanging chain, and what each does with the
// friction of a contact on a stack.                                                                              Lacoursière 2011, §§2–3
#include <fmt/format.h>

#include "bench/chain_problem.h"
#include "bench/contact_scenes.h"
#include "bench/figures.h"
#include "catena/model/setting_names.h"
#include "catena/simulation/simulation.h"
#include "catena/solve/gauss_seidel.h"

namespace catena::bench {
namespace {

struct Way {
  const char* name;
  solve::GaussSeidelOptions options;
};

std::vector<Way> ways() {
  using Options = solve::GaussSeidelOptions;
  std::vector<Way> out;
  const auto add = [&](const char* name, const auto& change) {
    Options options;
    change(options);
    out.push_back({name, options});
  };
  add("2.1, kept residual", [](Options& o) { o.algorithm = Options::Algorithm::kept_residual; });
  add("2.2, monitored", [](Options& o) { o.algorithm = Options::Algorithm::monitored; });
  add("3.1, plain", [](Options&) {});
  add("3.1, symmetric order", [](Options& o) { o.order = Options::Order::symmetric; });
  add("3.1, random order", [](Options& o) { o.order = Options::Order::random; });
  add("3.1, coloured order", [](Options& o) { o.order = Options::Order::coloured; });
  add("3.1, relaxation 0.8", [](Options& o) { o.relaxation = 0.8; });
  add("3.1, relaxation 1.3", [](Options& o) { o.relaxation = 1.3; });
  add("3.1, relaxation 1.6", [](Options& o) { o.relaxation = 1.6; });
  add("3.1, relaxation 1.9", [](Options& o) { o.relaxation = 1.9; });
  return out;
}

}  // namespace

void lacoursiere_convergence(const Sink& sink) {
  ChainProblem chain(10);
  for (const Way& way : ways()) {
    solve::GaussSeidel sweeps(way.options);
    sweeps.begin(chain.law_problem.problem());
    int done = 0;
    for (const int until : {1, 3, 10, 30, 100, 300, 1000}) {
      for (; done < until; ++done) sweeps.sweep();
      sink({"papers", std::string("Lacoursière, chain of 10: ") + way.name, until, "error after n sweeps",
            chain.error(sweeps.z()), "relative"});
    }
  }
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
