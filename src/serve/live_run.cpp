#include "catena/serve/live_run.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/model/error.h"
#include "catena/model/setting_names.h"
#include "catena/record/scene_json.h"
#include "catena/serve/frame.h"
#include "catena/serve/sliders.h"
#include "catena/simulation/sample.h"

namespace catena {
namespace {

using nlohmann::json;

constexpr std::chrono::duration<double> kPicture{1.0 / 60};

Bytes bytes(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

template <class Names>
json words_of(const Names& names) {
  json out = json::array();
  for (const auto& [word, value] : names) out.push_back(word);
  return out;
}

json sliders_json(const std::vector<SliderInfo>& sliders) {
  json out = json::array();
  for (const SliderInfo& s : sliders)
    out.push_back({{"name", s.name}, {"unit", s.unit}, {"low", s.low}, {"high", s.high}, {"value", s.value}});
  return out;
}

std::vector<double> values_of(const std::vector<SliderInfo>& sliders) {
  std::vector<double> out;
  for (const SliderInfo& slider : sliders) out.push_back(slider.value);
  return out;
}

Bytes hello_of(Simulation& simulation) {
  const json hello{{"type", "hello"},
                   {"scene", scene_json(simulation.model(), simulation.settings())},
                   {"columns", column_names(simulation.model())},
                   {"controls", sliders_json(control_sliders(simulation.model(), simulation.ctrl()))},
                   {"parameters", sliders_json(parameter_sliders(simulation.model()))},
                   {"choices",
                    {{"method", words_of(kMethodNames)},
                     {"integrator", words_of(kIntegratorNames)},
                     {"stabilise", words_of(kStabilisationNames)},
                     {"solver", words_of(kLinearSolverNames)},
                     {"contacts", words_of(kLawSolverNames)}}}};
  return bytes(hello.dump());
}

std::unique_ptr<Simulation> simulation_at(const Scene& scene, const State* from) {
  auto simulation = std::make_unique<Simulation>(scene);
  if (from) simulation->set_state(*from);
  return simulation;
}

}  // namespace

LiveRun::LiveRun(const Scene& scene, const State* from)
    : scene_(scene),
      sliders_{scene.model, {}, values_of(parameter_sliders(scene.model))},
      simulation_(simulation_at(scene, from)),
      ghost_{nullptr, scene.settings},
      history_(simulation_->state()),
      hello_(hello_of(*simulation_)),
      row_(column_names(simulation_->model()).size()) {
  sliders_.controls.assign(simulation_->ctrl().begin(), simulation_->ctrl().end());
}

LiveRun::~LiveRun() { stop(); }

void LiveRun::start(Audience audience) {
  audience_ = std::move(audience);
  history_.remember(simulation_->state());
  publish();
  say_status();
  mailbox_.begin();
  thread_ = std::thread([this] {
    loop();
    mailbox_.has_ended();
  });
}

void LiveRun::stop() {
  mailbox_.ask_to_end();
  if (thread_.joinable()) thread_.join();
}

bool LiveRun::stop(std::chrono::duration<double> patience) {
  mailbox_.ask_to_end();
  if (!mailbox_.wait_for_end(patience)) return false;
  stop();
  return true;
}

void LiveRun::loop() {
  auto deadline = Clock::now();
  for (;;) {
    if (pace_.playing && pace_.speed > 0) mailbox_.wait_until(deadline);
    else if (!pace_.playing && !ghost_is_behind()) mailbox_.wait();
    if (mailbox_.is_to_end()) return;
    take_commands();
    const auto now = Clock::now();
    if (pace_.playing && (pace_.speed == 0 || now >= deadline)) {
      deadline = std::max(deadline + std::chrono::duration_cast<Clock::duration>(kPicture), now);
      advance(now + std::chrono::duration_cast<Clock::duration>(kPicture));
    } else if (!pace_.playing) {
      deadline = now;
      if (ghost_is_behind()) {
        ghost_follows(now + std::chrono::duration_cast<Clock::duration>(kPicture));
        changed_ = true;
      }
    }
    if (changed_) {
      publish();
      changed_ = false;
    }
  }
}

void LiveRun::take_commands() {
  for (const Command& command : mailbox_.take_commands()) {
    try {
      std::visit([this](const auto& c) { act(c); }, command);
    } catch (const std::exception& error) {
      say_error(error.what());
    }
    if (!std::holds_alternative<DragCommand>(command)) say_status();
  }
}

void LiveRun::act(const PlayCommand&) {
  pace_.playing = true;
  pace_.owed = 0;
}

void LiveRun::act(const PauseCommand&) {
  pace_.playing = false;
  hand_.let_go(*simulation_);
}

void LiveRun::act(const StepCommand&) {
  pace_.playing = false;
  step_to(simulation_->time() + simulation_->settings().step);
  history_.remember(simulation_->state());
  changed_ = true;
}

void LiveRun::act(const ResetCommand&) {
  history_.forget_all();
  go_to(history_.start());
}

void LiveRun::act(const ReleaseCommand&) { hand_.let_go(*simulation_); }

void LiveRun::act(const SpeedCommand& command) {
  pace_.speed = command.times_real_time;
  pace_.owed = 0;
}

void LiveRun::act(const SeekCommand& command) { go_to(history_.go_back_to(command.time)); }

void LiveRun::act(const SettingsCommand& command) {
  Scene scene = scene_;
  scene.settings = with(scene_.settings, command.change);
  rebuild(std::move(scene));
}

void LiveRun::rebuild(Scene scene) {
  auto simulation = std::make_unique<Simulation>(scene);
  simulation->set_state(simulation_->state());
  scene_ = std::move(scene);
  simulation_ = std::move(simulation);
  hand_.forget_model();
  apply_controls();
  changed_ = true;
}

void LiveRun::apply_controls() {
  for (Simulation* simulation : {simulation_.get(), ghost_.simulation.get()})
    if (simulation != nullptr)
      std::copy(sliders_.controls.begin(), sliders_.controls.end(), simulation->ctrl().begin());
}

void LiveRun::act(const ControlCommand& command) {
  if (command.index >= sliders_.controls.size()) throw InputError{"there is no such control"};
  const SliderInfo slider = control_sliders(sliders_.original, sliders_.controls)[command.index];
  if (!(command.value >= slider.low && command.value <= slider.high))
    throw InputError{"the value is outside of the control's range"};
  sliders_.controls[command.index] = command.value;
  apply_controls();
}

void LiveRun::act(const ParameterCommand& command) {
  if (command.index >= sliders_.parameters.size()) throw InputError{"there is no such parameter"};
  std::vector<double> values = sliders_.parameters;
  values[command.index] = command.value;
  Scene scene = scene_;
  scene.model = with_parameters(sliders_.original, values);
  const bool ghost = ghost_.simulation != nullptr;
  rebuild(std::move(scene));
  sliders_.parameters = std::move(values);
  if (ghost) act(GhostCommand{true, {}});
}

void LiveRun::act(const GhostCommand& command) {
  const Settings settings = with(ghost_.settings, command.change);
  if (!command.on.value_or(true)) {
    ghost_.simulation.reset();
  } else {
    Scene scene = scene_;
    scene.settings = settings;
    auto ghost = std::make_unique<Simulation>(scene);
    ghost->set_state(simulation_->state());
    ghost_.simulation = std::move(ghost);
    apply_controls();
  }
  ghost_.settings = settings;
  changed_ = true;
}

void LiveRun::act(const DragCommand& command) {
  if (pace_.playing) hand_.pull(command, history_.start(), *simulation_);
  else go_to(hand_.lead(command, history_.start(), *simulation_));
}

bool LiveRun::step_to(double time) {
  hand_.apply(*simulation_);
  const StepReport report = simulation_->advance_to(time);
  if (!report.ok()) {
    pace_.playing = false;
    say_error("the simulation stopped: " + report.message);
    say_status();
    return false;
  }
  return true;
}

// The ghost comes to the time of the run, step by step: its steps may be so short that a million of them make one of the run's. False when it
// is still behind because the time is over or somebody wants something.
bool LiveRun::ghost_follows(Clock::time_point until) {
  while (ghost_is_behind()) {
    if (Clock::now() >= until || mailbox_.has_something()) return false;
    const double step = ghost_.simulation->settings().step, time = simulation_->time();
    const StepReport report = ghost_.simulation->advance_to(
        time - ghost_.simulation->time() < 1.5 * step ? time : ghost_.simulation->time() + step);
    if (report.ok()) continue;
    ghost_.simulation.reset();
    say_error("the ghost could not go on and has left");
    say_status();
  }
  return true;
}

void LiveRun::advance(Clock::time_point until) {
  const double begin = simulation_->time();
  const auto clock = Clock::now();
  const double h = simulation_->settings().step;
  pace_.owed = pace_.speed > 0 ? std::min(pace_.owed + pace_.speed * kPicture.count(), 0.25 * pace_.speed) : INFINITY;
  while (pace_.owed > 0.5 * h && Clock::now() < until && ghost_follows(until)) {
    if (!step_to(simulation_->time() + h)) break;
    pace_.owed -= h;
    if (simulation_->time() - history_.last_time() >= kPicture.count()) history_.remember(simulation_->state());
  }
  ghost_follows(until);
  const double wall = std::chrono::duration<double>(std::max(Clock::now() - clock, Clock::duration(1))).count();
  pace_.factor = 0.9 * pace_.factor + 0.1 * (simulation_->time() - begin) / wall;
  history_.remember(simulation_->state());
  changed_ = true;
}

void LiveRun::go_to(const State& state) {
  simulation_->set_state(state);
  if (ghost_.simulation) ghost_.simulation->set_state(state);
  pace_.owed = 0;
  history_.remember(simulation_->state());
  changed_ = true;
}

void LiveRun::publish() {
  sample(*simulation_, row_);
  const Bytes frame = bytes(
      frame_bytes(row_, ghost_.simulation ? &ghost_.simulation->state() : nullptr, simulation_->contact_forces()));
  mailbox_.put_frame(frame);
  audience_.frame(frame);
}

void LiveRun::say_status() {
  const json status{{"type", "status"},
                    {"playing", pace_.playing},
                    {"run", run_json(scene_.settings)},
                    {"used", word_of(kMethodNames, simulation_->settings().method)},
                    {"ghost", ghost_.simulation ? run_json(ghost_.settings) : json()},
                    {"factor", pace_.factor}};
  const Bytes words = bytes(status.dump());
  mailbox_.put_status(words);
  audience_.words(words);
}

void LiveRun::say_error(const std::string& message) {
  audience_.words(bytes(json{{"type", "error"}, {"message", message}}.dump()));
}

}  // namespace catena
