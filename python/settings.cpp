// Settings in the words of scene files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "bindings.h"
#include "catena/model/setting_names.h"

namespace catena::python {
namespace {

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

py::dict without(const py::dict& options, const char* key) {
  py::dict out;
  for (const auto& [name, value] : options)
    if (name.cast<std::string>() != key) out[name] = value;
  return out;
}

double number(const std::string& key, const py::handle& given) {
  try {
    return given.cast<double>();
  } catch (const py::cast_error&) {
    throw InputError(fmt::format("{}={}: a number is expected", key, py::repr(given).cast<std::string>()));
  }
}

double whole(const std::string& key, const py::handle& given) {
  const double x = number(key, given);
  if (!(x >= -2e9 && x <= 1.8e19) || x != std::floor(x))
    throw InputError(fmt::format("{}={}: a whole number is expected", key, py::repr(given).cast<std::string>()));
  return x;
}

// {"velocity.motion_gain": 1e-8}
void tune(const py::handle& given, Tuning& tuning) {
  if (!py::isinstance<py::dict>(given))
    throw InputError("tuning: a dict of numbers by name is expected, such as {'velocity.motion_gain': 1e-8}");
  for (const auto& [name, value] : py::cast<py::dict>(given)) {
    const auto key = py::str(name).cast<std::string>();
    if (const std::string wrong = set_tuning(tuning, key, number(key, value)); !wrong.empty())
      throw InputError("tuning: " + wrong);
  }
}

}  // namespace

Settings settings_with(Settings s, const py::dict& options) {
  MethodWords words;
  Sweeps sweeps = s.method.sweeps();
  const std::map<std::string, double*> numbers = {{"step", &s.step},
                                                  {"duration", &s.duration},
                                                  {"sample", &s.sample},
                                                  {"contact_margin", &s.contact_margin},
                                                  {"contact_tolerance", &s.contact_tolerance},
                                                  {"restitution_threshold", &s.restitution_threshold},
                                                  {"sweep_relaxation", &sweeps.relaxation},
                                                  {"assembly_speed", &s.assembly_speed}};
  const std::map<std::string, std::optional<double>*> tolerances = {{"tolerance", &words.tolerance},
                                                                    {"position_tolerance", &words.position_tolerance},
                                                                    {"velocity_tolerance", &words.velocity_tolerance},
                                                                    {"baumgarte", &words.baumgarte}};
  const std::map<std::string, int*> counts = {{"facets", &s.facets}, {"sweeps", &sweeps.most}, {"threads", &s.threads}};
  std::vector<std::string> known{"method",         "integrator",      "stabilise", "solver",
                                 "formulation",    "coordinates",     "contacts",  "contact_solver",
                                 "seed",           "settings",        "sleep",     "sweep_order",
                                 "sweep_friction", "sweep_algorithm", "tuning"};
  for (const auto& [key, value] : numbers) known.push_back(key);
  for (const auto& [key, value] : tolerances) known.push_back(key);
  for (const auto& [key, value] : counts) known.push_back(key);
  if (options.contains("settings") && !options["settings"].is_none()) {
    const py::object first = options["settings"];
    if (!py::isinstance<py::dict>(first)) throw InputError("settings: a catena.Settings or a dict is expected");
    s = settings_with(s, py::cast<py::dict>(first));
    return settings_with(s, without(options, "settings"));
  }
  for (const auto& [name, value] : options) {
    const auto key = name.cast<std::string>();
    if (key == "settings") continue;
    if (key == "method") words.method = choose(key, value, kMethodNames);
    else if (key == "integrator") words.integrator = choose(key, value, kIntegratorNames);
    else if (key == "stabilise") words.stabilise = choose(key, value, kStabilisationNames);
    else if (key == "formulation") words.formulation = choose(key, value, kFormulationNames);
    else if (key == "coordinates") words.coordinates = choose(key, value, kCoordinatesNames);
    else if (key == "contacts") words.contacts = choose(key, value, kContactModeNames);
    else if (key == "sweep_algorithm") sweeps.algorithm = choose(key, value, kSweepAlgorithmNames);
    else if (key == "sweep_order") sweeps.order = choose(key, value, kSweepOrderNames);
    else if (key == "sweep_friction") sweeps.friction = choose(key, value, kSweepFrictionNames);
    else if (key == "contact_solver") words.law_solver = choose(key, value, kLawSolverNames);
    else if (key == "sleep") s.sleep = value.cast<bool>();
    else if (key == "tuning") tune(value, s.tuning);
    else if (key == "seed") s.seed = static_cast<std::uint64_t>(whole(key, value));
    else if (key == "solver") {
      const SolverChoice choice = choose(key, value, kSolverNames);
      if (choice.laws != LawSolver::automatic) words.law_solver = choice.laws;
      else words.solver = choice.linear;
    } else if (const auto real = numbers.find(key); real != numbers.end()) *real->second = number(key, value);
    else if (const auto tolerance = tolerances.find(key); tolerance != tolerances.end())
      *tolerance->second = number(key, value);
    else if (const auto count = counts.find(key); count != counts.end())
      *count->second = static_cast<int>(whole(key, value));
    else {
      const std::string near = nearest(key, known);
      throw InputError(fmt::format("there is no setting '{}'{}; there are: {}", key,
                                   near.empty() ? "" : fmt::format(", did you mean '{}'?", near),
                                   fmt::join(known, ", ")));
    }
  }
  if (!std::isfinite(s.step) || !std::isfinite(s.duration)) throw InputError("step and duration must be finite");
  if (!(sweeps.relaxation > 0 && sweeps.relaxation < 2)) throw InputError("sweep_relaxation must lie between 0 and 2");
  if (!(s.assembly_speed >= 0)) throw InputError("assembly_speed must not be negative");
  words.sweeps = sweeps;
  s.method.change(words);
  return s;
}

py::object to_python(const Settings& s) {
  using namespace py::literals;
  const Sweeps sweeps = s.method.sweeps();
  py::dict tuning;
  for (const auto& [name, value] : changes(s.tuning)) tuning[py::str(name)] = value;
  return py::module_::import("catena.settings")
      .attr("_of")(py::dict(
          "method"_a = std::string(word_of(kMethodNames, s.method)),
          "integrator"_a = std::string(word_of(kIntegratorNames, s.method.integrator())),
          "stabilise"_a = std::string(word_of(kStabilisationNames, s.method.stabilise())),
          "solver"_a = std::string(word_of(kLinearSolverNames, s.method.solver())),
          "contact_solver"_a = std::string(word_of(kLawSolverNames, s.method.law_solver())),
          "formulation"_a = std::string(word_of(kFormulationNames, s.method.formulation())),
          "coordinates"_a = std::string(word_of(kCoordinatesNames, s.method.coordinates())),
          "contacts"_a = std::string(word_of(kContactModeNames, s.method.contacts())), "seed"_a = s.seed,
          "step"_a = s.step, "duration"_a = s.duration, "sample"_a = s.sample, "tolerance"_a = s.method.tolerance(),
          "position_tolerance"_a = s.method.position_tolerance(),
          "velocity_tolerance"_a = s.method.velocity_tolerance(), "contact_margin"_a = s.contact_margin,
          "contact_tolerance"_a = s.contact_tolerance, "restitution_threshold"_a = s.restitution_threshold,
          "facets"_a = s.facets, "sweeps"_a = sweeps.most,
          "sweep_algorithm"_a = std::string(word_of(kSweepAlgorithmNames, sweeps.algorithm)),
          "sweep_order"_a = std::string(word_of(kSweepOrderNames, sweeps.order)),
          "sweep_friction"_a = std::string(word_of(kSweepFrictionNames, sweeps.friction)),
          "sweep_relaxation"_a = sweeps.relaxation, "assembly_speed"_a = s.assembly_speed,
          "baumgarte"_a = s.method.baumgarte(), "sleep"_a = s.sleep, "threads"_a = s.threads, "tuning"_a = tuning));
}

void bind_settings(py::module_& module) {
  module.def(
      "_settings", [](const py::dict& given) { return to_python(settings_with({}, given)); },
      "Settings with the words of `given`, checked.");
}

}  // namespace catena::python
