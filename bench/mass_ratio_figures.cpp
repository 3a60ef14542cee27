// What a heavy load does to Gauss-Seidel and what to direct solution: a chain of ten hinges that hangs straight down with its last link 1 …
// 10⁶ times as heavy. The answer is known: every joint carries the weight below it.                          Lacoursière 2011, §1
#include <algorithm>
#include <cmath>

#include "bench/chain_problem.h"
#include "bench/figures.h"
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

void lacoursiere_mass_ratios(const Sink& sink) {
  constexpr int kLinks = 10, kSweeps = 1000;
  const std::string name = "Lacoursière: chain of 10, load over link";
  for (long ratio = 1; ratio <= 1000000; ratio *= 10) {
    ChainProblem chain(kLinks, static_cast<double>(ratio));
    solve::GaussSeidel sweeps;
    sweeps.begin(chain.law_problem.problem());
    for (int i = 0; i < kSweeps; ++i) sweeps.sweep();
    sink({"papers", name, ratio, "impulses after 1000 sweeps", miss_of(chain, sweeps.z().data()), "relative"});
    sink({"papers", name, ratio, "impulses, direct", miss_of(chain, chain.exact.data()), "relative"});
  }
}

}  // namespace catena::bench
