// catena explain: what the scene is made of, which constraints are primary and which auxiliary, what `auto` picks and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/joints/front_system.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/dynamics.h"
#include "catena/mechanism/formulation.h"
#include "catena/model/setting_names.h"
#include "catena/model/stretching_form.h"
#include "catena/model/tuning.h"
#include "catena/primary/parts.h"
#include "catena/simulation/choose_method.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

nlohmann::json names(const Model& model, const std::vector<JointId>& joints) {
  nlohmann::json out = nlohmann::json::array();
  for (const JointId joint : joints) out.push_back(model.joints[joint].name);
  return out;
}

// What the solver `parts` of the method impulse would make of it; null where couplings rule it out.
nlohmann::json parts(const Model& model, const Kinematics& kinematics) try {
  const std::vector<Part> all = acyclic_parts(model, kinematics);
  std::size_t layers = 0, largest = 0;
  for (const Part& part : all) {
    layers = std::max(layers, part.layer + 1);
    largest = std::max(largest, part.joints.size());
  }
  return {{"count", all.size()}, {"layers", layers}, {"largest", largest}};
} catch (const InputError&) {
  return nullptr;
}

// Sizes of the contact problem in Jain's formulations (method operational), with the contacts of the start or, where there are none, four;
// null where joint coordinates do not describe the model.
nlohmann::json formulations(const Model& model, const Kinematics& kinematics) try {
  constexpr int kFacets = 4, kContacts = 4;
  const Model lawless = without_lawful_joints(model);
  const ReducedModel reduced(lawless);
  Laws laws(model, kinematics, Settings{}.contact_margin);
  laws.find(kinematics);
  const int found = static_cast<int>(laws.contacts().size()), contacts = found > 0 ? found : kContacts;
  nlohmann::json sizes;
  for (const auto& [word, formulation] : kFormulationNames)
    sizes[std::string(word)] = formulation_size(formulation, reduced, contacts, kFacets);
  return {{"contacts", contacts},
          {"facets", kFacets},
          {"freedoms", reduced.freedoms()},
          {"held_rows", HeldRows(reduced).rows()},
          {"sizes", sizes}};
} catch (const InputError&) {
  return nullptr;
}

// Bodies that are eliminated together where joints close loops (primary/fronts.h), and how clearly rows that depend on others were told from the rest.
nlohmann::json fronts(const FrontElimination& elimination) {
  const FrontPlan& plan = elimination.plan();
  std::size_t single = 0;
  int interior = 0;
  for (const BodyFront& front : plan.fronts) {
    single += front.interior == 1 ? 1 : 0;
    interior = std::max(interior, front.interior);
  }
  return {{"count", plan.fronts.size()},
          {"single_bodies", single},
          {"most_bodies", interior},
          {"widest_boundary", plan.widest},
          {"flops", plan.flops},
          {"least_pivot", std::min(elimination.least_pivot(), 1.0)},
          {"largest_null", elimination.largest_null()}};
}

// Joints outside the forest, without those that are there because a body has a form.
std::size_t loop_count(const Model& model, const Forest& forest) {
  const auto has_form = [&](BodyId body) { return body.valid() && changes_form(model.bodies[body].kind); };
  return static_cast<std::size_t>(std::count_if(forest.auxiliary.begin(), forest.auxiliary.end(), [&](JointId joint) {
    return !has_form(model.joints[joint].a) && !has_form(model.joints[joint].b);
  }));
}

// As a scene file calls it.
std::string_view word_of_kind(const Body& body) {
  return dynamic_cast<const StretchingForm*>(body.form.get()) ? "stretching" : name_of(body.kind);
}

// `chosen`: with everything left to auto.
nlohmann::json topology(const Simulation& simulation, const Simulation& chosen) {
  const Model& model = simulation.model();
  const Forest forest = build_forest(model);
  const SystemSizes sizes = system_sizes(model);
  std::map<std::string, int> body_kinds, joint_kinds;
  int freedoms = 0;
  for (const Body& body : model.bodies) {
    if (body.kind != BodyKind::form) ++body_kinds[std::string(word_of_kind(body))];
    freedoms += body.kind == BodyKind::form ? body.form->coordinates() : dimension(body.kind);
  }
  for (const Joint& joint : model.joints) ++joint_kinds[std::string(name_of(joint.kind))];
  std::vector<JointId> primary;
  for (const ForestNode& node : forest.nodes)
    if (node.joint.valid()) primary.push_back(node.joint);

  // The rank of all rows together tells the freedoms that are left.
  Dynamics& dynamics = simulation.evaluate();
  const bool has_fronts = fronts_decline(model).empty() && sizes.front_flops < 1e300;
  const auto system =
      make_constraint_system(model, has_fronts ? LinearSolver::fronts : LinearSolver::tree, 1, &dynamics.kinematics());
  system->factor(dynamics.kinematics(), true);
  nlohmann::json redundant = nlohmann::json::array();
  for (const RowName& row : system->redundant())
    redundant.push_back(fmt::format("{}[{}]", model.joints[row.joint].name, row.row));
  const int rows = sizes.primary_rows + sizes.auxiliary_rows;
  const LinearSolver solver = choose_solver(sizes, LinearSolver::automatic);
  Settings open;
  open.step = simulation.settings().step;
  const MethodChoice choice = choose_method(model, simulation.state(), open);
  return {{"name", model.name},
          {"bodies", {{"count", body_count(model)}, {"kinds", body_kinds}, {"freedoms", freedoms}}},
          {"joints", {{"count", model.joints.size()}, {"kinds", joint_kinds}, {"rows", rows}}},
          {"trees", forest.trees},
          {"depth", forest.depth},
          {"loops", loop_count(model, forest)},
          {"primary", names(model, primary)},
          {"auxiliary", names(model, forest.auxiliary)},
          {"primary_rows", sizes.primary_rows},
          {"auxiliary_rows", sizes.auxiliary_rows},
          {"redundant", redundant},
          {"degrees_of_freedom", freedoms - rows + static_cast<int>(redundant.size())},
          {"size", simulation.size()},
          {"parts", parts(model, dynamics.kinematics())},
          {"flops",
           {{"tree", sizes.tree_flops},
            {"fronts", has_fronts ? nlohmann::json(sizes.front_flops) : nlohmann::json()},
            {"sparse", sizes.auxiliary_rows > 0 ? nlohmann::json(sizes.sparse_flops) : nlohmann::json()}}},
          {"fronts", has_fronts ? fronts(static_cast<const FrontSystem&>(*system).elimination()) : nlohmann::json()},
          {"auto",
           {{"method", word_of(kMethodNames, choice.method)},
            {"why", choice.why},
            {"solver", word_of(kLinearSolverNames, solver)},
            {"integrator", word_of(kIntegratorNames, chosen.integrator())}}},
          {"run",
           {{"method", word_of(kMethodNames, simulation.settings().method)},
            {"integrator", word_of(kIntegratorNames, simulation.integrator())},
            {"coordinates", word_of(kCoordinatesNames, simulation.settings().method.coordinates())},
            {"solver", word_of(kLinearSolverNames, simulation.settings().method.solver())}}},
          {"formulations", formulations(model, dynamics.kinematics())}};
}

std::string list(const nlohmann::json& names, std::size_t most = 12) {
  std::vector<std::string> shown;
  for (const auto& name : names) {
    if (shown.size() == most) break;
    shown.push_back(name.get<std::string>());
  }
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > most) text += fmt::format(", … ({} in all)", names.size());
  return text.empty() ? "none" : text;
}

std::string count_kinds(const nlohmann::json& kinds) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds.items()) parts.push_back(fmt::format("{} {}", count.get<int>(), kind));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// What the table below says, for those who read it for the first time.
void print_words(const nlohmann::json& t) {
  const auto bodies = t["bodies"]["count"].get<std::size_t>(), joints = t["joints"]["count"].get<std::size_t>();
  const auto freedoms = t["degrees_of_freedom"].get<std::size_t>();
  fmt::print("{} and {} that can move in {}.\n", counted(bodies, "body", "bodies"), counted(joints, "joint", "joints"),
             counted(freedoms, "independent way", "independent ways"));
  if (const auto loops = t["loops"].get<std::size_t>(); loops > 0)
    fmt::print("{}, between bodies that others connect already; loops stay closed like all joints.\n",
               counted(loops, "joint closes a loop", "joints close loops"));
  if (const std::size_t redundant = t["redundant"].size(); redundant > 0)
    fmt::print("{} from the others. That is normal in closed loops and needs no attention.\n",
               counted(redundant, "joint equation follows", "joint equations follow"));
  fmt::print("It is simulated by the {} method in {} coordinates, integrator {}", t["run"]["method"].get<std::string>(),
             t["run"]["coordinates"].get<std::string>(), t["run"]["integrator"].get<std::string>());
  if (t["run"]["method"] == t["auto"]["method"]) fmt::print(",\nbecause {}.\n", t["auto"]["why"].get<std::string>());
  else
    fmt::print(", as the scene asks; auto would take {},\nbecause {}.\n", t["auto"]["method"].get<std::string>(),
               t["auto"]["why"].get<std::string>());
  fmt::print("(The documentation explains the words below: concepts, glossary.)\n\n");
}

void print_text(const nlohmann::json& t) {
  print_words(t);
  fmt::print("{}\n", t["name"].get<std::string>().empty() ? "(no name)" : t["name"].get<std::string>());
  fmt::print("  bodies     {} ({}), {} freedoms without joints\n", t["bodies"]["count"].get<int>(),
             count_kinds(t["bodies"]["kinds"]), t["bodies"]["freedoms"].get<int>());
  fmt::print("  joints     {} ({}), {} rows\n", t["joints"]["count"].get<int>(), count_kinds(t["joints"]["kinds"]),
             t["joints"]["rows"].get<int>());
  fmt::print("  freedoms   {} left; {} redundant rows{}\n", t["degrees_of_freedom"].get<int>(), t["redundant"].size(),
             t["redundant"].empty() ? "" : ": " + list(t["redundant"]));
  fmt::print("  forest     {}, {} deep\n", counted(t["trees"].get<std::size_t>(), "tree", "trees"),
             counted(t["depth"].get<std::size_t>(), "body", "bodies"));
  fmt::print("  primary    {} rows: {}\n", t["primary_rows"].get<int>(), list(t["primary"]));
  fmt::print("  auxiliary  {} rows: {}\n", t["auxiliary_rows"].get<int>(), list(t["auxiliary"]));
  if (const nlohmann::json& f = t["fronts"]; !f.is_null())
    fmt::print(
        "  fronts     {} of up to {} bodies, {} on the widest boundary; {:.3g} multiplications; smallest pivot {:.2g}, "
        "largest pivot taken for zero {:.2g}\n",
        f["count"].get<int>(), f["most_bodies"].get<int>(), f["widest_boundary"].get<int>(), f["flops"].get<double>(),
        f["least_pivot"].get<double>(), f["largest_null"].get<double>());
  if (!t["parts"].is_null() && t["auxiliary_rows"].get<int>() > 0)
    fmt::print("  parts      {} acyclic ones in {} layers, the largest of {} joints (method impulse, solver parts)\n",
               t["parts"]["count"].get<int>(), t["parts"]["layers"].get<int>(), t["parts"]["largest"].get<int>());
  fmt::print("  size       {:.4g} m\n", t["size"].get<double>());
  const auto method = t["auto"]["method"].get<std::string>(), integrator = t["auto"]["integrator"].get<std::string>();
  if (const nlohmann::json& f = t["formulations"]; !f.is_null() && method != "lagrange") {
    std::vector<std::string> each;
    for (const auto& [word, formulation] : kFormulationNames)
      each.push_back(fmt::format("{} {}", word, f["sizes"][std::string(word)].get<int>()));
    fmt::print("  contact    {} contacts, {} friction directions: {} (method operational, --formulation)\n",
               f["contacts"].get<int>(), f["facets"].get<int>(), fmt::join(each, ", "));
  }
  if (t["auxiliary_rows"].get<int>() == 0) {
    fmt::print(
        "  solver     {} by {}; joints by tree, since there are no loops: about {:.3g} multiplications an evaluation\n",
        method, integrator, t["flops"]["tree"].get<double>());
  } else {
    fmt::print(
        "  solver     {} by {}; joints by {}, the cheapest. Multiplications: fronts {}, tree with loops on top {:.3g}, "
        "sparse {:.3g} "
        "(times four, because it works number by number and the others block by block)\n",
        method, integrator, t["auto"]["solver"].get<std::string>(),
        t["flops"]["fronts"].is_null() ? "do not apply" : fmt::format("{:.3g}", t["flops"]["fronts"].get<double>()),
        t["flops"]["tree"].get<double>(), t["flops"]["sparse"].get<double>());
  }
}

void print_run(const nlohmann::json& run, const nlohmann::json& chosen) {
  if (run["method"] == chosen["method"] && run["integrator"] == chosen["integrator"]) return;
  fmt::print("  run        {} by {}: the scene asks for it\n", run["method"].get<std::string>(),
             run["integrator"].get<std::string>());
}

int run(const SceneFlags& flags) {
  const Scene scene = load_scene(flags);
  const Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.quiet);
  const Simulation chosen(simulation.shared_model(), scene.initial);
  nlohmann::json result = topology(simulation, chosen);
  if (!scene.ledger.empty()) result["ledger"] = ledger_json(scene.ledger);
  if (flags.json) {
    fmt::print("{}\n", result.dump(2));
  } else {
    print_text(result);
    print_run(result["run"], result["auto"]);
  }
  return kDone;
}

int print_tuning(const SceneFlags& flags) {
  const Simulation simulation(load_scene(flags));
  const Method method = simulation.settings().method;
  const std::string of_method = method == Method::lagrange ? "lagrange"
                              : method == Method::impulse  ? "impulse"
                                                           : "velocity";
  Tuning tuning = simulation.settings().tuning, usual;
  const std::vector<TuningPart> all = parts(tuning), defaults = parts(usual);
  nlohmann::json out = nlohmann::json::array();
  std::string text = fmt::format("method {}, which runs this scene; each is set by --tune NAME=VALUE\n",
                                 word_of(kMethodNames, method));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool of_others = all[i].name == "lagrange" || all[i].name == "impulse" || all[i].name == "velocity";
    if (of_others && all[i].name != of_method) continue;
    for (std::size_t k = 0; k < all[i].entries.size(); ++k) {
      const TuningEntry& entry = all[i].entries[k];
      const double value = entry.value(), otherwise = defaults[i].entries[k].value();
      const std::string name = all[i].name + "." + entry.name;
      out.push_back({{"name", name}, {"value", value}, {"default", otherwise}, {"meaning", entry.meaning}});
      text += fmt::format("  {:34} {:<10g} {}{}\n", name, value, entry.meaning,
                          value != otherwise ? fmt::format(" (default {:g})", otherwise) : "");
    }
  }
  fmt::print("{}", flags.json ? out.dump(2) + "\n" : text);
  return kDone;
}

}  // namespace

Command add_explain(CLI::App& app) {
  struct Flags : SceneFlags {
    bool tuning = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "explain", "Say how a scene can move, its loops and redundant equations, and which method runs and why");
  add_scene_flags(*command, *flags);
  command->add_flag("--tuning", flags->tuning, "Every number that decides something in a step, with its value");
  command->footer(R"(Examples:
  catena explain arm.yaml                                      freedoms, loops, redundant equations, which method runs and why
  catena explain arm.yaml --json                               the same for programs
  catena explain arm.yaml --tuning                             thresholds and tolerances of the method)");
  return [flags] { return flags->tuning ? print_tuning(*flags) : run(*flags); };
}

}  // namespace catena::cli
