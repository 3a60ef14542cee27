// What overrides a scene's own settings, field by field: Simulation sim(scene, {.method = Method::spook, .step = 1e-3});
#pragma once

#include <cstdint>
#include <optional>

#include "catena/model/settings.h"

namespace catena {

// Meaning, units and defaults: Settings. A method alone keeps what the scene asks of it; one with its fields, Spook{…}, replaces all of that.
struct Options {
  std::optional<MethodSettings> method{};
  std::optional<int> facets{};
  std::optional<bool> sleep{};
  std::optional<int> threads{};
  std::optional<double> step{};            // s
  std::optional<double> contact_margin{};  // m
  std::optional<double> contact_tolerance{};
  std::optional<double> restitution_threshold{};  // m/s or rad/s
  std::optional<double> assembly_speed{};         // m/s and rad/s
  std::optional<double> duration{};               // s
  std::optional<double> sample{};                 // s
  std::optional<std::uint64_t> seed{};
  std::optional<Tuning> tuning{};
};

// `settings` with what the options say.
Settings with(Settings settings, const Options& options);

}  // namespace catena
