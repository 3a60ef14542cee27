// catena explain: what the scene is made of, which constraints are primary and which auxiliary, what `auto` picks and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/joints/tree_system.h"
#include "catena/laws/laws.h"
#include "catena/mechanism/formulation.h"
#include "catena/model/setting_names.h"
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

nlohmann::json topology(Simulation& simulation) {
  const Model& model = simulation.model();
  const Forest forest = build_forest(model);
  const SystemSizes sizes = system_sizes(model);
  std::map<std::string, int> body_kinds, joint_kinds;
  int freedoms = 0;
  for (const Body& body : model.bodies) {
    ++body_kinds[std::string(name_of(body.kind))];
    freedoms += dimension(body.kind);
  }
  for (const Joint& joint : model.joints) ++joint_kinds[std::string(name_of(joint.kind))];
  std::vector<JointId> primary;
  for (const ForestNode& node : forest.nodes)
    if (node.joint.valid()) primary.push_back(node.joint);

  // The rank of all rows together tells the freedoms that are left.
  TreeSystem tree(model);
  Dynamics& dynamics = simulation.evaluate();
  tree.factor(dynamics.kinematics());
  nlohmann::json redundant = nlohmann::json::array();
  for (const RowName& row : tree.redundant())
    redundant.push_back(fmt::format("{}[{}]", model.joints[row.joint].name, row.row));
  const int rows = sizes.primary_rows + sizes.auxiliary_rows;
  const LinearSolver solver = choose_solver(sizes, LinearSolver::automatic);
  const MethodChoice choice = choose_method(model, {});
  return {{"name", model.name},
          {"bodies", {{"count", model.bodies.size()}, {"kinds", body_kinds}, {"freedoms", freedoms}}},
          {"joints", {{"count", model.joints.size()}, {"kinds", joint_kinds}, {"rows", rows}}},
          {"trees", forest.trees},
          {"depth", forest.depth},
          {"loops", forest.auxiliary.size()},
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
            {"sparse", sizes.auxiliary_rows > 0 ? nlohmann::json(sizes.sparse_flops) : nlohmann::json()}}},
          {"auto",
           {{"method", word_of(kMethodNames, choice.method)},
            {"why", choice.why},
            {"solver", solver == LinearSolver::sparse ? "sparse" : "tree"},
            {"integrator", choice.method == Method::lagrange ? "rk4" : "midpoint"}}},
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

void print_text(const nlohmann::json& t) {
  fmt::print("{}\n", t["name"].get<std::string>().empty() ? "(no name)" : t["name"].get<std::string>());
  fmt::print("  bodies     {} ({}), {} freedoms without joints\n", t["bodies"]["count"].get<int>(),
             count_kinds(t["bodies"]["kinds"]), t["bodies"]["freedoms"].get<int>());
  fmt::print("  joints     {} ({}), {} rows\n", t["joints"]["count"].get<int>(), count_kinds(t["joints"]["kinds"]),
             t["joints"]["rows"].get<int>());
  fmt::print("  freedoms   {} left; {} redundant rows{}\n", t["degrees_of_freedom"].get<int>(), t["redundant"].size(),
             t["redundant"].empty() ? "" : ": " + list(t["redundant"]));
  fmt::print("  forest     {} trees, {} bodies deep\n", t["trees"].get<int>(), t["depth"].get<int>());
  fmt::print("  primary    {} rows: {}\n", t["primary_rows"].get<int>(), list(t["primary"]));
  fmt::print("  auxiliary  {} rows: {}\n", t["auxiliary_rows"].get<int>(), list(t["auxiliary"]));
  if (!t["parts"].is_null() && t["auxiliary_rows"].get<int>() > 0)
    fmt::print("  parts      {} acyclic ones in {} layers, the largest of {} joints (method impulse, solver parts)\n",
               t["parts"]["count"].get<int>(), t["parts"]["layers"].get<int>(), t["parts"]["largest"].get<int>());
  fmt::print("  size       {:.4g} m\n", t["size"].get<double>());
  const auto method = t["auto"]["method"].get<std::string>();
  if (const nlohmann::json& f = t["formulations"]; !f.is_null() && method != "lagrange") {
    std::vector<std::string> each;
    for (const auto& [word, formulation] : kFormulationNames)
      each.push_back(fmt::format("{} {}", word, f["sizes"][std::string(word)].get<int>()));
    fmt::print("  contact    {} contacts, {} friction directions: {} (method operational, --formulation)\n",
               f["contacts"].get<int>(), f["facets"].get<int>(), fmt::join(each, ", "));
  }
  fmt::print("  why        {}: {}\n", method, t["auto"]["why"].get<std::string>());
  if (t["auxiliary_rows"].get<int>() == 0) {
    fmt::print(
        "  auto       {}, tree: no loops, so elimination from the leaves has no fill: about {:.3g} "
        "multiplications an evaluation\n",
        method, t["flops"]["tree"].get<double>());
  } else {
    fmt::print(
        "  auto       {}, {}: tree and anticipation {:.3g} multiplications, sparse LDLᵀ of H {:.3g} (counted "
        "four times: "
        "it works number by number, the tree block by block)\n",
        method, t["auto"]["solver"].get<std::string>(), t["flops"]["tree"].get<double>(),
        t["flops"]["sparse"].get<double>());
  }
}

int run(const SceneFlags& flags) {
  const Scene scene = load_scene(flags);
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.quiet);
  nlohmann::json result = topology(simulation);
  if (!scene.ledger.empty()) result["ledger"] = ledger_json(scene.ledger);
  if (flags.json) {
    fmt::print("{}\n", result.dump(2));
  } else {
    print_text(result);
  }
  return kDone;
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto flags = std::make_shared<SceneFlags>();
  CLI::App* command = app.add_subcommand("explain", "Topology, sizes, and what `auto` picks and why");
  add_scene_flags(*command, *flags);
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
