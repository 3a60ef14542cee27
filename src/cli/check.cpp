// catena check: a scene validated and its joints closed, without running it; of a robot file what became of everything in it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

void print_ledger(const ImportLedger& ledger) {
  int counts[4] = {};
  for (const LedgerEntry& e : ledger) {
    ++counts[static_cast<int>(e.what)];
    fmt::print("{}:{}: {:<12} {}{}{}{}\n", e.file, e.line, word_of(e.what), e.element,
               e.attribute.empty() ? "" : " " + e.attribute, e.why.empty() ? "" : ": ", e.why);
  }
  fmt::print("{} used, {} approximated, {} ignored, {} defaulted\n", counts[0], counts[1], counts[2], counts[3]);
}

int check(const SceneFlags& flags) {
  SceneFlags whole = flags;
  const bool robot = is_robot_file(flags.file);
  whole.quiet = flags.quiet || robot;  // the ledger says it at length
  const Scene scene = load_scene(whole);
  if (robot) print_warnings(scene.warnings, flags.quiet);
  const Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.quiet);
  const std::size_t warnings = scene.warnings.size() + simulation.warnings().size();
  if (flags.json) {
    nlohmann::json all = scene.warnings;
    for (const std::string& warning : simulation.warnings()) all.push_back(warning);
    nlohmann::json result{{"status", "ok"}, {"warnings", all}};
    if (robot) result["ledger"] = ledger_json(scene.ledger);
    fmt::print("{}\n", result.dump(2));
  } else if (!flags.quiet) {
    if (robot) print_ledger(scene.ledger);
    fmt::print("{}: good: {} bodies, {} joints, {} warnings\n", flags.file, scene.model.bodies.size(),
               scene.model.joints.size(), warnings);
  }
  return kDone;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto flags = std::make_shared<SceneFlags>();
  CLI::App* command = app.add_subcommand("check", "Validate a scene and close its joints, without running it");
  add_scene_flags(*command, *flags);
  return [flags] { return check(*flags); };
}

}  // namespace catena::cli
