// What the parts of the Python module share.
#pragma once

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "catena/catena.h"

namespace catena::python {

namespace py = pybind11;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Numbers from outside: one contiguous row of float64 of the size that is expected, or a sentence.
std::vector<double> numbers_of(const py::object& given, std::size_t due, const char* what);
Vec3 vector_of(const py::object& given, const char* what);
inline Eigen::Vector3d to_array(const Vec3& v) { return {v.x, v.y, v.z}; }
// A view of memory that `owner` keeps alive.
py::array view(const double* data, std::vector<py::ssize_t> shape, const py::handle& owner, bool writable);

// A scene and how it was read. Its model is shared by all simulations of it.
struct LoadedScene {
  // `source` is a path or a text; `folder` is where a text's includes and meshes are looked for.
  LoadedScene(std::string source, std::vector<std::string> overrides, ImportOptions import, std::string folder = "");

  std::string source, folder;
  std::vector<std::string> overrides;
  ImportOptions import;
  Scene scene;
  std::shared_ptr<const Model> model;
  std::uint64_t hash;  // model/fingerprint.h
};
using ScenePtr = std::shared_ptr<LoadedScene>;
py::object model_of(const ScenePtr& scene);

// `settings` with what keyword arguments say, in the words of scene files. Unknown words are refused. `settings=…` comes first.
Settings settings_with(Settings settings, const py::dict& options);
py::object to_python(const Settings& settings);  // a catena.Settings

void bind_scene(py::module_& module);
void bind_settings(py::module_& module);
void bind_state(py::module_& module);
void bind_simulation(py::module_& module);
void bind_recording(py::module_& module);
void bind_solve(py::module_& module);
void bind_batch(py::module_& module);
void bind_ensemble(py::module_& module);
void bind_view(py::module_& module);

}  // namespace catena::python
