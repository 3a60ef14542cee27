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
constexpr std::size_t kCommands = 64;
constexpr double kHistoryBytes = 256e6;
constexpr double kPullRate = 14;  // 1/s: how fast a dragged point follows the cursor

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

}  // namespace

LiveRun::LiveRun(const Scene& scene, const State* from)
    : scene_(scene), original_(scene.model), simulation_(std::make_unique<Simulation>(scene)) {
  if (from) simulation_->set_state(*from);
  controls_.assign(simulation_->ctrl().begin(), simulation_->ctrl().end());
  parameters_ = values_of(parameter_sliders(original_));
  start_ = simulation_->state();
  ghost_settings_ = scene_.settings;
  row_.resize(column_names(simulation_->model()).size());
  hello_ = hello_of(*simulation_);
  const auto state_bytes = static_cast<double>(start_.bodies.size() * sizeof(BodyState) +
                                               start_.joint_angles.size() * sizeof(JointArray) + 64);
  history_capacity_ = static_cast<std::size_t>(std::clamp(kHistoryBytes / state_bytes, 60.0, 1e5));
}

LiveRun::~LiveRun() { stop(); }

void LiveRun::start(Audience audience) {
  audience_ = std::move(audience);
  remember();
  publish();
  say_status();
  stopped_ = false;
  thread_ = std::thread([this] {
    loop();
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    wake_.notify_all();
  });
}

void LiveRun::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool LiveRun::stop(std::chrono::duration<double> patience) {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    if (!wake_.wait_for(lock, patience, [this] { return stopped_; })) return false;
  }
  stop();
  return true;
}

bool LiveRun::stirred() const {
  const std::lock_guard lock(mutex_);
  return stopping_ || !commands_.empty();
}

bool LiveRun::post(Command command) {
  {
    const std::lock_guard lock(mutex_);
    if (!commands_.empty() && std::holds_alternative<DragCommand>(command) &&
        std::holds_alternative<DragCommand>(commands_.back()))
      commands_.pop_back();
    if (commands_.size() >= kCommands) return false;
    commands_.push_back(command);
  }
  wake_.notify_all();
  return true;
}

Bytes LiveRun::latest_frame() const {
  const std::lock_guard lock(mutex_);
  return frame_;
}

Bytes LiveRun::latest_status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void LiveRun::loop() {
  auto deadline = Clock::now();
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const auto something = [&] { return stopping_ || !commands_.empty(); };
      if (playing_ && speed_ > 0) wake_.wait_until(lock, deadline, something);
      else if (!playing_ && !ghost_is_behind()) wake_.wait(lock, something);
      if (stopping_) return;
    }
    take_commands();
    const auto now = Clock::now();
    if (playing_ && (speed_ == 0 || now >= deadline)) {
      deadline = std::max(deadline + std::chrono::duration_cast<Clock::duration>(kPicture), now);
      advance(now + std::chrono::duration_cast<Clock::duration>(kPicture));
    } else if (!playing_) {
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
  std::deque<Command> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(commands_);
  }
  for (const Command& command : taken) {
    try {
      std::visit([this](const auto& c) { act(c); }, command);
    } catch (const std::exception& error) {
      say_error(error.what());
    }
    if (!std::holds_alternative<DragCommand>(command)) say_status();
  }
}

void LiveRun::act(const PlayCommand&) {
  playing_ = true;
  owed_ = 0;
}

void LiveRun::act(const PauseCommand&) {
  playing_ = false;
  let_go();
}

void LiveRun::act(const StepCommand&) {
  playing_ = false;
  step_to(simulation_->time() + simulation_->settings().step);
  remember();
  changed_ = true;
}

void LiveRun::act(const ResetCommand&) {
  history_.clear();
  go_to(start_);
}

void LiveRun::act(const ReleaseCommand&) { let_go(); }

void LiveRun::act(const SpeedCommand& command) {
  speed_ = command.times_real_time;
  owed_ = 0;
}

void LiveRun::act(const SeekCommand& command) {
  const auto after = std::upper_bound(history_.begin(), history_.end(), command.time + 1e-9,
                                      [](double time, const State& state) { return time < state.time; });
  const State state = after == history_.begin() ? start_ : *(after - 1);
  history_.erase(after == history_.begin() ? after : after - 1, history_.end());
  go_to(state);
}

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
  manipulator_.reset();
  apply_controls();
  changed_ = true;
}

void LiveRun::apply_controls() {
  for (Simulation* simulation : {simulation_.get(), ghost_.get()})
    if (simulation != nullptr) std::copy(controls_.begin(), controls_.end(), simulation->ctrl().begin());
}

void LiveRun::act(const ControlCommand& command) {
  if (command.index >= controls_.size()) throw InputError{"there is no such control"};
  const SliderInfo slider = control_sliders(original_, controls_)[command.index];
  if (!(command.value >= slider.low && command.value <= slider.high))
    throw InputError{"the value is outside of the control's range"};
  controls_[command.index] = command.value;
  apply_controls();
}

void LiveRun::act(const ParameterCommand& command) {
  if (command.index >= parameters_.size()) throw InputError{"there is no such parameter"};
  std::vector<double> values = parameters_;
  values[command.index] = command.value;
  Scene scene = scene_;
  scene.model = with_parameters(original_, values);
  const bool ghost = ghost_ != nullptr;
  rebuild(std::move(scene));
  parameters_ = std::move(values);
  if (ghost) act(GhostCommand{true, {}});
}

void LiveRun::act(const GhostCommand& command) {
  const Settings settings = with(ghost_settings_, command.change);
  if (!command.on.value_or(true)) {
    ghost_.reset();
  } else {
    Scene scene = scene_;
    scene.settings = settings;
    auto ghost = std::make_unique<Simulation>(scene);
    ghost->set_state(simulation_->state());
    ghost_ = std::move(ghost);
    apply_controls();
  }
  ghost_settings_ = settings;
  changed_ = true;
}

// Running: a damped spring from the point to the cursor. Paused: the mechanism is led by hand.
void LiveRun::act(const DragCommand& command) {
  if (!manipulator_)
    manipulator_ = std::make_unique<Manipulator>(simulation_->model(), start_, simulation_->settings().method.solver());
  const BodyId body(command.body);
  if (playing_) {
    if (pull_ && pull_->command.body != command.body) let_go();
    const double mass = pull_ ? pull_->mass : manipulator_->effective_mass(body, command.point, simulation_->state());
    pull_ = Pull{command, mass};
    return;
  }
  State state = simulation_->state();
  manipulator_->pull(body, command.point, command.target, state);
  go_to(state);
}

void LiveRun::let_go() {
  if (pull_) simulation_->set_force(BodyId(pull_->command.body), {}, {});
  pull_.reset();
}

void LiveRun::apply_pull() {
  if (!pull_) return;
  const BodyId body(pull_->command.body);
  const BodyState& s = simulation_->body(body);
  const Vec3 arm = s.scale * rotate(s.orientation, pull_->command.point);
  const Vec3 velocity = s.velocity + cross(s.angular_velocity, arm);
  const Vec3 stretch = pull_->command.target - (s.position + arm);
  const Vec3 force = pull_->mass * (kPullRate * kPullRate * stretch - 2 * kPullRate * velocity);
  const BodyVector wrench = restricted(simulation_->model().bodies[body].kind, {force, cross(arm, force), 0});
  simulation_->set_force(body, wrench.linear, wrench.angular);
}

bool LiveRun::step_to(double time) {
  apply_pull();
  const StepReport report = simulation_->advance_to(time);
  if (!report.ok()) {
    playing_ = false;
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
    if (Clock::now() >= until || stirred()) return false;
    const double step = ghost_->settings().step, time = simulation_->time();
    const StepReport report = ghost_->advance_to(time - ghost_->time() < 1.5 * step ? time : ghost_->time() + step);
    if (report.ok()) continue;
    ghost_.reset();
    say_error("the ghost could not go on and has left");
    say_status();
  }
  return true;
}

void LiveRun::advance(Clock::time_point until) {
  const double begin = simulation_->time();
  const auto clock = Clock::now();
  const double h = simulation_->settings().step;
  owed_ = speed_ > 0 ? std::min(owed_ + speed_ * kPicture.count(), 0.25 * speed_) : INFINITY;
  while (owed_ > 0.5 * h && Clock::now() < until && ghost_follows(until)) {
    if (!step_to(simulation_->time() + h)) break;
    owed_ -= h;
    if (simulation_->time() - history_.back().time >= kPicture.count()) remember();
  }
  ghost_follows(until);
  const double wall = std::chrono::duration<double>(std::max(Clock::now() - clock, Clock::duration(1))).count();
  factor_ = 0.9 * factor_ + 0.1 * (simulation_->time() - begin) / wall;
  remember();
  changed_ = true;
}

void LiveRun::go_to(const State& state) {
  simulation_->set_state(state);
  if (ghost_) ghost_->set_state(state);
  owed_ = 0;
  remember();
  changed_ = true;
}

void LiveRun::remember() {
  if (history_.size() >= history_capacity_)
    history_.erase(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(history_capacity_ / 4));
  if (!history_.empty() && history_.back().time >= simulation_->time()) history_.pop_back();
  history_.push_back(simulation_->state());
}

void LiveRun::publish() {
  sample(*simulation_, row_);
  const Bytes frame = bytes(frame_bytes(row_, ghost_ ? &ghost_->state() : nullptr, simulation_->contact_forces()));
  {
    const std::lock_guard lock(mutex_);
    frame_ = frame;
  }
  audience_.frame(frame);
}

void LiveRun::say_status() {
  const json status{{"type", "status"},
                    {"playing", playing_},
                    {"run", run_json(scene_.settings)},
                    {"used", word_of(kMethodNames, simulation_->settings().method)},
                    {"ghost", ghost_ ? run_json(ghost_settings_) : json()},
                    {"factor", factor_}};
  const Bytes words = bytes(status.dump());
  {
    const std::lock_guard lock(mutex_);
    status_ = words;
  }
  audience_.words(words);
}

void LiveRun::say_error(const std::string& message) {
  audience_.words(bytes(json{{"type", "error"}, {"message", message}}.dump()));
}

}  // namespace catena
