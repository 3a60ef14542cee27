// States: copies of everything that decides the next bit, as bytes and files, with a hash of the model they belong to.
#include "state.h"

#include <fmt/format.h>

#include "bindings.h"

namespace catena::python {

void bind_state(py::module_& module) {
  py::class_<SavedState>(module, "State",
                         "Everything that decides the next bit of a simulation: positions, velocities, warm starts, "
                         "time, tau, ctrl and forces. A copy.")
      .def_property_readonly(
          "time", [](const SavedState& s) { return s.state.time; }, "[s]")
      .def_property_readonly(
          "model_hash", [](const SavedState& s) { return s.model; }, "Model.hash of the model it is of.")
      .def_property_readonly(
          "settings", [](const SavedState& s) { return to_python(s.settings); }, "Of the simulation it was taken from.")
      .def(
          "to_bytes", [](const SavedState& s) { return py::bytes(to_bytes(s)); }, "The bytes of a checkpoint file.")
      .def_static(
          "from_bytes", [](const py::bytes& bytes) { return parse_checkpoint(std::string(bytes), "these bytes"); },
          py::arg("bytes"), "The state of such bytes. Raises InputError for others, and for damaged ones.")
      .def(
          "save",
          [](const SavedState& s, const py::object& file) { write_checkpoint(py::str(file).cast<std::string>(), s); },
          py::arg("file"), "Writes a checkpoint file, as `catena simulate --checkpoint` does; --resume takes it.")
      .def_static(
          "load", [](const py::object& file) { return read_checkpoint(py::str(file).cast<std::string>()); },
          py::arg("file"), "Reads a checkpoint file.")
      .def("copy", [](const SavedState& s) { return s; })
      .def("__copy__", [](const SavedState& s) { return s; })
      .def("__deepcopy__", [](const SavedState& s, const py::dict&) { return s; })
      .def("__eq__", [](const SavedState& a, const SavedState& b) { return to_bytes(a) == to_bytes(b); })
      .def("__hash__", [](const SavedState& s) { return std::hash<std::string>{}(to_bytes(s)) >> 1; })
      .def(py::pickle([](const SavedState& s) { return py::make_tuple(py::bytes(to_bytes(s))); },
                      [](const py::tuple& t) { return parse_checkpoint(t[0].cast<std::string>(), "this pickle"); }))
      .def("__repr__", [](const SavedState& s) {
        return fmt::format("<catena.State at t = {:.6g} s, {} bodies>", s.state.time, s.state.bodies.size());
      });
}

}  // namespace catena::python
