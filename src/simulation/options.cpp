#include "catena/simulation/options.h"

namespace catena {

Settings with(Settings settings, const Options& options) {
  const auto put = [](const auto& option, auto& setting) { setting = option.value_or(setting); };
  if (options.method) settings.method.change(options.method->words());
  put(options.facets, settings.facets);
  put(options.sleep, settings.sleep);
  put(options.threads, settings.threads);
  put(options.step, settings.step);
  put(options.contact_margin, settings.contact_margin);
  put(options.contact_tolerance, settings.contact_tolerance);
  put(options.restitution_threshold, settings.restitution_threshold);
  put(options.assembly_speed, settings.assembly_speed);
  put(options.duration, settings.duration);
  put(options.sample, settings.sample);
  put(options.seed, settings.seed);
  put(options.tuning, settings.tuning);
  return settings;
}

}  // namespace catena
