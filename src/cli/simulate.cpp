// catena simulate, catena check.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/record/recording.h"
#include "catena/record/replay.h"
#include "catena/simulation/interpolate.h"
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
  StepReport steps;  // of all steps; its status is that of the last
  double wall = 0;
  Energy before, after;
};

using Recordings = std::vector<std::unique_ptr<Recording>>;

// In whole steps to the duration, whatever is recorded: rows at times between them are interpolated.
Summary run(Simulation& simulation, const std::vector<double>& times, const Recordings& recordings, std::size_t columns,
            bool quiet) {
  Summary summary;
  summary.before = simulation.energy();
  std::vector<double> row(columns);
  const double end = std::max(simulation.settings().duration, times.empty() ? 0 : times.back());
  Progress progress(end, quiet);
  const auto begin = std::chrono::steady_clock::now();
  SteppedRun stepped(simulation, end);
  std::size_t next = 0;
  double written = -1;  // time of the last row
  const auto write_rows = [&] {
    for (; next < times.size() && stepped.covers(times[next]); ++next) {
      if (recordings.empty()) continue;
      stepped.look_at(times[next], [&] {
        sample(simulation, row);
        row[0] = times[next];  // which may be the end of a step but for rounding
        for (const auto& recording : recordings) {
          recording->write(row);
          recording->write_contacts(simulation.contact_forces());
        }
      });
      written = times[next];
    }
  };
  write_rows();
  while (summary.steps.ok() && !stepped.done()) {
    summary.steps.merge(stepped.step());
    if (summary.steps.ok()) write_rows();
    progress.show(simulation.time());
  }
  if (!summary.steps.ok() && !recordings.empty() && simulation.time() > written) {  // the last good state
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
  if (s.steps.halvings > 0) return "some steps were taken in halves: a shorter step would suit";
  if (s.steps.damped > 0)
    return fmt::format("{} steps were too long for some motions, which are damped: a shorter step would suit",
                       s.steps.damped);
  return "no step was halved";
}

void print_text(const Simulation& simulation, const Summary& s) {
  const Ledger& l = s.after.ledger;
  const double per_step = simulation.steps() > 0 ? s.wall / static_cast<double>(simulation.steps()) * 1e6 : 0;
  fmt::print(stderr, "{} steps to t = {:.6g} s in {:.3g} s ({:.3g} µs a step, {:.3g} times real time)\n",
             simulation.steps(), simulation.time(), s.wall, per_step, s.wall > 0 ? simulation.time() / s.wall : 0);
  fmt::print(stderr,
             "worst drift {:.2e} m, {:.2e} rad (mechanism {:.3g} m); worst residual {:.2e}; complementarity {}\n",
             s.steps.drift_position, s.steps.drift_angle, simulation.size(), s.steps.residual,
             s.steps.contacts > 0 ? fmt::format("{:.2e}", s.steps.complementarity) : "0 (no contacts)");
  if (s.steps.contacts > 0)
    fmt::print(stderr, "at most {} contacts, deepest overlap {:.2e} m, {} impacts, {} fall-backs of the solver\n",
               s.steps.contacts, s.steps.penetration, s.steps.impacts, s.steps.fallbacks);
  if (s.steps.shocks > 0)
    fmt::print(stderr, "{} times friction left no force that obeys the laws (Painlevé): an impulse ended the slip\n",
               s.steps.shocks);
  fmt::print(stderr,
             "energy {:.9g} -> {:.9g} J; work of motors {:.4g}, actuators {:.4g}, loads {:.4g}, damping {:.4g}, "
             "contacts {:.4g}, "
             "projection {:.2e}; "
             "unexplained {:.2e} J\n",
             s.before.total(), s.after.total(), l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection,
             unexplained(s));
  if (simulation.settings().method == Method::impulse)
    fmt::print(stderr, "impulses: at most {} solves a step for positions, {} for velocities; {}\n",
               s.steps.position_iterations, s.steps.velocity_iterations, impulse_remark(s));
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
  return {
      {"name", simulation.model().name},
      {"status", s.steps.ok() ? "ok" : "stopped"},
      {"message", s.steps.message},
      {"steps", simulation.steps()},
      {"time", simulation.time()},
      {"wall_time", s.wall},
      {"real_time_factor", s.wall > 0 ? simulation.time() / s.wall : 0},
      {"drift", {{"position", s.steps.drift_position}, {"angle", s.steps.drift_angle}, {"size", simulation.size()}}},
      {"residual", s.steps.residual},
      {"complementarity", s.steps.complementarity},
      {"penetration", s.steps.penetration},
      {"contacts", s.steps.contacts},
      {"impacts", s.steps.impacts},
      {"shocks", s.steps.shocks},
      {"fallbacks", s.steps.fallbacks},
      {"iterations",
       {{"position", s.steps.position_iterations},
        {"velocity", s.steps.velocity_iterations},
        {"halvings", s.steps.halvings},
        {"damped", s.steps.damped}}},
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
  if (flags.scene.json) fmt::print("{}\n", to_json(simulation, summary).dump(2));
  if (summary.steps.ok()) return kDone;
  fmt::print(stderr, "stopped after {} steps at {}{}\n", simulation.steps(), summary.steps.message,
             flags.out.empty()
                 ? ""
                 : fmt::format("; {} keeps everything up to the last good state", fmt::join(flags.out, " and ")));
  return kStopped;
}

int check(const SceneFlags& flags) {
  const Scene scene = load_scene(flags);
  const Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.quiet);
  const std::size_t warnings = scene.warnings.size() + simulation.warnings().size();
  if (flags.json) {
    nlohmann::json all = scene.warnings;
    for (const std::string& warning : simulation.warnings()) all.push_back(warning);
    fmt::print("{}\n", nlohmann::json{{"status", "ok"}, {"warnings", all}}.dump(2));
  } else if (!flags.quiet) {
    fmt::print("{}: good: {} bodies, {} joints, {} warnings\n", flags.file, scene.model.bodies.size(),
               scene.model.joints.size(), warnings);
  }
  return kDone;
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

Command add_check(CLI::App& app) {
  auto flags = std::make_shared<SceneFlags>();
  CLI::App* command = app.add_subcommand("check", "Validate a scene and close its joints, without running it");
  add_scene_flags(*command, *flags);
  return [flags] { return check(*flags); };
}

}  // namespace catena::cli
