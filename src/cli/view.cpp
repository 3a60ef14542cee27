// catena view: a scene live in the browser, or a recording played there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "catena/record/page.h"
#include "catena/record/recording.h"
#include "catena/record/replay.h"
#include "catena/serve/server.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct Flags {
  SceneFlags scene;
  MethodFlags method;
  std::string of;  // the scene of a recording that does not carry it
  int port = 0;
};

bool is_recording(const std::string& file) {
  return file.ends_with(".csv") || file.ends_with(".h5") || file.ends_with(".hdf5");
}

void announce(const Server& server, const SceneFlags& flags) {
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  if (!flags.quiet) fmt::print(stderr, "open the address above in a browser on this machine; Ctrl-C ends\n");
}

// Bodies by the names of the columns, where nothing else is known of them.
Scene scene_of_columns(const RecordedTable& table) {
  Scene scene;
  const auto has = [&](const std::string& name) {
    return std::find(table.names.begin(), table.names.end(), name) != table.names.end();
  };
  for (const std::string& name : table.names) {
    if (!name.ends_with(".x")) continue;
    Body body;
    body.name = name.substr(0, name.size() - 2);
    if (!has(body.name + ".y") || !has(body.name + ".z")) continue;
    body.kind = has(body.name + ".qw") ? BodyKind::rigid : BodyKind::particle;
    body.mass = 1;
    body.inertia = Sym3::diagonal(1, 1, 1);
    scene.model.bodies.push_back(std::move(body));
  }
  return scene;
}

Scene scene_of(const Flags& flags, const RecordedTable& table) {
  const std::filesystem::path folder = std::filesystem::path(flags.scene.file).parent_path();
  if (!flags.of.empty()) return load(flags.of, flags.scene.sets);
  if (!table.scene.empty())
    return load_text(table.scene, flags.scene.file, folder.empty() ? "." : folder, flags.scene.sets);
  return scene_of_columns(table);
}

int replay(const Flags& flags) {
  const RecordedTable table = read_recording(flags.scene.file);
  if (table.rows() == 0) throw InputError(fmt::format("{}: no sample is in the recording", flags.scene.file));
  Scene scene = scene_of(flags, table);
  if (!table.run.empty()) scene.settings = run_info_of(table.run).settings;  // what the command line had changed, too
  Server server(replay_page(scene.model, scene.settings, table), nullptr, static_cast<std::uint16_t>(flags.port));
  announce(server, flags.scene);
  server.serve();
  return kDone;
}

int live(const Flags& flags) {
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

int view(const Flags& flags) {
  if (flags.port < 0 || flags.port > 65535) throw InputError("--port takes a number from 0 to 65535");
  return is_recording(flags.scene.file) ? replay(flags) : live(flags);
}

}  // namespace

Command add_view(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
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
