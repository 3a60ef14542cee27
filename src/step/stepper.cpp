#include "catena/step/stepper.h"

#include <fmt/format.h>

#include "catena/mechanism/stiffness.h"

namespace catena {
namespace {

// The implicit scheme, with what it shares with the settings asked for.
Settings implicit_settings(const Settings& asked) {
  Settings settings = asked;
  settings.method =
      Spook{.coordinates = Coordinates::maximal, .contacts = asked.method.contacts(), .sweeps = asked.method.sweeps()};
  settings.threads = 1;
  return settings;
}

}  // namespace

Stepper::Stepper(const Model& model, const SharedState& initial, const Settings& settings)
    : model_(&model), initial_(initial) {
  schemes_.push_back({settings, false, std::make_unique<StepLoop>(model, initial, settings)});
  if (settings.sleep) sleep_.emplace(asked().context().model(), asked().context().tuning.sleep);
  if (settings.method.integrator() == Integrator::adaptive) return;
  asked().context().terms.can_be_replaced = true;
  dynamics().count_rotors();
  const bool is_implicit = settings.method == Method::spook || settings.method == Method::operational;
  if (settings.method != Method::spook || settings.method.coordinates() == Coordinates::reduced)
    schemes_.push_back({implicit_settings(settings), false, nullptr});
  if (!is_implicit) why_replaced_ = why_implicit(model, *initial, settings.step, asked().method().takes_rotors());
  if (settings.method == Method::lagrange && why_replaced_.empty())
    why_replaced_ =
        why_implicit_contacts(model, settings.step, asked().context().tuning.velocity.relaxation * settings.step);
  schemes_.push_back({implicit_settings(settings), true, nullptr});
  schemes_.back().settings.method.change({.integrator = Integrator::euler});
}

StepLoop& Stepper::made(Scheme& scheme) {
  if (!scheme.loop) {
    scheme.loop = std::make_unique<StepLoop>(*model_, initial_, scheme.settings, scheme.always);
    scheme.loop->context().terms.can_be_replaced = !scheme.always;
  }
  scheme.loop->context().terms.stop = stop_;
  if (sleep_) leave_out_sleepers(scheme.loop->context());
  if (&scheme != &schemes_.front()) scheme.loop->context().dynamics.forces().take_inputs(dynamics().forces());
  return *scheme.loop;
}

StepReport Stepper::step(double h, State& state) {
  if (!sleep_) return step_awake(h, state);
  sleep_->begin(dynamics().forces(), state);
  follow_sleepers(state);
  if (sleep_->is_everything()) return step_resting(h, state);
  before_ = state;
  StepReport report = step_awake(h, state);
  while (!report.ok() && !touched().empty()) {
    sleep_->wake(touched(), state);
    follow_sleepers(state);
    before_ = state;
    report = step_awake(h, state);
  }
  if (report.ok()) keep_sleepers(before_, state);
  report.asleep = sleep_->count();
  return report;
}

StepReport Stepper::step_awake(double h, State& state) {
  // Why all steps are another's is said once, in the warnings.
  const std::size_t first = why_replaced_.empty() ? 0 : 1;
  std::string why;
  for (last_ = first;; ++last_) {
    StepLoop& loop = made(schemes_[last_]);
    Forces& forces = loop.context().dynamics.forces();
    if (sleep_ && sleep_->count() > 0) forces.asleep = sleep_->asleep();
    loop.take(h, state);
    forces.asleep.clear();
    StepReport& report = loop.context().report;
    if (!report.ok()) {
      state = loop.before();
      if (report.message.empty())
        report.message = fmt::format("t = {}: {}", state.time, loop.context().dynamics.system().failure());
      if (last_ == first) why = report.message;
      if (report.status != Status::interrupted && last_ + 1 < schemes_.size()) continue;
      invalidate();
    }
    if (last_ > 0) {
      report.replaced = 1;
      report.why_replaced = std::move(why);
      state.q.clear();  // the bodies are elsewhere
      state.qd.clear();
      dynamics().kinematics().update(asked().context().model(), state);
    }
    report.time = state.time;
    return report;
  }
}

bool Stepper::carries(const State& state) {
  if (state.q.empty()) return false;
  State placed = state;
  asked().method().place(placed);
  dynamics().kinematics().update(asked().context().model(), state);
  return placed.q == state.q && placed.qd == state.qd;
}

std::optional<PlainStep> Stepper::plain_step(std::string& why) {
  why = sleep_ ? "bodies may sleep" : why_replaced_;
  if (!why.empty()) return {};
  std::optional<PlainStep> plain = asked().method().plain_step();
  if (!plain) why = "the method does not step in joint coordinates";
  return plain;
}

void Stepper::stop_when(const std::atomic<bool>* stop) {
  stop_ = stop;
  for (Scheme& scheme : schemes_)
    if (scheme.loop) scheme.loop->context().terms.stop = stop;
}

bool Stepper::evaluate(const State& state) {
  StepMethod& method = asked().method();
  return last_ == 0 ? method.evaluate(state) : method.evaluate_with(last().load, state);
}

}  // namespace catena
