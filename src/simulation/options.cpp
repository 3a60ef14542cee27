#include "catena/simulation/options.h"

namespace catena {

Settings with(Settings settings, const Options& options) {
  const auto put = [](const auto& option, auto& setting) { setting = option.value_or(setting); };
  put(options.method, settings.method);
  put(options.integrator, settings.integrator);
  put(options.stabilise, settings.stabilise);
  put(options.solver, settings.solver);
  put(options.coordinates, settings.coordinates);
  put(options.contacts, settings.contacts);
  put(options.law_solver, settings.law_solver);
  put(options.formulation, settings.formulation);
  put(options.facets, settings.facets);
  put(options.sleep, settings.sleep);
  put(options.threads, settings.threads);
  put(options.step, settings.step);
  put(options.tolerance, settings.tolerance);
  put(options.position_tolerance, settings.position_tolerance);
  put(options.velocity_tolerance, settings.velocity_tolerance);
  put(options.contact_margin, settings.contact_margin);
  put(options.contact_tolerance, settings.contact_tolerance);
  put(options.restitution_threshold, settings.restitution_threshold);
  put(options.sweeps, settings.sweeps);
  put(options.sweep_algorithm, settings.sweep_algorithm);
  put(options.sweep_order, settings.sweep_order);
  put(options.sweep_friction, settings.sweep_friction);
  put(options.sweep_relaxation, settings.sweep_relaxation);
  put(options.baumgarte, settings.baumgarte);
  put(options.assembly_speed, settings.assembly_speed);
  put(options.duration, settings.duration);
  return settings;
}

}  // namespace catena
