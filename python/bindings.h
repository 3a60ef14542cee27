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

// Numbers from outside: one contiguous row of float64 of the size that is expected, or a sentence.
std::vector<double> numbers_of(const py::object& given, std::size_t due, const char* what);
Vec3 vector_of(const py::object& given, const char* what);
// A view of memory that `owner` keeps alive.
py::array view(const double* data, std::vector<py::ssize_t> shape, const py::handle& owner, bool writable);

// A scene and what it was read from, by which it is pickled. Its model is shared by all simulations of it.
struct LoadedScene {
  LoadedScene(std::string source, std::vector<std::string> overrides);
  std::string source;  // a path or a text
  std::vector<std::string> overrides;
  Scene scene;
  std::shared_ptr<const Model> model;
};

// `settings` with what keyword arguments say, in the words of scene files. Unknown words are refused.
Settings settings_with(Settings settings, const py::kwargs& options);
py::dict to_dict(const Settings& settings);

void bind_scene(py::module_& module);
void bind_state(py::module_& module);
void bind_simulation(py::module_& module);
void bind_solve(py::module_& module);
void bind_batch(py::module_& module);
void bind_ensemble(py::module_& module);

// A hash of what makes a model: bodies, joints, forces, shapes, gravity.
std::uint64_t hash_of(const Model& model);

}  // namespace catena::python
