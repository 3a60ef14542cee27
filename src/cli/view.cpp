// catena view: a scene live in the browser, or a recording played there.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "catena/record/page.h"
#include "catena/record/replay.h"
#include "catena/serve/server.h"
#include "commands.h"
#include "common.h"
#include "recorded.h"

namespace catena::cli {
namespace {

struct ViewFlags {
  SceneFlags scene;
  MethodFlags method;
  std::string of;  // the scene of a recording that does not carry it
  int port = 0;
};

void announce(const Server& server, const SceneFlags& flags) {
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  if (!flags.quiet) fmt::print(stderr, "open the address above in a browser on this machine; Ctrl-C ends\n");
}

int replay(const ViewFlags& flags) {
  const RecordedRun run = read_run(flags.scene.file, flags.of, flags.scene.sets);
  Server server(replay_page(run.scene.model, run.scene.settings, run.table), nullptr,
                static_cast<std::uint16_t>(flags.port));
  announce(server, flags.scene);
  server.serve();
  return kDone;
}

int live(const ViewFlags& flags) {
  Scene scene = load_scene(flags.scene);
  override_settings(flags.method, scene.settings);
  LiveRun run(scene);
  const std::string title = scene.model.name.empty() ? "catena" : scene.model.name + " – catena";
  Server server(page_html(title, {}), &run, static_cast<std::uint16_t>(flags.port));
  announce(server, flags.scene);
  if (!server.serve()) {  // in the middle of a long step, which nothing can end but the end of the process
    std::fflush(nullptr);
    std::_Exit(kDone);
  }
  return kDone;
}

int view(const ViewFlags& flags) {
  if (flags.port < 0 || flags.port > 65535) throw InputError("--port takes a number from 0 to 65535");
  return is_recording(flags.scene.file) ? replay(flags) : live(flags);
}

}  // namespace

Command add_view(CLI::App& app) {
  auto flags = std::make_shared<ViewFlags>();
  CLI::App* command = app.add_subcommand("view", "Show a scene live, or a recording, in the browser");
  add_scene_flags(*command, flags->scene);
  add_method_flags(*command, flags->method);
  command->add_option("--port", flags->port, "Port on 127.0.0.1; 0 takes a free one");
  command->add_option("--scene", flags->of, "The scene of a recording that does not carry it (CSV)");
  command->footer(R"(Examples:
  catena view arm.yaml                                         live
  catena view run.h5                                           a recording
  catena view run.csv --scene arm.yaml                         a recording without its scene
  catena view arm.yaml --port 8080                             at a fixed address on this machine)");
  return [flags] { return view(*flags); };
}

}  // namespace catena::cli
