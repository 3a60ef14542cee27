// catena audit: a recorded run, checked from its numbers.
#include "catena/record/audit.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct AuditFlags {
  SceneFlags scene;
  std::string run;
  AuditOptions options;
};

int audit_run(const AuditFlags& flags) {
  const Scene scene = load_scene(flags.scene);
  const RecordedTable table = read_recording(flags.run);
  if (table.rows() == 0) throw InputError(fmt::format("{}: no sample is in the recording", flags.run));
  const std::vector<AuditFinding> findings = audit(scene, table, flags.options);
  bool good = true;
  nlohmann::json list = nlohmann::json::array();
  for (const AuditFinding& f : findings) {
    good = good && f.ok();
    const bool judged = f.bound < std::numeric_limits<double>::infinity();
    list.push_back({{"check", f.check},
                    {"worst", f.worst},
                    {"bound", judged ? nlohmann::json(f.bound) : nlohmann::json()},
                    {"unit", f.unit},
                    {"time", f.time},
                    {"place", f.place},
                    {"ok", f.ok()}});
    if (!flags.scene.json && !flags.scene.quiet)
      fmt::print("{:4} {:42} {:10.3e} {:9} {:20}{}\n", f.ok() ? (judged ? "ok" : "") : "BAD", f.check, f.worst, f.unit,
                 judged ? fmt::format("at most {:.3e}", f.bound) : "",
                 f.worst > 0 ? fmt::format("  t = {:.6g} s, {}", f.time, f.place) : "");
  }
  if (flags.scene.json)
    fmt::print("{}\n", nlohmann::json{{"ok", good}, {"rows", table.rows()}, {"findings", list}}.dump(2));
  return good ? kDone : kOther;
}

}  // namespace

Command add_audit(CLI::App& app) {
  auto flags = std::make_shared<AuditFlags>();
  CLI::App* command = app.add_subcommand("audit", "Check a recorded run against its scene, from its numbers alone");
  add_scene_flags(*command, flags->scene);
  command->add_option("run", flags->run, "Recording (.h5; .csv, which holds no contacts)")->required();
  add_number(*command, "--tolerance", flags->options.tolerance,
             "Bounds, relative to sizes, energies and forces of the run; default 1e-6", Least::more_than, 0, "1e-6");
  command->footer(R"(Examples:
  catena audit arm.yaml run.h5                                 gaps of joints, energy, contact laws: the worst, when and where
  catena audit arm.yaml run.h5 --json
The exit code is 1 where something is beyond its bound.)");
  return [flags] { return audit_run(*flags); };
}

}  // namespace catena::cli
