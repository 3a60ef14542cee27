// Building a simulation and moving it on.
#include "catena/simulation/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "catena/laws/laws.h"
#include "catena/model/joint_rules.h"
#include "catena/model/setting_names.h"
#include "catena/simulation/check_settings.h"
#include "catena/simulation/choose_method.h"
#include "catena/simulation/sensors.h"
#include "catena/simulation/simulation_impl.h"

namespace catena {
namespace {

JointCoordinates coordinates_at(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(model, state);
  JointCoordinates out(model, kinematics);
  out.part_from_kinematics();
  return out;
}

// Where everything is adjusted before anything is built on it.
Settings complete(const Model& model, const State& initial, const Settings& asked) {
  Settings settings = asked;
  if (settings.method == Method::automatic) settings.method = choose_method(model, initial, settings).method;
  check_settings(settings);
  const SystemSizes sizes = system_sizes(model);
  settings.method.change({.solver = choose_solver(sizes, settings.method.solver())});
  settings.method.change({.coordinates = choose_coordinates(sizes, settings)});
  return settings;
}

// Assembly: closes the joints that hold, always by a direct solver, and leaves out what laws handle: bounded motors, joints with compliance.
State assembled(const Model& full, const Settings& settings, State state, Warnings& warnings) {
  state.joint_angles.assign(full.joints.size(), {});
  for (std::size_t j = 0; j < full.joints.size(); ++j) state.joint_angles[j] = full.extras_of(full.joints[j]).start;
  if (state.attachments.size() != full.joints.size()) state.attachments = first_attachments(full);
  if (settings.assembly_speed > 0) assemble_gradually(full, settings.assembly_speed, state);
  std::optional<Model> running;
  if (!state.attachments.empty()) running = running_model(full, state.attachments, coordinates_at(full, state));
  const Model& model = running ? *running : full;
  const bool lawful = enforces_laws(settings) && has_laws(model);
  assemble(lawful ? without_lawful_joints(model) : model, state,
           is_iterated(settings.method.solver()) ? LinearSolver::automatic : settings.method.solver(), warnings);
  return state;
}

}  // namespace

NameIndex::NameIndex(const Model& model) {
  const auto sort = [](const auto& things, std::vector<int>& index) {
    index.resize(things.size());
    std::iota(index.begin(), index.end(), 0);
    std::ranges::stable_sort(index, {}, [&](int i) -> const std::string& { return things[at(i)].name; });
  };
  sort(model.bodies, bodies);
  sort(model.joints, joints);
  sort(model.sensors, sensors);
}

Simulation::Impl::Impl(std::shared_ptr<const Model> shared, const State& initial, const Settings& asked)
    : model(std::move(shared)),
      settings(complete(*model, initial, asked)),
      state(assembled(*model, settings, initial, warnings)),
      assembled_start(state),
      zero(coordinates_at(*model, state)),
      size(mechanism_size(*model, state)),
      names(*model),
      layout_model(has_switching(*model) ? std::make_unique<const Model>(without_switching_joints(*model)) : nullptr),
      layout(layout_model ? *layout_model : *model),
      tau(static_cast<std::size_t>(layout.all_v())),
      body_force(model->bodies.size()) {
  build_stepper();
  drop_stale_coordinates();
  for (std::size_t j = 0; j < model->joints.size(); ++j)
    if (model->extras_of(model->joints[j]).switching || (!state.attachments.empty() && state.attachments[j].over > 0))
      switching.emplace_back(j);
  guided = guided_joints(*model);
  warn_of_settings(*model, asked, settings, warnings);
  if (const std::string& why = stepper->why_replaced(); !why.empty())
    warnings.push_back(fmt::format("{}: the steps of the {} method are taken by the implicit scheme of spook", why,
                                   word_of(kMethodNames, settings.method)));
  first_inputs();
  for (const Sensor& sensor : model->sensors) readings.emplace_back(static_cast<std::size_t>(reading_size(sensor)));
  coordinates.q.resize(static_cast<std::size_t>(layout.all_q()));
  coordinates.v.resize(static_cast<std::size_t>(layout.all_v()));
}

Simulation::Simulation(std::shared_ptr<const Model> model, const State& initial, const Settings& settings) {
  if (!model) throw InputError("a simulation needs a model");
  if (initial.bodies.size() != model->bodies.size())
    throw InputError(fmt::format("the state has {} bodies and the model {}: it is of another model",
                                 initial.bodies.size(), model->bodies.size()));
  impl_ = std::make_unique<Impl>(std::move(model), initial, settings);
}

Simulation::Simulation(const Scene& scene, const Options& options) try
    : Simulation(std::make_shared<const Model>(scene.model), scene.initial, with(scene.settings, options)) {
} catch (const JointError& error) {
  throw JointError(error.joint, scene.where(error.joint) + error.what());
}

Simulation::Simulation(const BuiltModel& built, const Options& options)
    : Simulation(std::make_shared<const Model>(built.model), built.initial, with({}, options)) {}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

double Simulation::Impl::slack_at(double time) const {
  return std::max(1e-9 * settings.step, 4 * std::numeric_limits<double>::epsilon() * std::abs(time));
}

double Simulation::Impl::next_counted(State& of) const {
  Clock& clock = of.clock;
  const double counted = at_kink(clock.origin + static_cast<double>(clock.steps) * clock.step, of.time);
  if (clock.step != settings.step || !(std::abs(of.time - counted) <= slack_at(of.time)))
    clock = {of.time, settings.step, 0};
  return at_kink(clock.origin + static_cast<double>(clock.steps + 1) * clock.step, of.time);
}

// Forces that begin, end or bend inside a step would spoil its order: a part of the step ends there, unless one of its parts would be no
// longer than rounding.
double Simulation::Impl::next_stop(double time) const {
  const std::vector<double>& kinks = stepper->dynamics().forces().kinks();
  const auto next = std::upper_bound(kinks.begin(), kinks.end(), state.time + slack());
  return next_switch(next != kinks.end() && *next < time - slack() ? *next : time);
}

// A time that misses a kink by rounding, of times like `now`, is the kink: a force that ends there has ended.
double Simulation::Impl::at_kink(double time, double now) const {
  const std::vector<double>& kinks = stepper->dynamics().forces().kinks();
  const auto next = std::lower_bound(kinks.begin(), kinks.end(), time - slack_at(now));
  return next != kinks.end() && *next <= time + slack_at(now) ? *next : time;
}

// A step of the stepper's, and whether its end has other freedoms than its beginning.
StepReport Simulation::Impl::take(double length) {
  const Dynamics& dynamics = stepper->dynamics();
  const int before = dynamics.rank_changes();
  StepReport part = stepper->step(length, state);
  part.branches = dynamics.rank_changes() - before;
  return part;
}

// To `stop`, at a distance of h, in parts where forces have kinks.
StepReport Simulation::Impl::move_to(double stop, double h) {
  StepReport merged;
  for (bool first = true;; first = false) {
    std::string fault = first ? std::string() : switch_joints();
    if (fault.empty()) fault = follow_guides();
    if (!fault.empty()) {
      merged.status = Status::not_converged;
      merged.message = fault;
      return merged;
    }
    const double next = next_stop(stop);
    const double length = first && next == stop ? h : next - state.time;
    if (active) load_inputs(length);
    const StepReport part = take(length);
    changed();
    merged.merge(part);
    if (!part.ok()) return merged;
    if (active) follow_inputs(length);
    merged.time = state.time = next;
    if (next == stop) return merged;
  }
}

StepReport Simulation::Impl::step_towards(double end) {
  load_forces();
  joint_events.clear();
  if (const std::string fault = switch_joints(); !fault.empty()) {
    report = {};
    report.status = Status::not_converged;
    report.time = state.time;
    report.message = fault;
    return report;
  }
  if (settings.method.integrator() == Integrator::adaptive) {
    if (const std::string fault = follow_guides(); !fault.empty()) {
      report = {};
      report.status = Status::not_converged;
      report.message = fault;
      return report;
    }
    const double stop = next_stop(end), begin = state.time;
    report = take(stop - state.time);
    changed();
    if (active && report.ok()) follow_inputs(state.time - begin);
    if (report.ok() && stop - state.time <= slack()) report.time = state.time = stop;
  } else {
    const double next = next_counted(state);
    if (next <= end + slack()) {
      report = move_to(next, settings.step);
      if (report.ok()) ++state.clock.steps;
      if (report.ok() && std::abs(next - end) <= slack()) report.time = state.time = end;
    } else {
      report = move_to(end, end - state.time);
    }
  }
  if (report.ok()) ++steps;
  return report;
}

StepReport Simulation::step_towards(double end) {
  if (impl_->controlling) throw InputError("the function of on_step() may not step the simulation it controls");
  if (impl_->control) {
    impl_->controlling = true;
    try {
      impl_->control(*this);
    } catch (...) {
      impl_->controlling = false;
      throw;
    }
    impl_->controlling = false;
  }
  return impl_->step_towards(end);
}

StepReport Simulation::step() {
  const bool adaptive = impl_->settings.method.integrator() == Integrator::adaptive;
  return step_towards(adaptive ? impl_->state.time + impl_->settings.step : std::numeric_limits<double>::infinity());
}

StepReport Simulation::advance_to(double time) {
  if (!std::isfinite(time)) throw InputError(fmt::format("advance_to({}): a finite time is needed", time));
  StepReport merged;
  State& state = impl_->state;
  merged.time = state.time;
  while (state.time < time) {
    if (time - state.time <= slack()) {
      merged.time = state.time = time;
      break;
    }
    merged.merge(step_towards(time));
    if (!merged.ok()) break;
  }
  return merged;
}

void Simulation::stop_when(const std::atomic<bool>* stop) {
  impl_->stop_flag = stop;
  impl_->stepper->stop_when(stop);
}

void Simulation::on_step(std::function<void(Simulation&)> control) { impl_->control = std::move(control); }

bool Simulation::close(State& state) const {
  constexpr int kIterations = 100;
  constexpr double kClosed = 1e-9;
  impl_->check(state);
  Projection& projection = impl_->stepper->projection();
  const bool closed = projection.positions(state, true, kIterations).scaled <= kClosed && projection.velocities(state);
  Dynamics& dynamics = impl_->stepper->dynamics();
  dynamics.kinematics().update(dynamics.model(), impl_->state);
  impl_->stepper->invalidate();
  impl_->evaluated = false;
  return closed;
}

Drift Simulation::drift_of(const State& state) const {
  impl_->check(state);
  const Drift drift = impl_->stepper->projection().drift(state);
  Dynamics& dynamics = impl_->stepper->dynamics();
  dynamics.kinematics().update(dynamics.model(), impl_->state);
  return drift;
}

void Simulation::count_turns(State& state) const {
  impl_->check(state);
  Dynamics& dynamics = impl_->stepper->dynamics();
  dynamics.kinematics().update(dynamics.model(), state);
  dynamics.coordinates().remember(dynamics.model(), dynamics.kinematics(), state);
  dynamics.kinematics().update(dynamics.model(), impl_->state);
}

}  // namespace catena
