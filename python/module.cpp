// The module catena._catena, and scenes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bindings.h"
#include "catena/model/setting_names.h"

namespace catena::python {
namespace {

Scene read_scene(const std::string& source, const std::vector<std::string>& overrides) {
  const bool is_text = source.find('\n') != std::string::npos || source.starts_with('{');
  return is_text ? load_text(source, "text", ".", overrides) : load(source, overrides);
}

template <class Value, std::size_t n>
Value choose(const std::string& key, const py::handle& given, const SettingNames<Value, n>& names) {
  std::vector<std::string> known;
  const auto word = py::isinstance<py::str>(given) ? given.cast<std::string>() : std::string();
  for (const auto& [name, value] : names) {
    if (name == word) return value;
    known.emplace_back(name);
  }
  throw InputError(
      fmt::format("{}={}: it takes one of: {}", key, py::repr(given).cast<std::string>(), fmt::join(known, ", ")));
}

double number(const std::string& key, const py::handle& given) {
  try {
    return given.cast<double>();
  } catch (const py::cast_error&) {
    throw InputError(fmt::format("{}={}: a number is expected", key, py::repr(given).cast<std::string>()));
  }
}

}  // namespace

std::vector<double> numbers_of(const py::object& given, std::size_t due, const char* what) {
  if (py::isinstance<py::array>(given)) {
    const auto array = py::cast<py::array>(given);
    if ((array.flags() & py::array::c_style) == 0)
      throw InputError(
          fmt::format("{}: the array is not contiguous (C order); numpy.ascontiguousarray makes it so", what));
    if (std::string("fiu").find(array.dtype().kind()) == std::string::npos)
      throw InputError(fmt::format("{}: an array of real numbers is expected", what));
  }
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!numbers) {
    PyErr_Clear();
    throw InputError(fmt::format("{}: {} numbers are expected", what, due));
  }
  if (numbers.ndim() != 1 || static_cast<std::size_t>(numbers.size()) != due)
    throw InputError(fmt::format("{}: an array of shape ({},) is expected, this one has shape {}", what, due,
                                 py::str(numbers.attr("shape")).cast<std::string>()));
  std::vector<double> out(numbers.data(), numbers.data() + numbers.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!std::isfinite(out[i])) throw InputError(fmt::format("{}: number {} is not finite", what, i));
  return out;
}

Vec3 vector_of(const py::object& given, const char* what) {
  const std::vector<double> x = numbers_of(given, 3, what);
  return {x[0], x[1], x[2]};
}

py::array view(const double* data, std::vector<py::ssize_t> shape, const py::handle& owner, bool writable) {
  py::array_t<double> out(std::move(shape), data, owner);
  if (!writable) out.attr("flags").attr("writeable") = false;
  return out;
}

LoadedScene::LoadedScene(std::string text, std::vector<std::string> sets)
    : source(std::move(text)),
      overrides(std::move(sets)),
      scene(read_scene(source, overrides)),
      model(std::make_shared<const Model>(scene.model)) {}

Settings settings_with(Settings s, const py::kwargs& options) {
  const std::map<std::string, double*> numbers = {{"step", &s.step},
                                                  {"duration", &s.duration},
                                                  {"sample", &s.sample},
                                                  {"tolerance", &s.tolerance},
                                                  {"position_tolerance", &s.position_tolerance},
                                                  {"velocity_tolerance", &s.velocity_tolerance},
                                                  {"contact_margin", &s.contact_margin},
                                                  {"contact_tolerance", &s.contact_tolerance},
                                                  {"restitution_threshold", &s.restitution_threshold},
                                                  {"baumgarte", &s.baumgarte}};
  const std::map<std::string, int*> counts = {{"facets", &s.facets}, {"sweeps", &s.sweeps}, {"threads", &s.threads}};
  std::vector<std::string> known{"method",      "integrator",  "stabilise", "solver",
                                 "formulation", "coordinates", "contacts",  "seed"};
  for (const auto& [key, value] : numbers) known.push_back(key);
  for (const auto& [key, value] : counts) known.push_back(key);
  for (const auto& [name, value] : options) {
    const auto key = name.cast<std::string>();
    if (key == "method") s.method = choose(key, value, kMethodNames);
    else if (key == "integrator") s.integrator = choose(key, value, kIntegratorNames);
    else if (key == "stabilise") s.stabilise = choose(key, value, kStabilisationNames);
    else if (key == "formulation") s.formulation = choose(key, value, kFormulationNames);
    else if (key == "coordinates") s.coordinates = choose(key, value, kCoordinatesNames);
    else if (key == "contacts") s.contacts = choose(key, value, kContactModeNames);
    else if (key == "seed") s.seed = static_cast<std::uint64_t>(number(key, value));
    else if (key == "solver") {
      const SolverChoice choice = choose(key, value, kSolverNames);
      if (choice.laws != LawSolver::automatic) s.law_solver = choice.laws;
      else s.solver = choice.linear;
    } else if (const auto real = numbers.find(key); real != numbers.end()) *real->second = number(key, value);
    else if (const auto count = counts.find(key); count != counts.end())
      *count->second = static_cast<int>(number(key, value));
    else {
      const std::string near = nearest(key, known);
      throw InputError(fmt::format("there is no setting '{}'{}; there are: {}", key,
                                   near.empty() ? "" : fmt::format(", did you mean '{}'?", near),
                                   fmt::join(known, ", ")));
    }
  }
  if (!std::isfinite(s.step) || !std::isfinite(s.duration)) throw InputError("step and duration must be finite");
  return s;
}

py::dict to_dict(const Settings& s) {
  using namespace py::literals;
  return py::dict(
      "method"_a = std::string(word_of(kMethodNames, s.method)),
      "integrator"_a = std::string(word_of(kIntegratorNames, s.integrator)),
      "stabilise"_a = std::string(word_of(kStabilisationNames, s.stabilise)),
      "solver"_a = std::string(s.law_solver != LawSolver::automatic ? word_of(kLawSolverNames, s.law_solver)
                                                                    : word_of(kLinearSolverNames, s.solver)),
      "formulation"_a = std::string(word_of(kFormulationNames, s.formulation)),
      "coordinates"_a = std::string(word_of(kCoordinatesNames, s.coordinates)),
      "contacts"_a = std::string(word_of(kContactModeNames, s.contacts)), "seed"_a = s.seed, "step"_a = s.step,
      "duration"_a = s.duration, "sample"_a = s.sample, "tolerance"_a = s.tolerance,
      "position_tolerance"_a = s.position_tolerance, "velocity_tolerance"_a = s.velocity_tolerance,
      "contact_margin"_a = s.contact_margin, "contact_tolerance"_a = s.contact_tolerance,
      "restitution_threshold"_a = s.restitution_threshold, "facets"_a = s.facets, "sweeps"_a = s.sweeps,
      "baumgarte"_a = s.baumgarte, "threads"_a = s.threads);
}

void bind_scene(py::module_& module) {
  const auto names = [](const auto& all) {
    std::vector<std::string> out;
    for (const auto& each : all) out.push_back(each.name);
    return out;
  };
  py::class_<Model, std::shared_ptr<Model>>(module, "Model",
                                            "Bodies, joints, shapes and forces; shared and never changed.")
      .def_readonly("name", &Model::name)
      .def_property_readonly(
          "bodies", [=](const Model& m) { return names(m.bodies); }, "Names of the bodies.")
      .def_property_readonly(
          "joints", [=](const Model& m) { return names(m.joints); }, "Names of the joints.")
      .def_property_readonly(
          "masses",
          [](const Model& m) {
            Eigen::VectorXd out(static_cast<Eigen::Index>(m.bodies.size()));
            for (std::size_t i = 0; i < m.bodies.size(); ++i) out[static_cast<Eigen::Index>(i)] = m.bodies[i].mass;
            return out;
          },
          "Masses of the bodies, (n,) [kg].")
      .def_property_readonly(
          "gravity", [](const Model& m) { return Eigen::Vector3d(m.gravity.x, m.gravity.y, m.gravity.z); },
          "(3,) [m/s^2].")
      .def_property_readonly(
          "hash", [](const Model& m) { return hash_of(m); },
          "A hash of everything that makes the model: states of another one are refused.")
      .def("__repr__", [](const Model& m) {
        return fmt::format("<catena.Model '{}': {} bodies, {} joints>", m.name, m.bodies.size(), m.joints.size());
      });
  py::class_<LoadedScene>(module, "Scene", "A model, its initial state and its settings.")
      .def(py::init<std::string, std::vector<std::string>>(), py::arg("source"),
           py::arg("overrides") = std::vector<std::string>())
      .def_property_readonly("model", [](const LoadedScene& s) { return std::const_pointer_cast<Model>(s.model); })
      .def_property_readonly("settings", [](const LoadedScene& s) { return to_dict(s.scene.settings); })
      .def_property_readonly("warnings", [](const LoadedScene& s) { return s.scene.warnings; })
      .def_property_readonly(
          "text", [](const LoadedScene& s) { return s.scene.source; }, "The text it was read from.")
      .def_readonly("source", &LoadedScene::source)
      .def(py::pickle([](const LoadedScene& s) { return py::make_tuple(s.source, s.overrides); },
                      [](const py::tuple& t) {
                        if (t.size() != 2) throw InputError("this is no pickled scene");
                        return LoadedScene(t[0].cast<std::string>(), t[1].cast<std::vector<std::string>>());
                      }))
      .def("__repr__", [](const LoadedScene& s) {
        return fmt::format("<catena.Scene '{}': {} bodies, {} joints>", s.model->name, s.model->bodies.size(),
                           s.model->joints.size());
      });
}

}  // namespace catena::python

PYBIND11_MODULE(_catena, module) {
  using namespace catena::python;
  module.doc() = "The compiled part of catena.";
  py::register_exception<catena::InputError>(module, "InputError", PyExc_ValueError);
  module.attr("__version__") = CATENA_VERSION;
  bind_scene(module);
  bind_state(module);
  bind_simulation(module);
  bind_solve(module);
  bind_batch(module);
  bind_ensemble(module);
}
