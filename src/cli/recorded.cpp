#include "recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "catena/record/run_info.h"

namespace catena::cli {
namespace {

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

Scene scene_of(const std::string& file, const std::string& of, const std::vector<std::string>& sets,
               const RecordedTable& table) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!of.empty()) return load(of, sets);
  if (!table.scene.empty()) return load_text(table.scene, file, folder.empty() ? "." : folder, sets);
  return scene_of_columns(table);
}

}  // namespace

bool is_recording(const std::string& file) {
  return file.ends_with(".csv") || file.ends_with(".h5") || file.ends_with(".hdf5");
}

RecordedRun read_run(const std::string& file, const std::string& of, const std::vector<std::string>& sets) {
  RecordedRun run;
  run.table = read_recording(file);
  if (run.table.rows() == 0) throw InputError(fmt::format("{}: no sample is in the recording", file));
  run.scene = scene_of(file, of, sets, run.table);
  if (!run.table.run.empty())  // what the command line had changed, too
    run.scene.settings = run_info_of(run.table.run).settings;
  return run;
}

}  // namespace catena::cli
