#include "common.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "catena/model/setting_names.h"

namespace catena::cli {
namespace {

template <class Value>
Value choose(const char* flag, const std::string& typed, const std::map<std::string, Value>& choices) {
  if (const auto found = choices.find(typed); found != choices.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) known.push_back(name);
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
  command.add_option("--softness", flags.softness, "Of a robot file's contacts, limits and equalities: rigid");
  command.add_option("--missing-meshes", flags.missing_meshes, "Meshes to collide with that are not there: fail|skip");
  command.add_flag("--strict", flags.strict, "Exit with 2 when a robot file's physics was ignored");
}

void add_duration_flag(CLI::App& command, double& duration) {
  command.add_option("--duration", duration, "Seconds to simulate")->check([](const std::string& text) {
    return text.starts_with('-') ? "'" + text + "': a number of seconds is due, 0 or more" : std::string();
  });
}

namespace {

ImportOptions import_options(const SceneFlags& flags) {
  ImportOptions out;
  out.floating = flags.floating;
  out.keyframe = flags.keyframe;
  out.missing_meshes = choose<bool>("--missing-meshes", flags.missing_meshes, {{"fail", false}, {"skip", true}});
  out.mujoco_softness = choose<bool>("--softness", flags.softness, {{"rigid", false}, {"mujoco", true}});
  for (const std::string& text : flags.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw InputError(fmt::format("--package {}: NAME=DIR is due", text));
    out.packages[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

}  // namespace

Scene load_scene(const SceneFlags& flags) {
  Scene scene = load(flags.file, flags.sets, import_options(flags));
  print_warnings(scene.warnings, flags.quiet);
  if (!flags.quiet)
    for (const std::string& line : brief(scene.ledger)) fmt::print(stderr, "{}\n", line);
  if (flags.strict && ignores_physics(scene.ledger))
    throw InputError(fmt::format("{}: physics was ignored, and --strict is given; catena check lists it", flags.file));
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

void print_warnings(const Warnings& warnings, bool quiet) {
  if (quiet) return;
  for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
}

void add_method_flags(CLI::App& command, MethodFlags& flags) {
  command.add_option("--method", flags.method, "auto|lagrange|impulse|spook|operational");
  command.add_option("--integrator", flags.integrator, "euler|rk4|adaptive|lie|midpoint");
  command.add_option("--stabilise", flags.stabilise, "projection|baumgarte|none");
  command.add_option(
      "--solver", flags.solver,
      "auto|tree|sparse|dense; impulse also: linear (tree), sle (dense), sle-sparse, iterative, parts; spook also: "
      "direct|split|gauss-seidel; operational: gauss-seidel|lemke|cone");
  command.add_option("--formulation", flags.formulation, "nmc|mc|rmc|os|nmc-os|maximal-os (method operational)");
  command.add_option("--step", flags.step, "Time step, s");
  command.add_option("--tolerance", flags.tolerance,
                     "Error a step of the adaptive integrator; of the method impulse, both tolerances below");
  command.add_option("--position-tolerance", flags.position_tolerance,
                     "Gap a joint may be left with (impulse), m or rad");
  command.add_option("--velocity-tolerance", flags.velocity_tolerance,
                     "Relative velocity a joint may be left with (impulse), m/s or rad/s");
  command.add_option("--threads", flags.threads, "Threads; results are the same for any number");
  command.add_option("--seed", flags.seed, "Seed of whatever is random");
}

void override_settings(const MethodFlags& flags, Settings& settings) {
  if (!flags.method.empty())
    settings.method = choose<Method>("--method", flags.method,
                                     {{"auto", Method::automatic},
                                      {"lagrange", Method::lagrange},
                                      {"impulse", Method::impulse},
                                      {"spook", Method::spook},
                                      {"operational", Method::operational}});
  if (!flags.integrator.empty())
    settings.integrator = choose<Integrator>("--integrator", flags.integrator,
                                             {{"euler", Integrator::euler},
                                              {"rk4", Integrator::rk4},
                                              {"adaptive", Integrator::adaptive},
                                              {"lie", Integrator::lie},
                                              {"midpoint", Integrator::midpoint}});
  if (!flags.stabilise.empty())
    settings.stabilise = choose<Stabilisation>("--stabilise", flags.stabilise,
                                               {{"projection", Stabilisation::projection},
                                                {"baumgarte", Stabilisation::baumgarte},
                                                {"none", Stabilisation::none}});
  const std::map<std::string, LawSolver> law_solvers = {{"direct", LawSolver::direct},
                                                        {"split", LawSolver::split},
                                                        {"gauss-seidel", LawSolver::gauss_seidel},
                                                        {"lemke", LawSolver::lemke},
                                                        {"cone", LawSolver::cone}};
  if (law_solvers.contains(flags.solver)) {
    settings.law_solver = law_solvers.at(flags.solver);
  } else if (!flags.solver.empty()) {
    settings.solver = choose<LinearSolver>("--solver", flags.solver,
                                           {{"auto", LinearSolver::automatic},
                                            {"tree", LinearSolver::tree},
                                            {"sparse", LinearSolver::sparse},
                                            {"dense", LinearSolver::dense},
                                            {"linear", LinearSolver::tree},
                                            {"sle", LinearSolver::dense},
                                            {"sle-sparse", LinearSolver::sparse},
                                            {"iterative", LinearSolver::iterative},
                                            {"parts", LinearSolver::parts}});
  }
  if (!flags.formulation.empty())
    settings.formulation =
        choose<Formulation>("--formulation", flags.formulation, {kFormulationNames.begin(), kFormulationNames.end()});
  if (flags.step != 0) settings.step = flags.step;
  if (flags.tolerance != 0)
    settings.tolerance = settings.position_tolerance = settings.velocity_tolerance = flags.tolerance;
  if (flags.position_tolerance != 0) settings.position_tolerance = flags.position_tolerance;
  if (flags.velocity_tolerance != 0) settings.velocity_tolerance = flags.velocity_tolerance;
  if (flags.threads != 0) settings.threads = flags.threads;
  if (flags.seed >= 0) settings.seed = static_cast<std::uint64_t>(flags.seed);
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
