// catena ensemble: many runs of one scene with other values in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "catena/ensemble/folder.h"
#include "catena/record/replay.h"
#include "commands.h"
#include "common.h"
#include "interrupt.h"
#include "member.h"
#include "progress.h"
#include "run.h"

namespace catena::cli {
namespace {

struct EnsembleFlags {
  std::string file, out, merge, keep = "none", share;
  std::vector<std::string> sets, grid, random, measures;
  MethodFlags method;
  double duration = -1, sample = 0;
  bool latin_hypercube = false, json = false, quiet = false;
  long runs = 0;
};

// What the flags of the method say, as assignments to the scene.
std::vector<std::string> assignments(const EnsembleFlags& flags) {
  std::vector<std::string> out = flags.sets;
  const MethodFlags& m = flags.method;
  const auto word = [&](const char* key, const std::string& value) {
    if (!value.empty()) out.push_back(fmt::format("simulate.{}={}", key, value));
  };
  word("method", m.method);
  word("integrator", m.integrator);
  word("stabilise", m.stabilise);
  word("solver", m.solver);
  word("formulation", m.formulation);
  word("coordinates", m.coordinates);
  word("contacts", m.contacts);
  const auto number = [&](const char* key, double value) {
    if (value > 0) out.push_back(fmt::format("simulate.{}={}", key, value));
  };
  number("step", m.step);
  number("tolerance", m.tolerance);
  number("position_tolerance", m.position_tolerance > 0 ? m.position_tolerance : m.tolerance);
  number("velocity_tolerance", m.velocity_tolerance > 0 ? m.velocity_tolerance : m.tolerance);
  number("sample", flags.sample);
  if (flags.duration >= 0) out.push_back(fmt::format("simulate.duration={}", flags.duration));
  return out;
}

long number_in(const std::string& text, const std::string& what) {
  long out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("{}: '{}' is no whole number", what, text));
  return out;
}

// --share I/N, or what a Slurm array or Open MPI's mpirun say in the environment.
Share share_of(const EnsembleFlags& flags) {
  const auto variable = [](const char* name) -> std::string {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread has begun
    return text != nullptr ? text : "";
  };
  if (!flags.share.empty()) {
    const std::size_t slash = flags.share.find('/');
    if (slash == std::string::npos)
      throw InputError(fmt::format("--share {}: INDEX/COUNT is expected, such as 0/8", flags.share));
    return {number_in(flags.share.substr(0, slash), "--share"), number_in(flags.share.substr(slash + 1), "--share")};
  }
  const std::string task = variable("SLURM_ARRAY_TASK_ID"), tasks = variable("SLURM_ARRAY_TASK_COUNT");
  if (!task.empty() && !tasks.empty()) {
    const std::string first = variable("SLURM_ARRAY_TASK_MIN"), step = variable("SLURM_ARRAY_TASK_STEP");
    const long offset =
        number_in(task, "SLURM_ARRAY_TASK_ID") - (first.empty() ? 0 : number_in(first, "SLURM_ARRAY_TASK_MIN"));
    return {offset / (step.empty() ? 1 : std::max(1L, number_in(step, "SLURM_ARRAY_TASK_STEP"))),
            number_in(tasks, "SLURM_ARRAY_TASK_COUNT")};
  }
  // Processes of one job: under srun, which sets the number of its tasks as the batch script does not, and under Open MPI's mpirun.
  for (const auto& [rank, ranks] :
       {std::pair("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"), std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")})
    if (!variable(rank).empty() && !variable(ranks).empty())
      return {number_in(variable(rank), rank), number_in(variable(ranks), ranks)};
  return {};
}

// All members that wait, in threads. False when a signal ended it.
bool run_members(const Ensemble& ensemble, Manifest& manifest, int threads, bool quiet) {
  const std::vector<long>& waiting = manifest.waiting();
  Progress progress(static_cast<double>(waiting.size()), quiet, Progress::Counts::members);
  std::atomic<std::size_t> next = 0;
  std::size_t ended = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      while (noted_signal() == 0) {
        const std::size_t i = next++;
        if (i >= waiting.size()) return;
        manifest.write(ensemble.run(waiting[i]));
        const std::lock_guard lock(mutex);
        progress.show(static_cast<double>(++ended));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = waiting.size();
    }
  };
  std::vector<std::thread> crew;
  for (int i = 1; i < threads; ++i) crew.emplace_back(work);
  work();
  for (std::thread& thread : crew) thread.join();
  if (failure) std::rethrow_exception(failure);
  return noted_signal() == 0;
}

// none, all, worst:K or members by number.
std::vector<long> kept(const std::string& keep, const Results& results) {
  if (keep == "none") return {};
  if (keep == "all") return worst_members(results, results.size());
  if (keep.starts_with("worst:")) {
    const long count = number_in(keep.substr(6), "--keep");
    if (count < 0) throw InputError("--keep worst:K: K is not negative");
    return worst_members(results, static_cast<std::size_t>(count));
  }
  std::vector<long> out;
  for (std::size_t begin = 0; begin <= keep.size();) {
    const std::size_t end = std::min(keep.find(',', begin), keep.size());
    out.push_back(number_in(keep.substr(begin, end - begin), "--keep (none, all, worst:K or numbers)"));
    if (!results.contains(out.back())) throw InputError(fmt::format("--keep {}: there is no such member", out.back()));
    begin = end + 1;
  }
  return out;
}

// Runs it again, which gives the same bits, and keeps the page. A member that was refused has no run.
void record(const Ensemble& ensemble, long member, const std::filesystem::path& folder) {
  const Scene scene = ensemble.scene(member);
  Simulation simulation(scene, {.threads = 1});
  const std::vector<std::string> columns = column_names(simulation.model());
  const RunInfo info =
      run_info(simulation.model(), scene.source, ensemble.overrides(member), simulation.settings(), columns);
  const double interval = std::max(1.0 / 60, simulation.settings().step);
  RunPlan plan{.times = {{}, interval, static_cast<std::size_t>(simulation.settings().duration / interval) + 1},
               .quiet = true};
  std::filesystem::create_directories(folder / "members");
  plan.recordings.push_back(open_replay(folder / "members" / fmt::format("{}.html", member), simulation.model(),
                                        simulation.settings(), columns, info));
  run(simulation, plan);
}

void print_end(const Ensemble& ensemble, const Results& results, const std::string& folder,
               const EnsembleFlags& flags) {
  long done = 0;
  for (const auto& [member, result] : results) done += result.done() ? 1 : 0;
  const long failed = static_cast<long>(results.size()) - done;
  if (flags.json) {
    fmt::print("{}\n", nlohmann::json{{"status", "ok"},
                                      {"members", ensemble.size()},
                                      {"done", done},
                                      {"failed", failed},
                                      {"table", folder + "/table.csv"}}
                           .dump(2));
  }
  if (flags.quiet) return;
  std::FILE* to = flags.json ? stderr : stdout;
  fmt::print(to, "{} members, {} done, {} failed\n", results.size(), done, failed);
  for (std::size_t k = 0; k < ensemble.spec().measures.size(); ++k) {
    double least = INFINITY, most = -INFINITY;
    for (const auto& [member, result] : results) {
      if (!result.done()) continue;
      least = std::min(least, result.measures[k]);
      most = std::max(most, result.measures[k]);
    }
    if (done > 0) fmt::print(to, "{}: {:.6g} to {:.6g}\n", ensemble.spec().measures[k], least, most);
  }
  fmt::print(to, "{0}/table.csv, {0}/table.h5, {0}/index.html\n", folder);
}

// The table and the page, where every member is there.
int finish(const Ensemble& ensemble, const std::string& folder, const EnsembleFlags& flags, bool must_be_whole) {
  const Results results = read_results(folder, ensemble);
  const long missing = ensemble.size() - static_cast<long>(results.size());
  if (missing > 0) {
    long first = 0;
    while (results.contains(first)) ++first;
    const std::string message = fmt::format("{}: {} of {} members are there; {} are missing, the first is member {}",
                                            folder, results.size(), ensemble.size(), missing, first);
    if (must_be_whole) throw std::runtime_error(message + "; run the ensemble again, it goes on where it was");
    if (!flags.quiet) fmt::print(stderr, "{}; when all shares are done: catena ensemble --merge {}\n", message, folder);
    return kDone;
  }
  std::vector<long> replays = kept(flags.keep, results);
  std::erase_if(replays, [&](long member) { return results.at(member).status == "refused"; });
  for (const long member : replays) record(ensemble, member, folder);
  write_table(folder, ensemble, results);
  write_page(folder, ensemble, results, replays);
  print_end(ensemble, results, folder, flags);
  return kDone;
}

int run_ensemble(const EnsembleFlags& flags) {
  if (!flags.merge.empty()) return finish(Ensemble(read_spec(flags.merge)), flags.merge, flags, true);
  if (flags.file.empty()) throw InputError("catena ensemble: a scene is expected, or --merge DIR");
  if (flags.out.empty()) throw InputError("catena ensemble: --out DIR is expected");
  if (!flags.random.empty() && flags.runs == 0)
    throw InputError("--random: --runs N is expected, the number of draws (of each point of the grid)");
  EnsembleSpec spec = spec_of_file(flags.file, assignments(flags));
  for (const std::string& text : flags.grid) spec.grid.push_back(parse_grid(text));
  for (const std::string& text : flags.random) spec.random.push_back(parse_random(text));
  spec.latin_hypercube = flags.latin_hypercube;
  spec.runs = std::max(1L, flags.runs);
  spec.seed = static_cast<std::uint64_t>(std::max(0L, flags.method.seed));
  spec.measures = flags.measures;
  const Ensemble ensemble(spec);
  const Share share = share_of(flags);
  Manifest manifest(flags.out, ensemble, share);
  note_signals();
  if (!run_members(ensemble, manifest, std::max(1, flags.method.threads), flags.quiet)) {
    fmt::print(stderr, "interrupted; the same command goes on where it was\n");
    return 128 + noted_signal();
  }
  return finish(ensemble, flags.out, flags, false);
}

constexpr const char* kExamples =
    R"(Distributions: uniform(FROM,TO), normal(MEAN,SPREAD), lognormal(MEAN,SPREAD) of the logarithm, loguniform(FROM,TO).
Measures: max min mean rms range first final integral of columns of a recording, and arithmetic.
Examples:
  catena ensemble arm.yaml --grid bodies.hand.mass=1:2:11 --measure 'max(hand.z)' --out study
  catena ensemble arm.yaml --random 'joints.*.damping=lognormal(-2.3,0.3)' --runs 1000 --latin-hypercube --seed 7 \
                  --measure 'rms(joint.elbow.v[0])' --keep worst:5 --threads 8 --out study
  catena simulate --member study:17 --out again.html          one member alone, the same bits
Killed and started again, it goes on where it was. As a Slurm array each task takes its share; afterwards
  catena ensemble --merge study)";

}  // namespace

Scene load_member(const std::string& text, std::vector<std::string>& overrides) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw InputError(fmt::format("--member {}: DIR:NUMBER is expected, such as study:17", text));
  const Ensemble ensemble(read_spec(text.substr(0, colon)));
  const long member = number_in(text.substr(colon + 1), "--member");
  overrides = ensemble.overrides(member);
  return ensemble.scene(member);
}

Command add_ensemble(CLI::App& app) {
  auto flags = std::make_shared<EnsembleFlags>();
  CLI::App* command = app.add_subcommand("ensemble", "Run a scene many times with other values in it");
  command->add_option("scene", flags->file, "Scene file, or robot (MJCF, URDF)");
  command->add_option("--set", flags->sets, "Change a value of the scene: a.b.c=VALUE")->type_name("KEY=VALUE");
  command->add_option("--grid", flags->grid, "PATH=FROM:TO:COUNT; every combination with the others; '*' in PATH")
      ->type_name("AXIS");
  command->add_option("--random", flags->random, "PATH=DISTRIBUTION(A,B), drawn for each member; '*' in PATH")
      ->type_name("AXIS");
  command->add_flag("--latin-hypercube", flags->latin_hypercube,
                    "One draw in each of N equally likely parts of every distribution");
  command->add_option("--runs", flags->runs, "Draws of each point of the grid")->check(CLI::PositiveNumber);
  command->add_option("--measure", flags->measures, "Number of a run to put into the table, such as 'max(foot.z)'");
  command->add_option("--keep", flags->keep,
                      "Replays: none (default), all, worst:K by the first measure, or numbers 3,17");
  command->add_option("--out", flags->out, "Folder of the results; one that was begun is gone on with");
  command->add_option("--share", flags->share,
                      "INDEX/COUNT: take this share of the members (default: Slurm's, or all)");
  command->add_option("--merge", flags->merge,
                      "DIR: make the table of the shares that are done, and check that all are");
  add_method_flags(*command, flags->method);
  add_duration_flag(*command, flags->duration);
  add_number(*command, "--sample", flags->sample, "Seconds between samples of measures; default 0.01", Least::more_than,
             0, "0.01");
  command->add_flag("--json", flags->json, "One JSON object on stdout");
  command->add_flag("--quiet", flags->quiet, "No progress, no summary");
  command->footer(kExamples);
  return [flags] { return run_ensemble(*flags); };
}

}  // namespace catena::cli
