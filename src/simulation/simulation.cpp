#include "catena/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/simulation/choose_method.h"
#include "catena/laws/laws.h"

namespace catena {
namespace {

Settings with(Settings settings, const Options& options) {
  settings.method = options.method.value_or(settings.method);
  settings.integrator = options.integrator.value_or(settings.integrator);
  settings.stabilise = options.stabilise.value_or(settings.stabilise);
  settings.solver = options.solver.value_or(settings.solver);
  settings.law_solver = options.law_solver.value_or(settings.law_solver);
  settings.formulation = options.formulation.value_or(settings.formulation);
  settings.facets = options.facets.value_or(settings.facets);
  settings.threads = options.threads.value_or(settings.threads);
  settings.step = options.step.value_or(settings.step);
  settings.tolerance = options.tolerance.value_or(settings.tolerance);
  settings.position_tolerance = options.position_tolerance.value_or(settings.position_tolerance);
  settings.velocity_tolerance = options.velocity_tolerance.value_or(settings.velocity_tolerance);
  return settings;
}

bool is_iterated(LinearSolver solver) { return solver == LinearSolver::iterative || solver == LinearSolver::parts; }

void check_impulse(const Settings& settings) {
  if (settings.integrator == Integrator::euler || settings.integrator == Integrator::adaptive ||
      settings.integrator == Integrator::midpoint)
    throw InputError("the method impulse integrates rotations by rk4 or lie: give one of these as the integrator");
  if (settings.stabilise != Stabilisation::projection)
    throw InputError("the method impulse has no drift to stabilise; `stabilise` is for the method lagrange");
  if (!(settings.position_tolerance > 0) || !(settings.velocity_tolerance > 0))
    throw InputError("the tolerances of positions and velocities must be positive");
}

void check_operational(const Settings& settings) {
  if (settings.integrator == Integrator::rk4 || settings.integrator == Integrator::adaptive ||
      settings.integrator == Integrator::lie)
    throw InputError("the method operational takes the integrators midpoint and euler");
  if (settings.stabilise != Stabilisation::projection)
    throw InputError("the method operational has no drift to stabilise; `stabilise` is for the method lagrange");
  if (is_iterated(settings.solver)) throw InputError("the solvers iterative and parts are for the method impulse");
}

void check_spook(const Settings& settings) {
  if (settings.integrator == Integrator::rk4 || settings.integrator == Integrator::adaptive ||
      settings.integrator == Integrator::lie)
    throw InputError("the method spook takes the integrators midpoint and euler");
  if (is_iterated(settings.solver))
    throw InputError(
        "the solvers iterative and parts are for the method impulse; spook takes direct, split or gauss-seidel");
}

void check_lagrange(const Settings& settings) {
  if (settings.integrator == Integrator::midpoint)
    throw InputError("the integrator midpoint is for the method spook; lagrange takes euler, rk4 or adaptive");
  if (settings.integrator == Integrator::lie)
    throw InputError("the integrator lie is for the method impulse; lagrange takes euler, rk4 or adaptive");
  if (is_iterated(settings.solver))
    throw InputError(
        "the solvers iterative and parts are for the method impulse; lagrange takes tree, sparse or dense");
}

void check(const Settings& settings) {
  const bool operational = settings.method == Method::operational;
  if (!operational && settings.formulation != Formulation::operational_space)
    throw InputError("a formulation is of the method operational: ask for that too");
  if (!operational && (settings.law_solver == LawSolver::lemke || settings.law_solver == LawSolver::cone))
    throw InputError(
        "the solvers lemke and cone are for the method operational; spook takes direct, split or gauss-seidel");
  if (settings.facets != 0 && (settings.facets < 4 || settings.facets % 2 != 0))
    throw InputError("facets: a friction pyramid has an even number of sides, at least 4; 0 is the cone itself");
  if (!(settings.step > 0) || !std::isfinite(settings.step))
    throw InputError("the step must be a positive number of seconds");
  if (settings.threads < 1) throw InputError("there must be at least one thread");
  if (!(settings.tolerance > 0)) throw InputError("the tolerance must be positive");
  if (settings.method == Method::impulse) {
    check_impulse(settings);
  } else if (settings.method == Method::spook) {
    check_spook(settings);
  } else if (settings.method == Method::operational) {
    check_operational(settings);
  } else {
    check_lagrange(settings);
  }
}

// What the model asks for and this method does not do: said, not passed over.
void warn_of_missing(const Model& model, const Settings& settings, Warnings& warnings) {
  const bool laws = enforces_laws(settings), soft = laws && settings.method != Method::impulse;
  for (const Joint& joint : model.joints) {
    const JointExtras& extras = model.extras_of(joint);
    const char* what = !laws && extras.limits                                      ? "limits are"
                     : !laws && extras.friction != 0                               ? "friction is"
                     : !laws && extras.motor && extras.motor->max_force            ? "max_force of its motor is"
                     : !soft && (extras.compliance != 0 || extras.relaxation != 0) ? "compliance is"
                                                                                   : nullptr;
    if (what)
      warnings.push_back(fmt::format("joint '{}': {} not enforced by {}; ask for the method spook", joint.name, what,
                                     laws ? "this method" : "the adaptive integrator"));
  }
  if (!laws && std::any_of(model.ground_shapes.begin(), model.ground_shapes.end(),
                           [](const Shape& shape) { return shape.collide; }))
    warnings.push_back(
        "contacts are not simulated by the adaptive integrator: bodies pass through each other; ask for rk4");
}

}  // namespace

Simulation::Simulation(const Scene& scene, const Options& options) try
    : Simulation(std::make_shared<const Model>(scene.model), scene.initial, with(scene.settings, options)) {
} catch (const JointError& error) {
  throw JointError(error.joint, scene.where(error.joint) + error.what());
}

Simulation::Simulation(const BuiltModel& built, const Options& options)
    : Simulation(std::make_shared<const Model>(built.model), built.initial, with({}, options)) {}

Simulation::Simulation(std::shared_ptr<const Model> model, const State& initial, const Settings& settings)
    : model_(std::move(model)), settings_(settings), state_(initial) {
  if (settings_.method == Method::automatic) settings_.method = choose_method(*model_, settings_).method;
  check(settings_);
  warn_of_missing(*model_, settings_, warnings_);
  settings_.solver = choose_solver(system_sizes(*model_), settings_.solver);
  state_.joint_angles.assign(model_->joints.size(), {});
  for (std::size_t j = 0; j < model_->joints.size(); ++j)
    state_.joint_angles[j] = model_->extras_of(model_->joints[j]).start;
  // Closing the joints is no time for iterating.
  // What laws hold is not closed by force: bounded motors, joints with compliance.
  const bool lawful = enforces_laws(settings_) && has_laws(*model_);
  assemble(lawful ? without_lawful_joints(*model_, settings_.method == Method::impulse) : *model_, state_,
           is_iterated(settings_.solver) ? LinearSolver::automatic : settings_.solver, warnings_);
  size_ = mechanism_size(*model_, state_);
  stepper_ = make_stepper(*model_, state_, settings_);
}

Simulation::~Simulation() = default;

void Simulation::set_state(const State& state) {
  state_ = state;
  stepper_->invalidate();
  evaluated_ = false;
}

// Forces that begin, end or bend inside a step would spoil its order: a step ends there.
double Simulation::next_stop(double time) const {
  const std::vector<double>& kinks = stepper_->dynamics().forces().kinks();
  const auto next = std::upper_bound(kinks.begin(), kinks.end(), state_.time);
  return next != kinks.end() && *next < time ? *next : time;
}

StepReport Simulation::step() {
  if (settings_.integrator != Integrator::adaptive) return advance_to(state_.time + settings_.step);
  const double stop = next_stop(state_.time + settings_.step);
  evaluated_ = false;
  ++steps_;
  return stepper_->step(stop - state_.time, state_);
}

StepReport Simulation::advance_to(double time) {
  StepReport worst;
  worst.time = state_.time;
  // A last step shorter than this would be rounding only.
  const double slack = 1e-9 * settings_.step;
  while (state_.time < time) {
    if (time - state_.time <= 1e-3 * slack) {
      state_.time = time;
      break;
    }
    const double stop = next_stop(time);
    const double left = stop - state_.time;
    const bool fixed = settings_.integrator != Integrator::adaptive;
    const bool last = fixed ? left <= settings_.step + slack : false;
    StepReport report = stepper_->step(fixed && !last ? settings_.step : left, state_);
    evaluated_ = false;
    if (!report.ok()) return report;
    ++steps_;
    if (last || stop - state_.time <= slack) state_.time = stop;
    worst.time = state_.time;
    worst.residual = std::max(worst.residual, report.residual);
    worst.contacts = report.contacts;
    worst.impacts += report.impacts;
    worst.shocks += report.shocks;
    worst.complementarity = std::max(worst.complementarity, report.complementarity);
    worst.penetration = std::max(worst.penetration, report.penetration);
    worst.fallbacks = std::max(worst.fallbacks, report.fallbacks);
    worst.drift_position = std::max(worst.drift_position, report.drift_position);
    worst.drift_angle = std::max(worst.drift_angle, report.drift_angle);
    worst.position_iterations = std::max(worst.position_iterations, report.position_iterations);
    worst.damped += report.damped;
    worst.halvings = std::max(worst.halvings, report.halvings);
    worst.velocity_iterations = std::max(worst.velocity_iterations, report.velocity_iterations);
  }
  return worst;
}

Dynamics& Simulation::evaluate() {
  if (!evaluated_) evaluated_ = stepper_->evaluate(state_);
  return stepper_->dynamics();
}

const ConstraintSystem& Simulation::system() const { return stepper_->dynamics().system(); }

Energy Simulation::energy() {
  Dynamics& dynamics = stepper_->dynamics();
  return {dynamics.kinetic_energy(state_), dynamics.potential_energy(state_), state_.ledger};
}

Drift Simulation::drift() { return stepper_->projection().drift(state_); }

void Simulation::set_force(BodyId body, const Vec3& force, const Vec3& torque) {
  Forces& forces = stepper_->dynamics().forces();
  forces.body_force[body] = {force, torque, 0};
  forces.user_forces = true;
  evaluated_ = false;
}

int Simulation::JointHandle::coordinates() const { return coordinate_count(simulation_->model_->joints[id_]); }

double Simulation::JointHandle::position(int coordinate) const {
  Dynamics& dynamics = simulation_->stepper_->dynamics();
  dynamics.kinematics().update(dynamics.model(), simulation_->state_);
  Rows rows;
  dynamics.coordinates().evaluate(dynamics.model(), dynamics.kinematics(), id_, rows);
  return rows[coordinate].phi;
}

double Simulation::JointHandle::velocity(int coordinate) const {
  Dynamics& dynamics = simulation_->stepper_->dynamics();
  dynamics.kinematics().update(dynamics.model(), simulation_->state_);
  Rows rows;
  dynamics.coordinates().evaluate(dynamics.model(), dynamics.kinematics(), id_, rows);
  return rate(dynamics.kinematics(), dynamics.model().joints[id_], rows[coordinate]);
}

void Simulation::JointHandle::set_torque(double torque, int coordinate) {
  Forces& forces = simulation_->stepper_->dynamics().forces();
  forces.joint_force[id_][static_cast<std::size_t>(coordinate)] = torque;
  forces.user_forces = true;
  simulation_->evaluated_ = false;
}

Spatial Simulation::JointHandle::reaction() const { return simulation_->evaluate().reaction(id_); }

}  // namespace catena
