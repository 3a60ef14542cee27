#include "catena/step/stepper.h"

#include <fmt/format.h>

#include <cmath>

#include "catena/step/impulse.h"
#include "catena/step/lagrange_laws.h"
#include "catena/step/velocity_stepper.h"

namespace catena {
namespace {

// Its square too: an energy that is infinite is as lost as a position.
bool finite(const Vec3& v) { return dot(v, v) < 1e290; }

}  // namespace

Stepper::Stepper(const Model& model, const State& initial, const Settings& settings)
    : model_(&model),
      settings_(settings),
      dynamics_(model, initial, settings.solver, settings.threads),
      projection_(dynamics_, initial, mechanism_size(model, initial)),
      before_(initial) {
  dynamics_.kinematics().update(model, initial);
  factored_ = dynamics_.system().factor(dynamics_.kinematics(), true);
}

StepReport Stepper::step(double h, State& state) {
  before_ = state;
  report_ = {};
  if (factors_ && !factored_) factor(state);
  move(h, state);
  if (report_.ok()) find_not_finite(state);
  if (!report_.ok()) {
    if (report_.message.empty())
      report_.message = fmt::format("t = {}: {}", before_.time, dynamics_.system().failure());
    state = before_;
    factored_ = false;
  }
  unchanged_ = report_.ok();
  report_.time = state.time;
  return report_;
}

bool Stepper::evaluate(const State& state) {
  if (!factored_) factor(state);
  return factored_ && dynamics_.accelerations(state, 0, false);
}

bool Stepper::evaluate_with(std::span<const BodyVector> load, const State& state) {
  if (!Stepper::evaluate(state)) return false;
  dynamics_.push(load);
  return true;
}

// At the state itself rather than at what a method made of it, so that a restored state goes on with the same bits.
void Stepper::factor(const State& state) {
  dynamics_.kinematics().update(*model_, state);
  factored_ = dynamics_.system().factor(dynamics_.kinematics(), closed_);
}

const std::vector<ContactForce>& Stepper::contact_forces() const {
  static const std::vector<ContactForce> none;
  return none;
}

const std::vector<Impact>& Stepper::impacts() const {
  static const std::vector<Impact> none;
  return none;
}

void Stepper::fail(Status status, std::string message) {
  report_.status = status;
  report_.message = std::move(message);
}

bool Stepper::find_not_finite(const State& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodyState& s = state.bodies[i];
    const char* quantity = !finite(s.position)                                             ? "position"
                         : !finite(s.orientation.vec()) || !std::isfinite(s.orientation.w) ? "orientation"
                         : !finite(s.velocity)                                             ? "velocity"
                         : !finite(s.angular_velocity)                                     ? "angular velocity"
                         : !std::isfinite(s.scale) || !std::isfinite(s.scale_velocity)     ? "scale"
                                                                                           : nullptr;
    if (!quantity) continue;
    fail(Status::diverged, fmt::format("t = {}: the {} of body '{}' is no longer finite", before_.time, quantity,
                                       model_->bodies[i].name));
    return true;
  }
  return false;
}

double weight(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  return mass * norm(model.gravity);
}

bool enforces_laws(const Settings& settings) {
  return settings.method != Method::lagrange || settings.integrator != Integrator::adaptive;
}

std::unique_ptr<Stepper> make_stepper(const Model& model, const State& initial, const Settings& settings) {
  if (settings.method == Method::spook || settings.method == Method::operational)
    return std::make_unique<VelocityStepper>(model, initial, settings);
  if (settings.method == Method::impulse) return std::make_unique<ImpulseStepper>(model, initial, settings);
  if (enforces_laws(settings) && has_laws(model))
    return std::make_unique<LagrangeLawsStepper>(model, initial, settings);
  return std::make_unique<LagrangeStepper>(model, initial, settings);
}

}  // namespace catena
