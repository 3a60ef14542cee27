// catena simulate, catena check.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/import/import_words.h"
#include "catena/model/fingerprint.h"
#include "catena/record/checkpoint.h"
#include "catena/record/gltf.h"
#include "catena/record/recording.h"
#include "catena/record/replay.h"
#include "commands.h"
#include "common.h"
#include "interrupt.h"
#include "member.h"
#include "run.h"

namespace catena::cli {
namespace {

struct SimulateFlags {
  SceneFlags scene;
  MethodFlags method;
  double duration = -1, sample = 0;
  std::vector<double> at;
  std::vector<std::string> out;
  std::string checkpoint, resume, member, again;
  double every = 0;
};

bool is_page(const std::string& file) { return file.ends_with(".html") || file.ends_with(".htm"); }

bool is_gltf(const std::string& file) { return file.ends_with(".glb"); }

SampleTimes sample_times(const SimulateFlags& flags, const Settings& settings, std::vector<double> times) {
  if (!flags.at.empty()) times = flags.at;
  if (!times.empty()) {
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const std::size_t count = times.size();
    return {std::move(times), 0, count};
  }
  const bool page = std::any_of(flags.out.begin(), flags.out.end(),
                                [](const std::string& file) { return is_page(file) || is_gltf(file); });
  const double usual = page ? 1.0 / 60 : 0.01;  // a page shows no more
  const double dt = settings.sample > 0 ? settings.sample : std::max(usual, settings.step);
  const double count = std::floor(settings.duration / dt * (1 + 1e-12));
  if (count > 1e8) throw InputError(fmt::format("{:.3g} samples are too many: raise --sample", count));
  return {{}, dt, static_cast<std::size_t>(count) + 1};
}

// What is to be run.
struct Chosen {
  Scene scene;
  std::vector<std::string> sets{};    // what was changed in it
  std::vector<double> times{};        // of its rows, where those of another run are wanted
  std::string folder{};               // of its file
  std::vector<std::string> import{};  // how a robot file was read
};

// All that a recording says of its run: the scene as it was resolved, the settings as they were run, and, unless others are asked for or the run
// was killed, the times of its rows.
Chosen again(const SimulateFlags& flags) {
  const RecordedTable table = read_recording(flags.again);
  if (table.scene.empty() || table.run.empty())
    throw InputError(fmt::format("--again {}: this recording does not carry its run; an .h5 file does", flags.again));
  const RunInfo info = run_info_of(table.run);
  if (info.version != CATENA_VERSION && !flags.scene.quiet)
    fmt::print(stderr, "warning: {} was recorded by version {}; this is {}\n", flags.again, info.version,
               CATENA_VERSION);
  SceneFlags import = flags.scene;
  take_import_words(info.import, import);
  // The text of a scene has its overrides already; that of a robot file is as it was written.
  const std::vector<std::string> sets = is_robot_text(table.scene) ? info.overrides : std::vector<std::string>{};
  Chosen out{load_text(table.scene, flags.again, info.folder, sets, import_options(import)), info.overrides};
  out.scene.settings = info.settings;
  out.folder = info.folder;
  out.import = info.import;
  if (table.finished && flags.at.empty() && flags.sample == 0 && flags.duration < 0) out.times = table.column("time");
  return out;
}

Settings settings_of(const SimulateFlags& flags, const Scene& scene) {
  Settings settings = scene.settings;
  override_settings(flags.method, settings);
  if (flags.duration >= 0) settings.duration = flags.duration;
  if (flags.sample != 0) settings.sample = flags.sample;
  if (!flags.at.empty() && flags.duration < 0) settings.duration = *std::max_element(flags.at.begin(), flags.at.end());
  check_times(settings);
  return settings;
}

void print_end(const Simulation& simulation, const Summary& summary, const std::vector<std::string>& files) {
  const std::string kept =
      files.empty() ? "" : fmt::format("; {} {}", fmt::join(files, " and "), files.size() > 1 ? "keep" : "keeps");
  switch (summary.outcome) {
    case Outcome::done: break;
    case Outcome::stopped:
      fmt::print(stderr, "stopped after {} steps at {}{}\n", simulation.steps(), summary.message,
                 kept.empty() ? "" : kept + " everything up to the last good state");
      break;
    case Outcome::interrupted:
      fmt::print(stderr, "{} after {} steps{}\n", summary.message, simulation.steps(),
                 kept.empty() ? "" : kept + " everything up to there");
      break;
    case Outcome::not_written:
      fmt::print(stderr, "ended after {} steps at t = {:.6g} s: {}{}\n", simulation.steps(), simulation.time(),
                 summary.message, kept.empty() ? "" : kept + " what was written before");
  }
}

// Goes on from a checkpoint of the same model, run with the same settings.
void resume(const std::string& file, const Scene& scene, std::uint64_t model, Simulation& simulation) {
  const Checkpoint checkpoint = read_checkpoint(file);
  const State& state = checkpoint.state;
  if (checkpoint.model != model || state.bodies.size() != scene.model.bodies.size() ||
      state.joint_angles.size() != scene.model.joints.size())
    throw InputError(fmt::format("--resume {}: this is a checkpoint of another model than the scene's", file));
  if (const std::string other = difference(checkpoint.settings, simulation.settings()); !other.empty())
    throw InputError(fmt::format("--resume {}: the run that was set aside and this one differ: {}; give the same flags",
                                 file, other));
  simulation.set_state(state);
  simulation.set_drive(checkpoint.drive);
}

// The scene of the command line, a member of an ensemble, or a run again.
Chosen choose(const SimulateFlags& flags) {
  const int given = (flags.member.empty() ? 0 : 1) + (flags.scene.file.empty() ? 0 : 1) + (flags.again.empty() ? 0 : 1);
  if (given != 1)
    throw InputError(
        "catena simulate: a scene is expected, or --member DIR:NUMBER, or --again RUN, and not more than one");
  if (flags.scene.file.empty() && !flags.scene.sets.empty())
    throw InputError("--member and --again have their values already; --set does not go with them");
  if (!flags.again.empty()) return again(flags);
  std::vector<std::string> sets = flags.scene.sets;
  Scene scene = flags.member.empty() ? load_scene(flags.scene) : load_member(flags.member, sets);
  const std::string folder =
      flags.scene.file.empty() ? "" : std::filesystem::absolute(flags.scene.file).parent_path().string();
  return {std::move(scene), std::move(sets), {}, folder, import_words(import_options(flags.scene))};
}

std::unique_ptr<Recording> open_output(const std::string& file, const Simulation& simulation,
                                       const std::vector<std::string>& columns, const RunInfo& info) {
  if (is_page(file)) {
    Settings settings = simulation.settings();
    MethodWords words = settings.method.words();
    words.integrator = simulation.integrator();  // what auto stood for
    settings.method = MethodSettings(words);
    return open_replay(file, simulation.model(), settings, columns, info);
  }
  if (is_gltf(file)) return open_glb(file, simulation.model(), columns);
  return open_recording(file, columns, info);
}

int simulate(const SimulateFlags& flags) {
  Chosen chosen = choose(flags);
  Scene& scene = chosen.scene;
  const Settings before = scene.settings;
  scene.settings = settings_of(flags, scene);
  // A run that is repeated has the settings that came out of what was asked for; warnings of what was asked were given then.
  const bool as_it_was = !flags.again.empty() && difference(before, scene.settings).empty();
  RunPlan plan{.times = sample_times(flags, scene.settings, chosen.times), .quiet = flags.scene.quiet};
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.scene.quiet || as_it_was);
  plan.checkpoint = {flags.checkpoint, flags.every > 0 ? flags.every : INFINITY, fingerprint(scene)};
  if (!flags.resume.empty()) resume(flags.resume, scene, plan.checkpoint.model, simulation);

  const std::vector<std::string> columns = column_names(simulation.model());
  RunInfo info = run_info(simulation.model(), scene.source, chosen.sets, simulation.settings(), columns);
  info.folder = chosen.folder;
  info.import = chosen.import;
  for (const std::string& file : flags.out) plan.recordings.push_back(open_output(file, simulation, columns, info));
  note_signals();
  const Summary summary = run(simulation, plan);
  if (!flags.scene.quiet) print_summary(simulation, summary);
  if (flags.scene.json) fmt::print("{}\n", summary_json(simulation, summary, scene.ledger));
  if (summary.outcome != Outcome::done) print_end(simulation, summary, flags.out);
  return exit_code(summary);
}

}  // namespace

Command add_simulate(CLI::App& app) {
  auto flags = std::make_shared<SimulateFlags>();
  CLI::App* command = app.add_subcommand("simulate", "Run a scene and record it");
  add_scene_flags(*command, flags->scene);
  command->get_option("scene")->required(false);
  command->add_option("--member", flags->member, "DIR:NUMBER: a member of an ensemble instead of a scene");
  command->add_option("--again", flags->again,
                      "RUN.h5: repeats the run of a recording, to the bit, from the recording alone");
  add_method_flags(*command, flags->method);
  add_duration_flag(*command, flags->duration);
  add_number(*command, "--sample", flags->sample, "Seconds between recorded rows; default 0.01, 1/60 for a page",
             Least::more_than, 0, "0.01");
  command->add_option("--at", flags->at, "Times of the recorded rows: T1,T2,…")
      ->delimiter(',')
      ->check(number_check("--at", Least::at_least, 0, "0,0.5,1"));
  command->add_option("--out", flags->out,
                      "Recording: FILE.csv, FILE.h5, FILE.html or FILE.glb; may be given more than once");
  command->add_option("--checkpoint", flags->checkpoint,
                      "FILE to set the state aside in: at the end of the run, however it ends, and see --every");
  add_number(*command, "--every", flags->every, "Simulated seconds between checkpoints", Least::more_than, 0, "10")
      ->needs("--checkpoint");
  command->add_option("--resume", flags->resume,
                      "Checkpoint FILE to go on from, with the same bits; recordings begin after it");
  command->footer(R"(Examples:
  catena simulate arm.yaml --out run.html                      a page that plays the run
  catena simulate arm.yaml --method spook --step 5e-4 --out run.h5 --out run.csv
  catena simulate arm.yaml --at 0,0.5,1 --out three_rows.csv
  catena simulate arm.yaml --duration 1e4 --checkpoint arm.state --every 10     Ctrl-C sets the state aside, too
  catena simulate arm.yaml --duration 1e4 --resume arm.state   goes on
  catena simulate --member study:17 --out again.html           a member of an ensemble, alone
  catena simulate --again run.h5 --out run.html                the run of a recording once more
Ctrl-C ends the step, closes every file and prints the summary; a second one ends at once.
Exit code: 0 done, 2 wrong input, 3 the simulation stopped, 130 or 143 interrupted, 1 anything else.)");
  return [flags] { return simulate(*flags); };
}

}  // namespace catena::cli
