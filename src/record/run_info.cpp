#include "catena/record/run_info.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/model/setting_names.h"

namespace catena {
namespace {

using nlohmann::json;

json settings_json(const Settings& s) {
  const Sweeps sweeps = s.method.sweeps();
  json tuning = json::object();
  for (const auto& [name, value] : changes(s.tuning)) tuning[name] = value;
  return {{"method", word_of(kMethodNames, s.method)},
          {"integrator", word_of(kIntegratorNames, s.method.integrator())},
          {"stabilise", word_of(kStabilisationNames, s.method.stabilise())},
          {"solver", word_of(kLinearSolverNames, s.method.solver())},
          {"coordinates", word_of(kCoordinatesNames, s.method.coordinates())},
          {"contacts", word_of(kContactModeNames, s.method.contacts())},
          {"contact_solver", word_of(kLawSolverNames, s.method.law_solver())},
          {"formulation", word_of(kFormulationNames, s.method.formulation())},
          {"step", s.step},
          {"duration", s.duration},
          {"sample", s.sample},
          {"tolerance", s.method.tolerance()},
          {"position_tolerance", s.method.position_tolerance()},
          {"velocity_tolerance", s.method.velocity_tolerance()},
          {"contact_margin", s.contact_margin},
          {"contact_tolerance", s.contact_tolerance},
          {"restitution_threshold", s.restitution_threshold},
          {"facets", s.facets},
          {"sweeps", sweeps.most},
          {"sweep_algorithm", word_of(kSweepAlgorithmNames, sweeps.algorithm)},
          {"sweep_order", word_of(kSweepOrderNames, sweeps.order)},
          {"sweep_friction", word_of(kSweepFrictionNames, sweeps.friction)},
          {"sweep_relaxation", sweeps.relaxation},
          {"baumgarte", s.method.baumgarte()},
          {"assembly_speed", s.assembly_speed},
          {"sleep", s.sleep},
          {"threads", s.threads},
          {"seed", s.seed},
          {"tuning", tuning}};
}

// Reads the members of an object that are there; those of another type are wrong.
class Members {
 public:
  explicit Members(const json& object) : object_(object) {}

  void take(const char* key, double& out) const {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number() || !std::isfinite(value->get<double>())) wrong(key);
    out = value->get<double>();
  }
  void take(const char* key, int& out) const {
    double number = out;
    take(key, number);
    if (number < 0 || number > std::numeric_limits<int>::max() || number != std::floor(number)) wrong(key);
    out = static_cast<int>(number);
  }
  void take(const char* key, bool& out) const {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) wrong(key);
    out = value->get<bool>();
  }
  void take(const char* key, std::uint64_t& out) const {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) wrong(key);
    out = value->get<std::uint64_t>();
  }
  void take(const char* key, std::string& out) const {
    const json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_string()) wrong(key);
    out = value->get<std::string>();
  }
  void take(const char* key, std::optional<double>& out) const {
    if (find(key) != nullptr) take(key, out.emplace());
  }
  template <class Value, std::size_t n, class Out>
  void take(const char* key, const SettingNames<Value, n>& names, Out& out) const {
    std::string word;
    take(key, word);
    if (word.empty()) return;
    const auto value = value_of(names, word);
    if (!value) wrong(key);
    out = *value;
  }

  [[noreturn]] static void wrong(const char* key) {
    throw InputError{fmt::format("what the recording says of its run is damaged: '{}'", key)};
  }

 private:
  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  const json& object_;
};

Settings settings_of(const json& object) {
  Settings s;
  MethodWords words;
  Sweeps sweeps;
  const Members in(object);
  in.take("method", kMethodNames, words.method);
  in.take("integrator", kIntegratorNames, words.integrator);
  in.take("stabilise", kStabilisationNames, words.stabilise);
  in.take("solver", kLinearSolverNames, words.solver);
  in.take("coordinates", kCoordinatesNames, words.coordinates);
  in.take("contacts", kContactModeNames, words.contacts);
  in.take("contact_solver", kLawSolverNames, words.law_solver);
  in.take("formulation", kFormulationNames, words.formulation);
  in.take("step", s.step);
  in.take("duration", s.duration);
  in.take("sample", s.sample);
  in.take("tolerance", words.tolerance);
  in.take("position_tolerance", words.position_tolerance);
  in.take("velocity_tolerance", words.velocity_tolerance);
  in.take("contact_margin", s.contact_margin);
  in.take("contact_tolerance", s.contact_tolerance);
  in.take("restitution_threshold", s.restitution_threshold);
  in.take("facets", s.facets);
  in.take("sweeps", sweeps.most);
  in.take("sweep_algorithm", kSweepAlgorithmNames, sweeps.algorithm);
  in.take("sweep_order", kSweepOrderNames, sweeps.order);
  in.take("sweep_friction", kSweepFrictionNames, sweeps.friction);
  in.take("sweep_relaxation", sweeps.relaxation);
  in.take("baumgarte", words.baumgarte);
  in.take("assembly_speed", s.assembly_speed);
  in.take("sleep", s.sleep);
  in.take("threads", s.threads);
  in.take("seed", s.seed);
  if (const auto tuning = object.find("tuning"); tuning != object.end() && tuning->is_object())
    for (const auto& [name, value] : tuning->items())
      if (!value.is_number() || !set_tuning(s.tuning, name, value.get<double>()).empty()) Members::wrong("tuning");
  words.sweeps = sweeps;
  s.method = words;
  return s;
}

}  // namespace

RunInfo run_info(const Model& model, const std::string& scene, const std::vector<std::string>& overrides,
                 const Settings& settings, const std::vector<std::string>& columns) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  RunInfo info{.scene = scene,
               .overrides = overrides,
               .settings = settings,
               .version = CATENA_VERSION,
               .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)),
               .units = column_units(model, columns)};
  for (const Body& body : model.bodies) info.bodies.push_back(body.name);
  return info;
}

std::string to_json_text(const RunInfo& info) {
  const json out{{"catena", info.version}, {"date", info.date},     {"overrides", info.overrides},
                 {"folder", info.folder},  {"import", info.import}, {"settings", settings_json(info.settings)}};
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

RunInfo run_info_of(const std::string& json_text) {
  const json in = json::parse(json_text, nullptr, false);
  if (!in.is_object()) throw InputError{"what the recording says of its run is not JSON"};
  RunInfo info;
  const Members members(in);
  members.take("catena", info.version);
  members.take("date", info.date);
  members.take("folder", info.folder);
  const auto take_words = [&](const char* key, std::vector<std::string>& out) {
    if (const auto list = in.find(key); list != in.end() && list->is_array())
      for (const json& each : *list)
        if (each.is_string()) out.push_back(each.get<std::string>());
  };
  take_words("overrides", info.overrides);
  take_words("import", info.import);
  if (const auto settings = in.find("settings"); settings != in.end() && settings->is_object())
    info.settings = settings_of(*settings);
  return info;
}

}  // namespace catena
