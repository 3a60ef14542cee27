// catena simulate, catena check.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/record/recording.h"
#include "catena/record/replay.h"
#include "commands.h"
#include "common.h"
#include "progress.h"

namespace catena::cli {
namespace {

struct Flags {
  SceneFlags scene;
  MethodFlags method;
  double duration = -1, sample = 0;
  std::vector<double> at;
  std::vector<std::string> out;
};

bool is_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

// The times at which a row is recorded.
std::vector<double> sample_times(const Flags& flags, const Settings& settings) {
  for (const double t : flags.at)
    if (!(t >= 0) || !std::isfinite(t)) throw InputError("--at takes times of at least 0 s");
  if (!flags.at.empty()) {
    std::vector<double> times = flags.at;
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }
  const bool page = std::any_of(flags.out.begin(), flags.out.end(), is_page);
  const double usual = page ? 1.0 / 60 : 0.01;  // a page shows no more
  const double dt = settings.sample > 0 ? settings.sample : std::max(usual, settings.step);
  const double count = std::floor(settings.duration / dt * (1 + 1e-12));
  if (count > 1e8) throw InputError(fmt::format("{:.3g} samples are too many: raise --sample", count));
  std::vector<double> times;
  for (long i = 0; i <= static_cast<long>(count); ++i) times.push_back(static_cast<double>(i) * dt);
  return times;
}

Settings settings_of(const Flags& flags, const Scene& scene) {
  Settings settings = scene.settings;
  override_settings(flags.method, settings);
  if (flags.duration >= 0) settings.duration = flags.duration;
  if (flags.sample != 0) settings.sample = flags.sample;
  if (settings.sample < 0) throw InputError("--sample must be a positive number of seconds");
  if (!flags.at.empty() && flags.duration < 0) settings.duration = *std::max_element(flags.at.begin(), flags.at.end());
  return settings;
}

struct Summary {
  StepReport last;  // the report that stopped the run, or the worst of all
  double residual = 0, drift_position = 0, drift_angle = 0;
  double complementarity = 0, penetration = 0;
  int impacts = 0, shocks = 0, most_contacts = 0, fallbacks = 0;
  int position_iterations = 0, velocity_iterations = 0, halvings = 0;  // method impulse, the most of a step
  int damped = 0;                                                      // and steps closed at their end
  double wall = 0;
  Energy before, after;
};

void include(const StepReport& report, Summary& summary) {
  summary.last = report;
  summary.residual = std::max(summary.residual, report.residual);
  summary.complementarity = std::max(summary.complementarity, report.complementarity);
  summary.penetration = std::max(summary.penetration, report.penetration);
  summary.impacts += report.impacts;
  summary.shocks += report.shocks;
  summary.most_contacts = std::max(summary.most_contacts, report.contacts);
  summary.fallbacks = std::max(summary.fallbacks, report.fallbacks);
  summary.drift_position = std::max(summary.drift_position, report.drift_position);
  summary.drift_angle = std::max(summary.drift_angle, report.drift_angle);
  summary.position_iterations = std::max(summary.position_iterations, report.position_iterations);
  summary.velocity_iterations = std::max(summary.velocity_iterations, report.velocity_iterations);
  summary.halvings = std::max(summary.halvings, report.halvings);
  summary.damped += report.damped;
}

using Recordings = std::vector<std::unique_ptr<Recording>>;

Summary run(Simulation& simulation, const std::vector<double>& times, const Recordings& recordings, std::size_t columns,
            bool quiet) {
  Summary summary;
  summary.before = simulation.energy();
  std::vector<double> row(columns);
  Progress progress(simulation.settings().duration, quiet);
  const auto begin = std::chrono::steady_clock::now();
  // Long gaps between samples are walked in parts, so that the progress bar moves.
  const auto advance = [&](double to) {
    while (simulation.time() < to) {
      include(simulation.advance_to(std::min(to, simulation.time() + 100 * simulation.settings().step)), summary);
      if (!summary.last.ok()) return false;
      progress.show(simulation.time());
    }
    return true;
  };
  bool good = true;
  double written = -1;  // time of the last row
  for (const double time : times) {
    good = advance(time);
    if (!good) break;
    if (recordings.empty()) continue;
    sample(simulation, row);
    for (const auto& recording : recordings) {
      recording->write(row);
      recording->write_contacts(simulation.contact_forces());
    }
    written = simulation.time();
  }
  if (good) good = advance(simulation.settings().duration);
  if (!good && !recordings.empty() && simulation.time() > written) {  // the last good state
    sample(simulation, row);
    for (const auto& recording : recordings) recording->write(row);
  }
  for (const auto& recording : recordings) recording->finish();
  summary.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  summary.after = simulation.energy();
  return summary;
}

// What the books do not explain: change of energy minus the work of motors, actuators, loads, damping and projection.
double unexplained(const Summary& s) {
  const Ledger& l = s.after.ledger;
  return s.after.total() - s.before.total() -
         (l.motors + l.actuators + l.external + l.damping + l.contacts + l.projection);
}

std::string impulse_remark(const Summary& s) {
  if (s.halvings > 0) return "some steps were taken in halves: a shorter step would suit";
  if (s.damped > 0)
    return fmt::format("{} steps were too long for some motions, which are damped: a shorter step would suit",
                       s.damped);
  return "no step was halved";
}

void print_text(const Simulation& simulation, const Summary& s) {
  const Ledger& l = s.after.ledger;
  const double per_step = simulation.steps() > 0 ? s.wall / static_cast<double>(simulation.steps()) * 1e6 : 0;
  fmt::print(stderr, "{} steps to t = {:.6g} s in {:.3g} s ({:.3g} µs a step, {:.3g} times real time)\n",
             simulation.steps(), simulation.time(), s.wall, per_step, s.wall > 0 ? simulation.time() / s.wall : 0);
  fmt::print(stderr,
             "worst drift {:.2e} m, {:.2e} rad (mechanism {:.3g} m); worst residual {:.2e}; complementarity {}\n",
             s.drift_position, s.drift_angle, simulation.size(), s.residual,
             s.most_contacts > 0 ? fmt::format("{:.2e}", s.complementarity) : "0 (no contacts)");
  if (s.most_contacts > 0)
    fmt::print(stderr, "at most {} contacts, deepest overlap {:.2e} m, {} impacts, {} fall-backs of the solver\n",
               s.most_contacts, s.penetration, s.impacts, s.fallbacks);
  if (s.shocks > 0)
    fmt::print(stderr, "{} times friction left no force that obeys the laws (Painlevé): an impulse ended the slip\n",
               s.shocks);
  fmt::print(stderr,
             "energy {:.9g} -> {:.9g} J; work of motors {:.4g}, actuators {:.4g}, loads {:.4g}, damping {:.4g}, "
             "contacts {:.4g}, "
             "projection {:.2e}; "
             "unexplained {:.2e} J\n",
             s.before.total(), s.after.total(), l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection,
             unexplained(s));
  if (simulation.settings().method == Method::impulse)
    fmt::print(stderr, "impulses: at most {} solves a step for positions, {} for velocities; {}\n",
               s.position_iterations, s.velocity_iterations, impulse_remark(s));
  if (const std::string remark = simulation.system().remark(); !remark.empty())
    fmt::print(stderr, "solver: {}\n", remark);
  const auto& redundant = simulation.system().redundant();
  if (!redundant.empty())
    fmt::print(stderr, "{} redundant rows, solved with least-norm forces: {}\n", redundant.size(),
               describe(simulation.model(), redundant));
}

nlohmann::json to_json(const Simulation& simulation, const Summary& s) {
  const Ledger& l = s.after.ledger;
  nlohmann::json redundant = nlohmann::json::array();
  for (const RowName& row : simulation.system().redundant())
    redundant.push_back({{"joint", simulation.model().joints[row.joint].name}, {"row", row.row}});
  return {{"name", simulation.model().name},
          {"status", s.last.ok() ? "ok" : "stopped"},
          {"message", s.last.message},
          {"steps", simulation.steps()},
          {"time", simulation.time()},
          {"wall_time", s.wall},
          {"real_time_factor", s.wall > 0 ? simulation.time() / s.wall : 0},
          {"drift", {{"position", s.drift_position}, {"angle", s.drift_angle}, {"size", simulation.size()}}},
          {"residual", s.residual},
          {"complementarity", s.complementarity},
          {"penetration", s.penetration},
          {"contacts", s.most_contacts},
          {"impacts", s.impacts},
          {"shocks", s.shocks},
          {"fallbacks", s.fallbacks},
          {"iterations",
           {{"position", s.position_iterations},
            {"velocity", s.velocity_iterations},
            {"halvings", s.halvings},
            {"damped", s.damped}}},
          {"solver", simulation.system().remark()},
          {"energy",
           {{"before", s.before.total()},
            {"after", s.after.total()},
            {"kinetic", s.after.kinetic},
            {"potential", s.after.potential},
            {"motors", l.motors},
            {"actuators", l.actuators},
            {"external", l.external},
            {"damping", l.damping},
            {"contacts", l.contacts},
            {"projection", l.projection},
            {"unexplained", unexplained(s)}}},
          {"redundant", redundant}};
}

int simulate(const Flags& flags) {
  Scene scene = load_scene(flags.scene);
  scene.settings = settings_of(flags, scene);
  const std::vector<double> times = sample_times(flags, scene.settings);
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.scene.quiet);

  const std::vector<std::string> columns = column_names(simulation.model());
  Recordings recordings;
  for (const std::string& file : flags.out)
    recordings.push_back(is_page(file) ? open_replay(file, simulation.model(), simulation.settings(), columns)
                                       : open_recording(file, columns, scene.source));
  const Summary summary = run(simulation, times, recordings, columns.size(), flags.scene.quiet);
  if (!flags.scene.quiet) print_text(simulation, summary);
  if (flags.scene.json) {
    nlohmann::json result = to_json(simulation, summary);
    if (!scene.ledger.empty()) result["ledger"] = ledger_json(scene.ledger);
    fmt::print("{}\n", result.dump(2));
  }
  if (summary.last.ok()) return kDone;
  fmt::print(stderr, "stopped after {} steps at {}{}\n", simulation.steps(), summary.last.message,
             flags.out.empty()
                 ? ""
                 : fmt::format("; {} keeps everything up to the last good state", fmt::join(flags.out, " and ")));
  return kStopped;
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("simulate", "Run a scene and record it");
  add_scene_flags(*command, flags->scene);
  add_method_flags(*command, flags->method);
  add_duration_flag(*command, flags->duration);
  command->add_option("--sample", flags->sample, "Seconds between recorded rows");
  command->add_option("--at", flags->at, "Times of the recorded rows: T1,T2,…")->delimiter(',');
  command->add_option("--out", flags->out, "Recording: FILE.csv, FILE.h5 or FILE.html; may be given more than once");
  return [flags] { return simulate(*flags); };
}

}  // namespace catena::cli
