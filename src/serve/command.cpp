#include "catena/serve/command.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/model/setting_names.h"

namespace catena {
namespace {

using nlohmann::json;

double number(const json& message, const char* key, double low, double high) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_number()) throw InputError{fmt::format("'{}' must be a number", key)};
  const double value = found->get<double>();
  if (!(value >= low && value <= high))
    throw InputError{fmt::format("'{}' must lie between {} and {}", key, low, high)};
  return value;
}

Vec3 triple(const json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_array() || found->size() != 3)
    throw InputError{fmt::format("'{}' must be three numbers", key)};
  Vec3 out;
  for (int i = 0; i < 3; ++i) {
    const json& one = (*found)[static_cast<std::size_t>(i)];
    if (!one.is_number() || !(std::abs(one.get<double>()) <= 1e6))
      throw InputError{fmt::format("'{}' must be three numbers of at most 1e6", key)};
    out[i] = one.get<double>();
  }
  return out;
}

template <class Names>
auto setting(const json& message, const char* key, const Names& names) -> decltype(value_of(names, "")) {
  const auto found = message.find(key);
  if (found == message.end()) return std::nullopt;
  const auto value = found->is_string() ? value_of(names, found->get_ref<const std::string&>()) : std::nullopt;
  if (!value) throw InputError{fmt::format("'{}' has a value that is not known", key)};
  return value;
}

Options options(const json& message) {
  Options out;
  out.method = MethodWords{.method = setting(message, "method", kMethodNames),
                           .integrator = setting(message, "integrator", kIntegratorNames),
                           .stabilise = setting(message, "stabilise", kStabilisationNames),
                           .solver = setting(message, "solver", kLinearSolverNames),
                           .law_solver = setting(message, "contacts", kLawSolverNames)};
  if (message.contains("step")) out.step = number(message, "step", 1e-6, 0.1);
  return out;
}

GhostCommand ghost(const json& message) {
  GhostCommand out{std::nullopt, options(message)};
  if (const auto on = message.find("on"); on != message.end()) {
    if (!on->is_boolean()) throw InputError{"'on' must be true or false"};
    out.on = on->get<bool>();
  }
  return out;
}

DragCommand drag(const json& message, std::size_t bodies) {
  const double body = number(message, "body", 0, static_cast<double>(bodies) - 1);
  if (body != std::floor(body)) throw InputError{"'body' must be the index of a body"};
  return {static_cast<int>(body), triple(message, "point"), triple(message, "target")};
}

template <class Slid>
Slid slider(const json& message) {
  const double index = number(message, "index", 0, 1e6);
  if (index != std::floor(index)) throw InputError{"'index' must be a whole number"};
  return {static_cast<std::size_t>(index), number(message, "value", -1e12, 1e12)};
}

}  // namespace

Command parse_command(std::string_view text, std::size_t bodies) {
  const json message = json::parse(text, nullptr, false);
  if (!message.is_object()) throw InputError{"a command is one JSON object"};
  const auto type = message.find("type");
  if (type == message.end() || !type->is_string()) throw InputError{"a command has a 'type'"};
  const auto& word = type->get_ref<const std::string&>();
  if (word == "play") return PlayCommand{};
  if (word == "pause") return PauseCommand{};
  if (word == "step") return StepCommand{};
  if (word == "reset") return ResetCommand{};
  if (word == "release") return ReleaseCommand{};
  if (word == "speed") return SpeedCommand{number(message, "value", 0, 1000)};
  if (word == "seek") return SeekCommand{number(message, "time", 0, 1e12)};
  if (word == "settings") return SettingsCommand{options(message)};
  if (word == "ghost") return ghost(message);
  if (word == "drag") return drag(message, bodies);
  if (word == "control") return slider<ControlCommand>(message);
  if (word == "parameter") return slider<ParameterCommand>(message);
  throw InputError{"the type of the command is not known"};
}

}  // namespace catena
