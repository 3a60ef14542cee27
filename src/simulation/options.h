// What overrides a scene's own settings, field by field: Simulation sim(scene, {.method = Method::spook, .step = 1e-3});
#pragma once

#include <optional>

#include "catena/model/settings.h"

namespace catena {

// Meaning, units and defaults: Settings.
struct Options {
  std::optional<Method> method{};
  std::optional<Integrator> integrator{};
  std::optional<Stabilisation> stabilise{};
  std::optional<LinearSolver> solver{};
  std::optional<Coordinates> coordinates{};
  std::optional<ContactMode> contacts{};
  std::optional<LawSolver> law_solver{};
  std::optional<Formulation> formulation{};
  std::optional<int> facets{};
  std::optional<bool> sleep{};
  std::optional<int> threads{};
  std::optional<double> step{};                                      // s
  std::optional<double> tolerance{};                                 // adaptive integrator
  std::optional<double> position_tolerance{}, velocity_tolerance{};  // method impulse
  std::optional<double> contact_margin{};                            // m
  std::optional<double> contact_tolerance{};
  std::optional<double> restitution_threshold{};  // m/s or rad/s
  std::optional<int> sweeps{};
  std::optional<SweepAlgorithm> sweep_algorithm{};
  std::optional<SweepOrder> sweep_order{};
  std::optional<SweepFriction> sweep_friction{};
  std::optional<double> sweep_relaxation{};
  std::optional<double> baumgarte{};       // 1/s
  std::optional<double> assembly_speed{};  // m/s and rad/s
  std::optional<double> duration{};        // s
};

// `settings` with what the options say.
Settings with(Settings settings, const Options& options);

}  // namespace catena
