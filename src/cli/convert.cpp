// catena convert: a scene or robot file in another format. What that cannot say is listed at the end.
#include "catena/convert/convert.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct ConvertFlags : SceneFlags {
  std::string out;
};

int convert(const ConvertFlags& flags) {
  const Scene scene = load_scene(flags);
  const ImportLedger lost = save(scene, flags.out);
  if (flags.json) {
    nlohmann::json result{{"status", "ok"}, {"file", flags.out}, {"lost", ledger_json(lost)}};
    if (!scene.ledger.empty()) result["ledger"] = ledger_json(scene.ledger);
    fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (!flags.quiet) {
    for (const LedgerEntry& e : lost)
      fmt::print("{}: {} {}{}: {}\n", e.file, word_of(e.what), e.element, e.attribute.empty() ? "" : " " + e.attribute,
                 e.why);
    fmt::print("{}: {} bodies, {} joints; {} things were not said as they are\n", flags.out, body_count(scene.model),
               scene.model.joints.size(), lost.size());
  }
  if (flags.strict && ignores_physics(lost)) {
    fmt::print(stderr, "{}: physics could not be said, and --strict is given\n", flags.out);
    return kWrongInput;
  }
  return kDone;
}

}  // namespace

Command add_convert(CLI::App& app) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App* command =
      app.add_subcommand("convert", "Write a scene or robot file as .yaml (scene), .xml (MJCF) or .urdf");
  add_scene_flags(*command, *flags);
  command->add_option("out", flags->out, "File to write; its ending tells the format")->required();
  command->footer(R"(Examples:
  catena convert robot.xml robot.yaml                          MJCF to a scene
  catena convert arm.yaml arm.urdf --strict                    exit code 2 when the format cannot say everything)");
  return [flags] { return convert(*flags); };
}

}  // namespace catena::cli
