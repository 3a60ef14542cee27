#include "catena/step/stepper.h"

#include <fmt/format.h>

#include <cmath>

#include "catena/step/impulse.h"
#include "catena/step/lagrange_laws.h"
#include "catena/step/stiffness.h"
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
      before_(initial),
      weight_times_size_(weight(model) * mechanism_size(model, initial)) {
  dynamics_.kinematics().update(model, initial);
  factored_ = dynamics_.system().factor(dynamics_.kinematics(), true);
}

StepReport Stepper::step(double h, State& state) {
  before_ = state;
  report_ = {};
  by_other_ = !always_other_.empty();
  if (!by_other_) move_here(h, state);
  if (by_other_ || (!report_.ok() && make_other_)) move_by_other(h, state);
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

// The method's own step.
void Stepper::move_here(double h, State& state) {
  if (factors_ && !factored_) factor(state);
  const bool compares = make_other_ && compares_energy();
  if (compares && !unchanged_) most_energy_ = energy_not_put_in(state);
  move(h, state);
  if (report_.ok()) find_not_finite(state);
  if (!compares || !report_.ok()) return;
  const double scale = weight_times_size_ + dynamics_.kinetic_energy(before_);
  const double gained = energy_not_put_in(state) - most_energy_;
  if (gained > stability_.most_gain * scale)
    fail(Status::not_converged, fmt::format("t = {}: the step gains {:.3g} J", before_.time, gained));
}

double Stepper::energy_not_put_in(const State& state) {
  return dynamics_.kinetic_energy(state) + potential_energy(state) - work_put_in(state.ledger);
}

void Stepper::move_by_other(double h, State& state) {
  // Why all steps are the other's is said once, in the warnings, and costs no memory here.
  std::string why;
  if (always_other_.empty())
    why = report_.message.empty() ? fmt::format("t = {}: {}", before_.time, dynamics_.system().failure())
                                  : std::move(report_.message);
  state = before_;
  if (!other_) other_ = make_other_();
  const Forces& forces = dynamics_.forces();
  Forces& others = other_->dynamics().forces();
  others.joint_force = forces.joint_force;
  others.body_force = forces.body_force;
  others.user_forces = forces.user_forces;
  others.control = forces.control;
  others.acting = forces.acting;
  others.point_forces = forces.point_forces;
  other_->invalidate();
  by_other_ = true;
  report_ = other_->step(h, state);
  report_.replaced = 1;
  if (report_.why_replaced.empty()) report_.why_replaced = std::move(why);
  dynamics_.kinematics().update(*model_, state);
  factored_ = false;
}

void Stepper::fall_back_on(Maker make, std::string why) {
  make_other_ = std::move(make);
  always_other_ = std::move(why);
}

bool Stepper::evaluate(const State& state) {
  return by_other_ ? evaluate_with(other_->law_load(), state) : evaluate_here(state);
}

bool Stepper::evaluate_here(const State& state) {
  if (!factored_) factor(state);
  return factored_ && dynamics_.accelerations(state, 0, false);
}

bool Stepper::evaluate_with(std::span<const BodyVector> load, const State& state) {
  if (!Stepper::evaluate_here(state)) return false;
  if (!load.empty()) dynamics_.push(load);
  return true;
}

double Stepper::kept_energy(const State& state) {
  return dynamics_.kinetic_energy(state) + potential_energy(state) - work_done(state.ledger);
}

// Weight alone needs no kinematics.
double Stepper::potential_energy(const State& state) {
  if (!dynamics_.forces().constant(*model_, state.time, state.time)) return dynamics_.potential_energy(state);
  double energy = 0;
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    energy -= model_->bodies[i].mass * dot(model_->gravity, state.bodies[i].position);
  return energy;
}

// At the state itself rather than at what a method made of it, so that a restored state goes on with the same bits.
void Stepper::factor(const State& state) {
  dynamics_.kinematics().update(*model_, state);
  factored_ = dynamics_.system().factor(dynamics_.kinematics(), closed_);
}

const std::vector<ContactForce>& Stepper::own_forces() const {
  static const std::vector<ContactForce> none;
  return none;
}

const std::vector<Impact>& Stepper::own_impacts() const {
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

namespace {

std::unique_ptr<Stepper> make_alone(const Model& model, const State& initial, const Settings& settings) {
  if (settings.method == Method::spook || settings.method == Method::operational)
    return std::make_unique<VelocityStepper>(model, initial, settings);
  if (settings.method == Method::impulse) return std::make_unique<ImpulseStepper>(model, initial, settings);
  if (enforces_laws(settings) && has_laws(model))
    return std::make_unique<LagrangeLawsStepper>(model, initial, settings);
  return std::make_unique<LagrangeStepper>(model, initial, settings);
}

// The implicit scheme, with what it shares with the settings asked for.
Settings implicit_settings(const Settings& asked) {
  Settings settings = asked;
  settings.method = Method::spook;
  settings.integrator = Integrator::automatic;
  settings.stabilise = Stabilisation::projection;
  settings.solver = LinearSolver::automatic;
  settings.law_solver = LawSolver::automatic;
  settings.formulation = Formulation::operational_space;
  settings.coordinates = Coordinates::maximal;
  settings.threads = 1;
  return settings;
}

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Model& model, const State& initial, const Settings& settings) {
  std::unique_ptr<Stepper> stepper = make_alone(model, initial, settings);
  if (settings.integrator == Integrator::adaptive) return stepper;
  stepper->dynamics().count_rotors();
  const Settings implicit = implicit_settings(settings);
  // Joint coordinates count from the initial state, whenever the other stepper is made.
  const auto start = std::make_shared<const State>(initial);
  const Stepper::Maker last = [&model, implicit, start]() -> std::unique_ptr<Stepper> {
    Settings end_of_step = implicit;
    end_of_step.integrator = Integrator::euler;
    return std::make_unique<VelocityStepper>(model, *start, end_of_step, true);
  };
  if (settings.method == Method::spook && settings.coordinates != Coordinates::reduced) {
    stepper->fall_back_on(last);
    return stepper;
  }
  const bool is_implicit = settings.method == Method::spook || settings.method == Method::operational;
  stepper->fall_back_on(
      [&model, implicit, start, last] {
        std::unique_ptr<Stepper> other = make_alone(model, *start, implicit);
        other->fall_back_on(last);
        return other;
      },
      is_implicit ? std::string() : why_implicit(model, initial, settings.step));
  return stepper;
}

}  // namespace catena
