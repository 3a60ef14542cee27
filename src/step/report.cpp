#include "catena/step/report.h"

#include <algorithm>

namespace catena {

void StepReport::merge(const StepReport& later) {
  const auto keep = [](auto& worst, const auto& other) { worst = std::max(worst, other); };
  status = later.status;
  message = later.message;
  time = later.time;
  asleep = later.asleep;
  impacts += later.impacts;
  shocks += later.shocks;
  branches += later.branches;
  swept += later.swept;
  damped += later.damped;
  replaced += later.replaced;
  if (why_replaced.empty()) why_replaced = later.why_replaced;
  keep(residual, later.residual);
  keep(drift_position, later.drift_position);
  keep(drift_angle, later.drift_angle);
  keep(position_iterations, later.position_iterations);
  keep(velocity_iterations, later.velocity_iterations);
  keep(halvings, later.halvings);
  keep(contacts, later.contacts);
  keep(complementarity, later.complementarity);
  keep(penetration, later.penetration);
  keep(law_solves, later.law_solves);
  keep(sweeps, later.sweeps);
  keep(monitored, later.monitored);
  keep(fallbacks, later.fallbacks);
}

}  // namespace catena
