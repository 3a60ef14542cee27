// catena check: a scene validated, its joints closed and the rules of docs/reference/check.md tried on it, without running it; of a robot file what
// became of everything in it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/lint/lint.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct CheckFlags : SceneFlags {
  bool ledger = false;
};

void print_ledger(const ImportLedger& ledger, bool whole) {
  int counts[4] = {};
  for (const LedgerEntry& e : ledger) {
    ++counts[static_cast<int>(e.what)];
    if (whole)
      fmt::print("{}:{}: {:<12} {}{}{}{}\n", e.file, e.line, word_of(e.what), e.element,
                 e.attribute.empty() ? "" : " " + e.attribute, e.why.empty() ? "" : ": ", e.why);
    else if (e.what == Fate::defaulted && e.physics)
      fmt::print("defaulted {}{}: {}\n", e.element, e.attribute.empty() ? "" : " " + e.attribute, e.why);
  }
  if (!whole)
    for (const std::string& line : brief(ledger)) fmt::print("{}\n", line);
  fmt::print("{} used, {} approximated, {} ignored, {} defaulted{}\n", counts[0], counts[1], counts[2], counts[3],
             whole ? "" : "; --ledger lists all");
}

nlohmann::json findings_json(const std::vector<LintFinding>& findings) {
  nlohmann::json out = nlohmann::json::array();
  for (const LintFinding& f : findings) out.push_back({{"rule", f.rule}, {"place", f.place}, {"message", f.message}});
  return out;
}

void print_findings(const std::vector<LintFinding>& findings, FILE* to) {
  for (const LintFinding& f : findings)
    fmt::print(to, "{}{}{}: {}\n", f.place, f.place.empty() ? "" : ": ", f.rule, f.message);
  if (!findings.empty()) fmt::print(to, "docs/reference/check.md says what the rules mean and what to do\n");
}

int check(const CheckFlags& flags) {
  SceneFlags whole = flags;
  const bool robot = is_robot_file(flags.file);
  whole.quiet = flags.quiet || robot;  // what became of the file is said below
  const Scene scene = load_scene(whole);
  if (robot) print_warnings(scene.warnings, flags.quiet);
  std::optional<Simulation> simulation;
  LintInput input{scene};
  try {
    simulation.emplace(scene);
    input.simulation = &*simulation;
  } catch (const InputError& error) {
    input.refusal = error.what();
  }
  Warnings warnings = scene.warnings;
  if (simulation) {
    print_warnings(simulation->warnings(), flags.quiet);
    warnings.insert(warnings.end(), simulation->warnings().begin(), simulation->warnings().end());
  }
  const std::vector<LintFinding> findings = lint(input);
  if (flags.json) {
    nlohmann::json result{
        {"status", simulation ? "ok" : "error"}, {"warnings", warnings}, {"findings", findings_json(findings)}};
    if (!simulation) result["message"] = input.refusal;
    if (robot) result["ledger"] = ledger_json(scene.ledger);
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (!simulation) {
    print_findings(findings, stderr);
  } else if (!flags.quiet) {
    if (robot) print_ledger(scene.ledger, flags.ledger);
    print_findings(findings, stdout);
    fmt::print("{}: valid: {}, {}, {}, {}\n", flags.file, counted(body_count(scene.model), "body", "bodies"),
               counted(scene.model.joints.size(), "joint", "joints"), counted(warnings.size(), "warning", "warnings"),
               counted(findings.size(), "finding", "findings"));
  }
  return simulation ? kDone : kWrongInput;
}

}  // namespace

Command add_check(CLI::App& app) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand(
      "check", "Check a scene or robot file without running it: keys, units, loops that close, and numbered rules");
  add_scene_flags(*command, *flags);
  command->add_flag("--ledger", flags->ledger, "List what became of every element and attribute of a robot file");
  command->footer(R"(Examples:
  catena check arm.yaml                                        errors, warnings and findings, with their places
  catena check robot.xml --missing-meshes skip --ledger        what became of every element and attribute
  catena check robot.urdf --strict                             exit code 2 when physics was ignored)");
  return [flags] { return check(*flags); };
}

}  // namespace catena::cli
