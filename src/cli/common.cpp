#include "common.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "catena/model/run_limits.h"
#include "catena/model/setting_names.h"

namespace catena::cli {
namespace {

template <class Value, std::size_t n>
Value choose(const char* flag, const std::string& typed, const SettingNames<Value, n>& choices) {
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (name == typed) return value;
    known.emplace_back(name);
  }
  const std::string near = nearest(typed, known);
  throw InputError(fmt::format("{} {}: unknown; {}it takes one of: {}", flag, typed,
                               near.empty() ? "" : fmt::format("did you mean '{}'? ", near), fmt::join(known, ", ")));
}

}  // namespace

void add_scene_flags(CLI::App& command, SceneFlags& flags) {
  command.add_option("scene", flags.file, "Scene file (YAML or JSON), or robot file (.xml MJCF, .urdf)")->required();
  command.add_option("--set", flags.sets, "Change a value of the scene: a.b.c=VALUE")->type_name("KEY=VALUE");
  command.add_flag("--json", flags.json, "One JSON object on stdout");
  command.add_flag("--quiet", flags.quiet, "No warnings, no summary, no progress");
  command.add_flag("--floating", flags.floating, "URDF: the base link is free");
  command.add_option("--package", flags.packages, "Where package://NAME is")->type_name("NAME=DIR");
  command.add_option("--keyframe", flags.keyframe, "Start from this named state of the model");
  command.add_option("--softness", flags.softness,
                     "Of an MJCF file's connect, weld and limits: rigid, or mujoco (as solref and solimp say)");
  command.add_option("--missing-meshes", flags.missing_meshes, "Meshes to collide with that are not there: fail|skip");
  command
      .add_option_function<std::string>(
          "--overlapping", [&flags](const std::string& word) { flags.sets.push_back("collide.overlapping=" + word); },
          "Bodies that overlap at t = 0: separate (scenes)|exclude (default of robot files, between bodies of a robot)")
      ->type_name("WORD");
  command.add_flag("--strict", flags.strict, "Exit with 2 when a robot file's physics was ignored");
}

CLI::Validator number_check(const std::string& flag, Least least, double bound, const std::string& example) {
  const auto check = [=](const std::string& text) {
    double number = 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && std::isfinite(number);
    if (whole && (least == Least::at_least ? number >= bound : number > bound)) return std::string();
    return fmt::format("{} {}: a finite number {} {} is expected, such as {}", flag, text,
                       least == Least::at_least ? "of at least" : "above", bound, example);
  };
  return {check, ""};
}

CLI::Option* add_number(CLI::App& command, const std::string& flag, double& value, const std::string& help, Least least,
                        double bound, const std::string& example) {
  return command.add_option(flag, value, help)->type_name("NUMBER")->check(number_check(flag, least, bound, example));
}

void add_duration_flag(CLI::App& command, double& duration) {
  add_number(command, "--duration", duration, "Seconds to simulate; default: the scene's, or 10", Least::at_least, 0,
             "10");
}

ImportOptions import_options(const SceneFlags& flags) {
  ImportOptions out;
  out.floating = flags.floating;
  out.keyframe = flags.keyframe;
  constexpr SettingNames<bool, 2> kMissing{{{"fail", false}, {"skip", true}}};
  constexpr SettingNames<bool, 2> kSoftness{{{"rigid", false}, {"mujoco", true}}};
  out.missing_meshes = choose("--missing-meshes", flags.missing_meshes, kMissing);
  out.mujoco_softness = choose("--softness", flags.softness, kSoftness);
  for (const std::string& text : flags.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw InputError(fmt::format("--package {}: NAME=DIR is expected", text));
    out.packages[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

void take_import_words(const std::vector<std::string>& words, SceneFlags& flags) {
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
    if (key == "floating") flags.floating = true;
    if (key == "keyframe") flags.keyframe = value;
    if (key == "softness") flags.softness = value;
    if (key == "missing-meshes") flags.missing_meshes = value;
    if (key == "package") flags.packages.push_back(value);
  }
}

namespace {

// What may have been meant by a file that is not there: one in its folder with nearly that name, or an example.
std::string instead_of(const std::filesystem::path& file) {
  std::vector<std::string> beside;
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    beside.push_back(entry.path().filename().string());
  std::sort(beside.begin(), beside.end());
  if (const std::string near = nearest(file.filename().string(), beside); !near.empty())
    return fmt::format("did you mean '{}'?", (file.parent_path() / near).string());
  const std::vector<std::string> examples = example_names();
  const std::string stem = file.stem().string();
  if (std::find(examples.begin(), examples.end(), stem) != examples.end())
    return fmt::format("`catena examples {}` copies the example of that name into this folder", stem);
  return "`catena examples` lists scenes to start from";
}

}  // namespace

Scene load_scene(const SceneFlags& flags) {
  if (std::error_code error; !flags.file.empty() && !std::filesystem::exists(flags.file, error))
    throw InputError(fmt::format("{}: there is no such file; {}", flags.file, instead_of(flags.file)));
  Scene scene = load(flags.file, flags.sets, import_options(flags));
  print_warnings(scene.warnings, flags.quiet);
  if (!flags.quiet)
    for (const std::string& line : brief(scene.ledger)) fmt::print(stderr, "{}\n", line);
  if (flags.strict && ignores_physics(scene.ledger))
    throw InputError(
        fmt::format("{}: physics was ignored, and --strict is given; catena check --ledger lists it", flags.file));
  return scene;
}

nlohmann::json ledger_json(const ImportLedger& ledger) {
  nlohmann::json out = nlohmann::json::array();
  for (const LedgerEntry& e : ledger)
    out.push_back({{"file", e.file},
                   {"line", e.line},
                   {"element", e.element},
                   {"attribute", e.attribute},
                   {"what", word_of(e.what)},
                   {"why", e.why},
                   {"physics", e.physics}});
  return out;
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

void print_warnings(const Warnings& warnings, bool quiet) {
  if (quiet) return;
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
}

void add_method_flags(CLI::App& command, MethodFlags& flags) {
  command.add_option("--method", flags.method, "auto (default)|lagrange|impulse|spook|operational");
  command.add_option(
      "--integrator", flags.integrator,
      "euler|rk4|adaptive|lie|midpoint; default: rk4 (lagrange, impulse), midpoint (spook, operational)");
  command.add_option("--stabilise", flags.stabilise, "projection (default)|baumgarte|none (lagrange)");
  command.add_option(
      "--solver", flags.solver,
      "Joints: auto (default)|tree|fronts|sparse|dense|dense-kkt|cg|cg-tree; impulse also linear (= tree)|sle (= "
      "dense)|sle-sparse (= sparse)|"
      "iterative|parts|parts-in-turn. Contacts: spook direct|split|gauss-seidel; operational gauss-seidel|lemke|cone");
  command.add_option("--coordinates", flags.coordinates,
                     "auto (default: reduced for operational unless loops are many)|maximal|reduced");
  command.add_option("--contacts", flags.contacts,
                     "auto (default: exact unless there are many)|exact|swept (methods spook and operational)");
  command.add_option("--formulation", flags.formulation,
                     "os (default)|nmc|mc|rmc|nmc-os|maximal-os (method operational)");
  command.add_option("--sweeps", flags.sweeps, "Most Gauss-Seidel sweeps a step")->check(CLI::Range(1, 1000000));
  command.add_option("--sweep-algorithm", flags.sweep_algorithm,
                     "Gauss-Seidel (Lacoursière): plain (default, 3.1)|monitored (2.2)|kept-residual (2.1)");
  command.add_option("--sweep-order", flags.sweep_order, "auto (default)|given|symmetric|random|coloured");
  command.add_option("--sweep-friction", flags.sweep_friction,
                     "exact (default)|projection (18)-(19)|approximate (20)-(21)");
  add_number(command, "--sweep-relaxation", flags.sweep_relaxation, "Between 0 and 2; default 1", Least::more_than, 0,
             "1.2");
  add_number(command, "--step", flags.step, "Time step, s; default: the scene's, or 1e-3", Least::more_than, 0, "1e-3");
  add_number(command, "--tolerance", flags.tolerance,
             "Error a step of the adaptive integrator; of the impulse method, both tolerances below", Least::more_than,
             0, "1e-8");
  add_number(command, "--position-tolerance", flags.position_tolerance,
             "Gap a joint may be left with (impulse), m or rad", Least::more_than, 0, "1e-6");
  add_number(command, "--velocity-tolerance", flags.velocity_tolerance,
             "Relative velocity a joint may be left with (impulse), m/s or rad/s", Least::more_than, 0, "1e-6");
  command.add_option(
      "--sleep", flags.sleep,
      "yes: bodies that have come to rest are left out of the steps until something wakes them|no (default)");
  command.add_option("--threads", flags.threads, "Threads (default 1); results are the same for any number")
      ->check(CLI::Range(1, 4096));
  command.add_option("--seed", flags.seed, "Seed of whatever is random")->check(CLI::NonNegativeNumber);
  command
      .add_option("--tune", flags.tune,
                  "A number that decides something in a step, as `catena explain SCENE --tuning` lists them")
      ->type_name("NAME=VALUE");
}

// "velocity.motion_gain=1e-8".
void tune(const std::string& text, Tuning& tuning) {
  const std::size_t equals = text.find('=');
  const char* const begin = text.data() + std::min(equals, text.size() - 1) + 1;
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (equals == std::string::npos || error != std::errc{} || stop != end)
    throw InputError(fmt::format("--tune {}: NAME=VALUE is expected, such as velocity.motion_gain=1e-8", text));
  if (const std::string wrong = set_tuning(tuning, text.substr(0, equals), value); !wrong.empty())
    throw InputError("--tune: " + wrong);
}

void override_settings(const MethodFlags& flags, Settings& settings) {
  MethodWords words;
  Sweeps sweeps = settings.method.sweeps();
  if (!flags.method.empty()) words.method = choose("--method", flags.method, kMethodNames);
  if (!flags.integrator.empty()) words.integrator = choose("--integrator", flags.integrator, kIntegratorNames);
  if (!flags.stabilise.empty()) words.stabilise = choose("--stabilise", flags.stabilise, kStabilisationNames);
  if (!flags.coordinates.empty()) words.coordinates = choose("--coordinates", flags.coordinates, kCoordinatesNames);
  if (!flags.contacts.empty()) words.contacts = choose("--contacts", flags.contacts, kContactModeNames);
  if (!flags.formulation.empty()) words.formulation = choose("--formulation", flags.formulation, kFormulationNames);
  if (!flags.solver.empty()) {
    // A solver of joints leaves the scene's solver of contacts alone, and the other way round.
    const SolverChoice choice = choose("--solver", flags.solver, kSolverNames);
    if (choice.laws != LawSolver::automatic) words.law_solver = choice.laws;
    else words.solver = choice.linear;
  }
  if (flags.sweeps != 0) sweeps.most = flags.sweeps;
  if (!flags.sweep_algorithm.empty())
    sweeps.algorithm = choose("--sweep-algorithm", flags.sweep_algorithm, kSweepAlgorithmNames);
  if (!flags.sweep_order.empty()) sweeps.order = choose("--sweep-order", flags.sweep_order, kSweepOrderNames);
  if (!flags.sweep_friction.empty())
    sweeps.friction = choose("--sweep-friction", flags.sweep_friction, kSweepFrictionNames);
  if (flags.sweep_relaxation != 0) sweeps.relaxation = flags.sweep_relaxation;
  if (!(sweeps.relaxation < 2)) throw InputError("--sweep-relaxation: must lie between 0 and 2");
  words.sweeps = sweeps;
  if (flags.tolerance != 0) words.tolerance = words.position_tolerance = words.velocity_tolerance = flags.tolerance;
  if (flags.position_tolerance != 0) words.position_tolerance = flags.position_tolerance;
  if (flags.velocity_tolerance != 0) words.velocity_tolerance = flags.velocity_tolerance;
  settings.method.change(words);
  if (flags.step != 0) settings.step = flags.step;
  if (!flags.sleep.empty()) settings.sleep = choose("--sleep", flags.sleep, kYesNo);
  if (flags.threads != 0) settings.threads = flags.threads;
  if (flags.seed >= 0) settings.seed = static_cast<std::uint64_t>(flags.seed);
  for (const std::string& each : flags.tune) tune(each, settings.tuning);
  if (const std::string wrong = wrong_times(settings.step, 0); !wrong.empty()) throw InputError(wrong);
}

void check_times(const Settings& settings) {
  if (const std::string wrong = wrong_times(settings.step, settings.duration); !wrong.empty()) throw InputError(wrong);
}

std::string describe(const Model& model, const std::vector<RowName>& rows) {
  std::string text;
  for (const RowName& row : rows) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{}[{}]", model.joints[row.joint].name, row.row);
  }
  return text;
}

}  // namespace catena::cli
