#include "catena/step/stepper.h"

#include <fmt/format.h>

#include "catena/mechanism/stiffness.h"

namespace catena {
namespace {

// The settings of a scheme: the implicit ones share what they can with those asked for.
Settings settings_of(Stepper::Kind kind, const Settings& asked) {
  Settings settings = asked;
  if (kind == Stepper::Kind::asked) return settings;
  settings.method =
      Spook{.coordinates = Coordinates::maximal, .contacts = asked.method.contacts(), .sweeps = asked.method.sweeps()};
  settings.threads = 1;
  if (kind == Stepper::Kind::always) settings.method.change({.integrator = Integrator::euler});
  return settings;
}

}  // namespace

Stepper::Stepper(const Model& model, const SharedState& initial, const Settings& settings)
    : model_(&model), asked_(settings), initial_(initial) {
  schemes_.push_back({Kind::asked, nullptr});
  made(schemes_.front());
  const bool adaptive = settings.method.integrator() == Integrator::adaptive;
  if (!adaptive) {
    why_replaced_ = why_all_implicit(model, *initial, settings, first().method().takes_rotors(),
                                     first().context().tuning.velocity.relaxation * settings.step);
    if (!why_replaced_.empty()) schemes_.clear();
    if (settings.method != Method::spook || settings.method.coordinates() == Coordinates::reduced)
      schemes_.push_back({Kind::implicit, nullptr});
    schemes_.push_back({Kind::always, nullptr});
  }
  made(schemes_.front()).context().terms.can_be_replaced = !adaptive;
  if (settings.sleep) sleep_.emplace(first().context().model(), first().context().tuning.sleep);
  if (!adaptive) dynamics().count_rotors();
}

StepLoop& Stepper::made(Scheme& scheme) {
  if (!scheme.loop) {
    const bool always = scheme.kind == Kind::always;
    scheme.loop = std::make_unique<StepLoop>(*model_, initial_, settings_of(scheme.kind, asked_), always);
    scheme.loop->context().terms.can_be_replaced = !always;
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
  std::string why;
  for (last_ = 0;; ++last_) {
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
      if (last_ == 0) why = report.message;
      if (report.status != Status::interrupted && last_ + 1 < schemes_.size()) continue;
      invalidate();
    }
    // Why all steps are another's is said once, in the warnings.
    if (last_ > 0 || !why_replaced_.empty()) report.replaced = 1;
    if (last_ > 0) {
      report.why_replaced = std::move(why);
      state.q.clear();  // the bodies are elsewhere
      state.qd.clear();
      dynamics().kinematics().update(first().context().model(), state);
    }
    report.time = state.time;
    return report;
  }
}

bool Stepper::carries(const State& state) {
  if (state.q.empty()) return false;
  State placed = state;
  first().method().place(placed);
  dynamics().kinematics().update(first().context().model(), state);
  return placed.q == state.q && placed.qd == state.qd;
}

std::optional<PlainStep> Stepper::plain_step(std::string& why) {
  why = sleep_ ? "bodies may sleep" : why_replaced_;
  if (!why.empty()) return {};
  std::optional<PlainStep> plain = first().method().plain_step();
  if (!plain) why = "the method does not step in joint coordinates";
  return plain;
}

void Stepper::stop_when(const std::atomic<bool>* stop) {
  stop_ = stop;
  for (Scheme& scheme : schemes_)
    if (scheme.loop) scheme.loop->context().terms.stop = stop;
}

bool Stepper::evaluate(const State& state) {
  StepMethod& method = first().method();
  return last_ == 0 ? method.evaluate(state) : method.evaluate_with(last().load, state);
}

}  // namespace catena
