// Contacts measured: the scenes of contact_scenes beside ODE, Bullet and MuJoCo, and Gauss-Seidel against direct solution on chains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/chain_problem.h"
#include "bench/contact_scenes.h"
#include "bench/figures.h"
#include "bench/workloads.h"
#include "catena/record/chart.h"
#include "catena/solve/gauss_seidel.h"

namespace catena::bench {
namespace {

constexpr double kSmallOverlap = 1e-5;  // m

struct ContactCase {
  const char* name;
  long n;
  Scene scene;
  int steps;
};

// Returns the deepest overlap.
double ours(const Sink& sink, const ContactCase& c, const char* solver_name, LawSolver solver) {
  Simulation simulation(c.scene, {.method = MethodWords{.method = Method::spook, .law_solver = solver}});
  double time = 0, overlap = 0, residual = 0, gap = 0, speed = 0;
  for (int i = 0; i < c.steps; ++i) {
    const double start = cpu_seconds();
    const StepReport report = simulation.step();
    time += cpu_seconds() - start;
    if (!report.ok()) {
      sink({"contacts", c.name, c.n, fmt::format("catena: {}, stopped at step", solver_name), double(i), ""});
      return overlap;
    }
    overlap = std::max(overlap, report.penetration);
    residual = std::max(residual, report.complementarity);
    gap = std::max(gap, report.drift_position);
  }
  for (const BodyState& s : simulation.state().bodies) speed = std::max(speed, norm(s.velocity));
  const auto line = [&](const char* what, double value, const char* unit) {
    sink({"contacts", c.name, c.n, fmt::format("catena: {}, {}", solver_name, what), value, unit});
  };
  line("step", time / c.steps * 1e6, "us");
  line("deepest overlap", overlap, "m");
  if (!c.scene.model.joints.empty()) line("widest joint", gap, "m");
  line("speed at the end", speed, "m/s");
  line("worst residual", residual, "");
  return overlap;
}

// A file of its own that is gone afterwards.
class PlainFile {
 public:
  explicit PlainFile(const Scene& scene)
      : path_(std::filesystem::temp_directory_path() / fmt::format("catena-contacts-{}.txt", std::rand())) {
    std::ofstream(path_) << workloads::plain_text(scene);
  }
  ~PlainFile() { std::filesystem::remove(path_); }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  std::string name() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Series sweep_chain(const Sink& sink, int n, Series& direct) {
  constexpr double kLongest = 1;  // s
  ChainProblem chain(n);
  const double once = time_of([&] {
    chain.system->factor(chain.kinematics, true);
    chain.solve_directly();
  });
  sink({"chains", "hanging chain", n, "direct: factor and solve", once * 1e6, "us"});
  // The residual of the direct answer, as an error: what one more sweep from it changes.
  solve::GaussSeidel sweeps;
  solve::Vector z(static_cast<Eigen::Index>(chain.exact.size()));
  std::copy(chain.exact.begin(), chain.exact.end(), z.data());
  sweeps.begin(chain.law_problem.problem(), z);
  sweeps.sweep();
  direct.x.push_back(once);
  direct.y.push_back(std::max(chain.error(sweeps.z()), 1e-16));
  Series series{fmt::format("{} links, sweeps", n)};
  sweeps.begin(chain.law_problem.problem());
  double time = 0;
  long done = 0;
  for (long next = 1; time < kLongest && next <= 1L << 20; next *= 2) {
    const double start = cpu_seconds();
    for (; done < next; ++done) sweeps.sweep();
    time += cpu_seconds() - start;
    const double error = chain.error(sweeps.z());
    series.x.push_back(time);
    series.y.push_back(error);
    sink({"chains", "hanging chain", n, fmt::format("error after {} sweeps", next), error, ""});
    if (error < 1e-12) break;
  }
  sink({"chains", "hanging chain", n, "a sweep", time / static_cast<double>(done) * 1e6, "us"});
  return series;
}

}  // namespace

void contacts(const Sink& sink) {
  const ContactCase cases[] = {{"stack of boxes", 10, workloads::box_stack(10), 200},
                               {"wall of bricks", 100, workloads::brick_wall(), 40},
                               {"pile of mixed shapes", 500, workloads::mixed_pile(500), 400},
                               {"ragdolls on stairs", 5, workloads::ragdolls_on_stairs(5), 200}};
  for (const ContactCase& c : cases) {
    // Peers cut their steps until their overlaps are as small, or this small.
    const double overlap = std::max(ours(sink, c, "automatic", LawSolver::automatic), kSmallOverlap);
    ours(sink, c, "split", LawSolver::split);
    ours(sink, c, "gauss-seidel", LawSolver::gauss_seidel);
    const PlainFile file(c.scene);
    for (const char* peer : {"ode_contacts", "bullet_contacts", "mujoco_contacts"})
      run_peer(sink, "contacts", peer,
               {file.name(), c.name, std::to_string(c.n), fmt::format("{:.17g}", c.scene.settings.step),
                std::to_string(c.steps), fmt::format("{:.17g}", overlap)});
  }
}

void chains(const Sink& sink, const std::string& picture) {
  Panel panel{.title = "Impulses of a hanging chain of hinges: Gauss-Seidel against direct solution",
              .x_label = "CPU time [s]",
              .y_label = "relative error",
              .log_x = true,
              .log_y = true};
  Series direct{.name = "direct, 10 … 1000 links", .colour = "black", .dots = true};
  for (const int n : {10, 30, 100, 300, 1000}) panel.series.push_back(sweep_chain(sink, n, direct));
  panel.series.push_back(direct);
  if (!picture.empty()) std::ofstream(picture) << to_svg({.panels = {panel}, .panel_height = 420});
}

}  // namespace catena::bench
