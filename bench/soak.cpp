#include "bench/soak.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "bench/figures.h"
#include "catena/catena.h"
#include "catena/model/setting_names.h"

namespace catena::bench {
namespace {

constexpr double kLeastEnergy = 1e-9;  // J: without weight and motion there is only rounding to compare with

// Resident memory of this process; 0 where the system does not tell.
long resident_bytes() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  return file >> all >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

double without_work(const Energy& energy) {
  const Ledger& l = energy.ledger;
  return energy.total() - l.motors - l.actuators - l.external - l.damping - l.contacts;
}

// Contacts, friction and dampers only take: what is above this at the start was made, however their work is booked.
double without_work_put_in(const Energy& energy) {
  const Ledger& l = energy.ledger;
  return energy.total() - l.motors - l.actuators - l.external;
}

double weight_times_size(const Simulation& simulation) {
  double mass = 0;
  for (const Body& body : simulation.model().bodies) mass += body.mass;
  return mass * norm(simulation.model().gravity) * simulation.size();
}

}  // namespace

SoakRun soak(const Scene& scene, Method method, const SoakOptions& options) {
  SoakRun run;
  // What a scene chose for its own method need not be there for the others.
  Simulation simulation(scene, Options{.method = MethodWords{.method = method,
                                                             .integrator = Integrator::automatic,
                                                             .stabilise = Stabilisation::projection,
                                                             .solver = LinearSolver::automatic,
                                                             .law_solver = LawSolver::automatic,
                                                             .formulation = Formulation::operational_space}});
  const Energy first = simulation.energy();
  const double weight = weight_times_size(simulation), began = cpu_seconds();
  double before = without_work(first), spent = 0;
  std::array<double, 3> third{};
  std::array<long, 3> steps{};
  long memory = 0;
  run.scale = std::max(weight + first.kinetic, kLeastEnergy);
  while (simulation.time() < options.seconds - simulation.slack() && spent < options.budget) {
    const StepReport report = simulation.step();
    run.replaced += report.replaced;
    const double now = cpu_seconds() - began;
    const double share = std::max(simulation.time() / options.seconds, now / options.budget);
    const std::size_t part = std::min<std::size_t>(2, static_cast<std::size_t>(3 * share));
    third[part] += now - spent;
    ++steps[part];
    if (part >= 1 && memory == 0) memory = resident_bytes();
    spent = now;
    if (!report.ok()) {
      run.stopped = true;
      run.message = report.message;
      break;
    }
    const Energy energy = simulation.energy();
    const double kept = without_work(energy);
    run.step_gain = std::max(run.step_gain, kept - before);
    run.gain = std::max(run.gain, kept - without_work(first));
    run.made = std::max(run.made, without_work_put_in(energy) - without_work_put_in(first));
    run.scale = std::max(run.scale, weight + energy.kinetic + std::abs(energy.potential - first.potential));
    before = kept;
  }
  run.until = simulation.time();
  run.memory = memory > 0 ? resident_bytes() - memory : 0;
  run.step_time = simulation.steps() > 0 ? spent / static_cast<double>(simulation.steps()) : 0;
  if (steps[1] > 0 && steps[2] > 0 && third[1] > 0)
    run.slowing = third[2] / static_cast<double>(steps[2]) / (third[1] / static_cast<double>(steps[1]));
  return run;
}

int soak_table(const Sink& sink, const std::vector<std::string>& folders, double seconds, double budget) {
  constexpr double kGain = 1e-6;  // of the scale of energy
  int failures = 0, runs = 0;
  for (const std::string& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files)
      for (const Method method : {Method::lagrange, Method::impulse, Method::spook, Method::operational}) {
        const std::string name = fmt::format("{}, {}", file.stem().string(), word_of(kMethodNames, method));
        const auto tell = [&](const char* metric, double value, const char* unit) {
          sink({"soak", name, runs, metric, value, unit});
        };
        ++runs;
        try {
          const SoakRun run = soak(load(file), method, {seconds, budget});
          tell(run.stopped ? "STOPPED at" : "until", run.until, "s");
          tell("energy made", run.made / run.scale, "relative");
          tell("gain beyond work", run.gain / run.scale, "relative");
          tell("most gain of a step", run.step_gain / run.scale, "relative");
          tell("growth of memory", static_cast<double>(run.memory) / 1024, "KiB");
          tell("slowing down", run.slowing, "times");
          tell("a step", 1e6 * run.step_time, "us");
          tell("steps by the implicit scheme", run.replaced, "");
          failures += run.stopped || run.gain > kGain * run.scale ? 1 : 0;
        } catch (const std::exception& error) {
          tell(fmt::format("refused: {}", error.what()).c_str(), 0, "");  // at the door, with a reason: no failure
        }
      }
  }
  sink({"soak", "all", runs, "runs that stop, or gain more than 1e-6", static_cast<double>(failures), ""});
  return failures;
}

}  // namespace catena::bench
