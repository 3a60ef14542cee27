// Recordings to files and back.
#include "catena/record/recording.h"

#include <fmt/format.h>

#include "bindings.h"
#include "catena/import/import_words.h"
#include "catena/record/gltf.h"
#include "catena/record/replay.h"
#include "catena/record/run_info.h"

namespace catena::python {
namespace {

std::unique_ptr<Recording> open(const std::string& file, const LoadedScene& scene, const Settings& settings,
                                const std::vector<std::string>& names) {
  RunInfo info = run_info(*scene.model, scene.scene.source, scene.overrides, settings, names);
  info.folder = scene.folder;
  info.import = import_words(scene.import);
  if (file.ends_with(".html")) return open_replay(file, *scene.model, settings, names, info);
  if (file.ends_with(".glb")) return open_glb(file, *scene.model, names);
  return open_recording(file, names, info);
}

// Rows as names say to .h5, .csv, .html or .glb.
void write(const std::string& file, const LoadedScene& scene, const py::dict& settings,
           const std::vector<std::string>& names, const Eigen::Ref<const RowMajor>& rows) {
  if (static_cast<std::size_t>(rows.cols()) != names.size())
    throw InputError(fmt::format("{}: rows of {} numbers are expected", file, names.size()));
  const auto recording = open(file, scene, settings_with(scene.scene.settings, settings), names);
  std::vector<double> row(names.size());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index k = 0; k < rows.cols(); ++k) row[static_cast<std::size_t>(k)] = rows(i, k);
    recording->write(row);
  }
  recording->finish();
}

// Names, rows, the text of the scene and how it was run.
py::tuple read(const std::string& file) {
  const RecordedTable table = read_recording(file);
  RowMajor rows(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(table.names.size()));
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    rows.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Eigen::VectorXd>(table.columns[k].data(), static_cast<Eigen::Index>(table.rows()));
  if (table.run.empty()) return py::make_tuple(table.names, rows, py::none(), py::none());
  const RunInfo info = run_info_of(table.run);
  const auto scene = std::make_shared<LoadedScene>(
      table.scene + "\n", is_robot_text(table.scene) ? info.overrides : std::vector<std::string>(),
      import_options_of(info.import), info.folder);
  return py::make_tuple(table.names, rows, scene, to_python(info.settings));
}

}  // namespace

void bind_recording(py::module_& module) {
  module.def("_write_recording", &write, py::arg("file"), py::arg("scene"), py::arg("settings"), py::arg("names"),
             py::arg("rows"));
  module.def("_read_recording", &read, py::arg("file"));
}

}  // namespace catena::python
