// What a heavy load does to Gauss-Seidel and what to direct solution: a chain of ten hinges that hangs straight down with its last link 1 …
// 10⁶ times as heavy. The answer is known: every joint carries the weight below it.                          Lacoursière 2011, §1
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/chain_problem.h"
#include "bench/figures.h"
#include "catena/record/chart.h"
#include "catena/solve/gauss_seidel.h"

namespace catena::bench {
namespace {

// The vertical impulses of a chain's joints against the weight below them; the worst, relative.
double miss_of(const ChainProblem& chain, const double* impulses) {
  double worst = 0, below = 0;
  for (std::size_t i = chain.scene.model.joints.size(); i-- > 0;) {
    below -= chain.weight[i].linear.z;
    const double carried = impulses[chain.system->row_start(JointId(i)) + 2];
    worst = std::max(worst, std::abs(std::abs(carried) - below) / below);
  }
  return worst;
}

}  // namespace

void lacoursiere_mass_ratios(const Sink& sink, std::vector<Panel>& panels) {
  constexpr int kLinks = 10, kSweeps[] = {10, 100, 1000, 10000};
  constexpr double kRounding = 1e-16;  // what is exact is drawn here
  const std::string name = "Lacoursière: chain of 10, load over link";
  Panel& panel = panels.emplace_back();
  panel = {.title = name,
           .x_label = "mass of the load over that of a link",
           .y_label = "error of the impulses",
           .log_x = true,
           .log_y = true};
  panel.series.resize(std::size(kSweeps) + 1);
  for (long ratio = 1; ratio <= 1000000; ratio *= 10) {
    ChainProblem chain(kLinks, static_cast<double>(ratio));
    solve::GaussSeidel sweeps;
    sweeps.begin(chain.law_problem.problem());
    auto series = panel.series.begin();
    const auto draw = [&](const std::string& way, double miss) {
      sink({"papers", name, ratio, "impulses" + way, miss, "relative"});
      series->name = way;
      series->x.push_back(static_cast<double>(ratio));
      series->y.push_back(std::max(miss, kRounding));
      ++series;
    };
    int done = 0;
    for (const int until : kSweeps) {
      for (; done < until; ++done) sweeps.sweep();
      draw(fmt::format(" after {} sweeps", until), miss_of(chain, sweeps.z().data()));
    }
    draw(", direct", miss_of(chain, chain.exact.data()));
  }
  for (Series& series : panel.series) series.name.erase(0, series.name.starts_with(",") ? 2 : 1);
}

}  // namespace catena::bench
