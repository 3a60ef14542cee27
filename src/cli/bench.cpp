// catena bench: measures, one line a figure.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "bench/figures.h"
#include "catena/model/error.h"
#include "commands.h"

namespace catena::cli {
namespace {

struct BenchFlags {
  std::vector<std::string> which;
  bool json = false;
  std::string examples = CATENA_EXAMPLES, problems = CATENA_PROBLEMS, robots = CATENA_ROBOTS;
  std::string picture, report;
  bool fast = false;
  std::vector<std::string> scenes;
  double seconds = 100, budget = 60;
  long steps = 100000;
  int largest = 1000000;
};

void print(const bench::Figure& f, bool json) {
  if (json) {
    fmt::print("{}\n", nlohmann::json{{"bench", f.bench},
                                      {"case", f.name},
                                      {"n", f.n},
                                      {"metric", f.metric},
                                      {"value", f.value},
                                      {"unit", f.unit}}
                           .dump());
  } else {
    fmt::print("{:9} {:34} {:>8} {:36} {:>12.5g} {}\n", f.bench, f.name, f.n, f.metric, f.value, f.unit);
  }
  std::fflush(stdout);
}

int run(const BenchFlags& flags) {
  const bench::Sink sink = [&](const bench::Figure& figure) { print(figure, flags.json); };
  bool missed = false;
  const std::vector<std::pair<std::string, std::function<void()>>> benches = {
      {"accuracy", [&] { bench::accuracy(sink); }},
      {"batch", [&] { bench::batch(sink, flags.robots); }},
      {"chains", [&] { bench::chains(sink, flags.picture); }},
      {"contacts", [&] { bench::contacts(sink); }},
      {"drift", [&] { bench::drift(sink, flags.examples, flags.steps); }},
      {"impulse", [&] { bench::impulse_method(sink, flags.examples, flags.steps); }},
      {"loops", [&] { bench::loops(sink, flags.examples); }},
      {"papers",
       [&] {
         if (flags.report.empty()) return bench::papers(sink, flags.examples, flags.picture);
         if (bench::paper_report(sink, flags.report, flags.examples, flags.fast) > 0) missed = true;
       }},
      {"soak",
       [&] {
         std::vector<std::string> folders = flags.scenes;
         folders.insert(folders.begin(), flags.examples);
         if (bench::soak_table(sink, folders, flags.seconds, flags.budget) > 0) missed = true;
       }},
      {"scaling", [&] { bench::scaling(sink, flags.largest); }},
      {"speed", [&] { bench::speed(sink); }},
      {"peers", [&] { bench::peers(sink); }},
      {"solvers", [&] { bench::solvers(sink, flags.problems); }},
  };
  std::vector<std::string> which = flags.which;
  if (which.empty()) which = {"accuracy", "drift", "impulse", "papers", "scaling", "speed"};
  for (const std::string& name : which) {
    const auto found = std::find_if(benches.begin(), benches.end(), [&](const auto& b) { return b.first == name; });
    if (found == benches.end())
      throw InputError(fmt::format(
          "bench {}: unknown; there are accuracy, batch, chains, contacts, drift, impulse, loops, papers, peers, "
          "scaling, soak, solvers, speed",
          name));
    found->second();
  }
  return missed ? kOther : kDone;
}

}  // namespace

Command add_bench(CLI::App& app) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* command = app.add_subcommand("bench",
                                         "Measure: accuracy, batch, chains, contacts, drift, impulse, loops, papers, "
                                         "peers, scaling, soak, solvers, speed");
  command->add_option(
      "which", flags->which,
      "Which to run; all but batch, chains, contacts, loops, peers, soak and solvers when none is named");
  command->add_flag("--json", flags->json, "JSON lines");
  command->add_option("--examples", flags->examples,
                      "Folder of the example scenes (drift, impulse, loops, papers, soak)");
  command->add_option("--problems", flags->problems, "Folder of the problem files (solvers)");
  command->add_option("--robots", flags->robots, "Folder of the robot files (batch)");
  command->add_option("--picture", flags->picture,
                      "FILE.svg: error against time (chains); convergence, mass ratios, time of a step (papers)");
  command->add_option("--report", flags->report,
                      "FILE.md: the papers claim by claim, our figure beside theirs, with pictures beside it (papers)");
  command->add_flag("--fast", flags->fast, "Leave out what takes minutes (papers --report)");
  command->add_option("--steps", flags->steps, "Steps of the long runs (drift, impulse)")->check(CLI::PositiveNumber);
  command->add_option("--scenes", flags->scenes, "More folders of scenes beside the examples (soak)");
  command->add_option("--seconds", flags->seconds, "Simulated time of each run (soak)")->check(CLI::PositiveNumber);
  command->add_option("--budget", flags->budget, "Processor time of each run, in s (soak)")->check(CLI::PositiveNumber);
  command->add_option("--largest", flags->largest, "Most bodies of the scaling runs")
      ->check(CLI::Range(1000, 10000000));
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
