#include "catena/step/step_context.h"

#include <fmt/format.h>

#include "catena/model/finite.h"

namespace catena {
namespace {

bool is_at_velocity_level(const Settings& settings) {
  return settings.method == Method::spook || settings.method == Method::operational;
}

// At velocity level friction pyramids are those of the problem, and rolling keeps to its axis.
std::unique_ptr<Laws> make_laws(const Model& full, const Dynamics& dynamics, const Settings& settings,
                                const Tuning& tuning) {
  const bool velocity_level = is_at_velocity_level(settings);
  if (!velocity_level && (!enforces_laws(settings) || !has_laws(full))) return nullptr;
  auto laws = std::make_unique<Laws>(full, dynamics.kinematics(), settings.contact_margin,
                                     velocity_level ? 0 : settings.facets);
  laws->let_give_way();
  if (velocity_level) {
    laws->leave_out_far_limits(tuning.velocity.far_limit);
    laws->share(dynamics.coordinates());
  } else laws->keep_rolling_axes();
  return laws;
}

// Rows that depend on each other when the joints are closed have pivots of the square of the gap; beyond a tolerance they would be taken for
// independent.
bool leaves_joints_closed(const Settings& settings, const Tuning& tuning, double size) {
  if (settings.method == Method::impulse)
    return settings.method.position_tolerance() <= tuning.impulse.nearly_closed * size;
  return settings.method != Method::lagrange || settings.method.stabilise() == Stabilisation::projection;
}

}  // namespace

bool enforces_laws(const Settings& settings) {
  return settings.method != Method::lagrange || settings.method.integrator() != Integrator::adaptive;
}

StepContext::StepContext(const Model& full, const SharedState& initial, const Settings& asked)
    : lawless(full, enforces_laws(asked)),
      settings(asked),
      tuning(settings.tuning),
      dynamics(model(), initial, asked.method.solver(), asked.threads),
      projection(dynamics, *initial, mechanism_size(model(), *initial)),
      laws(make_laws(full, dynamics, asked, tuning)),
      impacts(tuning.parts, asked.restitution_threshold, asked.contact_tolerance),
      load(model().bodies.size()),
      scale(mechanism_scale(model(), *initial)),
      factored(dynamics, leaves_joints_closed(asked, tuning, scale.size)) {
  dynamics.kinematics().update(model(), *initial);
  if (!is_reduced() && dynamics.system().factor(dynamics.kinematics(), true)) factored.note(*initial);
}

void StepContext::fail(Status status, std::string message) {
  report.status = status;
  report.message = std::move(message);
}

void StepContext::fail_to_close(const Closing& left, double time) {
  fail(Status::not_converged,
       fmt::format("t = {}: joint '{}' could not be closed: {:.3g} m, {:.3g} rad are left; try a shorter step", time,
                   model().joints[left.worst].name, left.position, left.angle));
}

// A line that is pulled taut across its load has no finite forces: the more it is straight the larger they are, and a step along its directions gains
// what it stretches the line by.
void StepContext::fail_by_gain(double gained, double time) {
  std::string why;
  if (const std::vector<RowName>& rows = dynamics.system().redundant(); !rows.empty())
    why = fmt::format(
        "; joint '{}' asks in this pose for what others do: if it is of a line that is taut across its load, no force "
        "is large enough to hold that, and joints with compliance would say by how much it sags",
        model().joints[rows.front().joint].name);
  fail(Status::not_converged, fmt::format("t = {}: the step gains {:.3g} J{}", time, gained, why));
}

bool StepContext::find_not_finite(const State& state, double time) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const char* quantity = not_finite(state.bodies[i]);
    if (!quantity) continue;
    fail(Status::diverged,
         fmt::format("t = {}: the {} of body '{}' is no longer finite", time, quantity, model().bodies[i].name));
    return true;
  }
  return false;
}

bool StepContext::goes_on(const State& state) {
  if (report.ok() && terms.stop && *terms.stop)
    fail(Status::interrupted, fmt::format("t = {}: interrupted", state.time));
  return report.ok();
}

void StepContext::leave_out(const std::vector<char>& asleep) {
  if (laws) laws->leave_out(asleep);
  found_ = 0;
}

bool StepContext::touches_sleepers(double ahead) {
  touched.clear();
  if (!laws || laws->left_out().empty()) return false;
  const auto sleeps = [&](BodyId body) { return body.valid() && laws->left_out()[body] != 0; };
  for (const LawBlock& block : laws->rows().blocks) {
    if (sleeps(block.a) == sleeps(block.b)) continue;
    const double speed = std::abs(laws->rows().rows[static_cast<std::size_t>(block.first)].speed);
    const double reach = tuning.parts.reach * ahead * (speed + ahead * norm(model().gravity));
    if (block.gap <= tuning.parts.touching + reach) touched.push_back(sleeps(block.a) ? block.a : block.b);
  }
  if (!touched.empty()) fail(Status::interrupted);
  return !touched.empty();
}

void StepContext::find_laws(double ahead) {
  if (!laws || found_ == dynamics.kinematics().stamp()) return;
  laws->find(dynamics.kinematics(), ahead);
  found_ = dynamics.kinematics().stamp();
}

double StepContext::kept_energy(const State& state) { return dynamics.energy(state) - work_done(state.ledger); }

}  // namespace catena
