#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "catena/record/checkpoint.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"

namespace catena::cli {
namespace {

void include(const StepReport& report, Summary& summary) {
  summary.residual = std::max(summary.residual, report.residual);
  summary.complementarity = std::max(summary.complementarity, report.complementarity);
  summary.penetration = std::max(summary.penetration, report.penetration);
  summary.impacts += report.impacts;
  summary.shocks += report.shocks;
  summary.most_contacts = std::max(summary.most_contacts, report.contacts);
  summary.fallbacks = std::max(summary.fallbacks, report.fallbacks);
  summary.drift_position = std::max(summary.drift_position, report.drift_position);
  summary.drift_angle = std::max(summary.drift_angle, report.drift_angle);
  summary.position_iterations = std::max(summary.position_iterations, report.position_iterations);
  summary.velocity_iterations = std::max(summary.velocity_iterations, report.velocity_iterations);
  summary.halvings = std::max(summary.halvings, report.halvings);
  summary.damped += report.damped;
}

class Run {
 public:
  Run(Simulation& simulation, const RunPlan& plan)
      : simulation_(simulation),
        plan_(plan),
        recordings_(plan.recordings),
        names_(column_names(simulation.model())),
        row_(names_.size()),
        next_checkpoint_(simulation.time() + plan.checkpoint.every),
        progress_(simulation.settings().duration, plan.quiet) {}

  // Each returns false when the run is over; the summary then says why.
  bool advance(double to);
  bool record();
  void finish();

  Summary summary;

 private:
  bool end(Outcome outcome, std::string message);
  bool write_row();
  bool set_aside();
  double part_of(double to) const;
  const std::string* not_finite() const;

  Simulation& simulation_;
  const RunPlan& plan_;
  const Recordings& recordings_;
  std::vector<std::string> names_;
  std::vector<double> row_;
  double next_checkpoint_;
  double written_ = -1;  // time of the last row
  Progress progress_;
};

// Only the first reason counts: what follows may be its consequence.
bool Run::end(Outcome outcome, std::string message) {
  if (summary.outcome == Outcome::done) {
    summary.outcome = outcome;
    summary.message = std::move(message);
  }
  return false;
}

// Where the next piece of the way ends: after one step, so that a signal is seen after each; the last step goes to the end itself, and no
// splinter of a step is left. The adaptive integrator chooses its own steps, and is given room.
double Run::part_of(double to) const {
  const Settings& settings = simulation_.settings();
  const double steps = settings.integrator == Integrator::adaptive ? 100 : 1;
  return to - simulation_.time() < (steps + 0.5) * settings.step ? to : simulation_.time() + steps * settings.step;
}

bool Run::advance(double to) {
  while (simulation_.time() < to) {
    if (const int signal = noted_signal(); signal != 0) {
      summary.signal = signal;
      return end(Outcome::interrupted, fmt::format("interrupted at t = {:.6g} s", simulation_.time()));
    }
    StepReport report;
    try {
      report = simulation_.advance_to(part_of(to));
    } catch (const std::bad_alloc&) {
      return end(Outcome::stopped, fmt::format("t = {:.6g} s: the next step needs more memory than there is; fewer "
                                               "contacts, fewer bodies or another method need less",
                                               simulation_.time()));
    }
    include(report, summary);
    if (!report.ok()) return end(Outcome::stopped, report.message);
    if (simulation_.time() >= next_checkpoint_ && !set_aside()) return false;
    progress_.show(simulation_.time());
  }
  return true;
}

// At the end of a step, which is no other for it.
bool Run::set_aside() {
  if (plan_.checkpoint.file.empty()) return true;
  next_checkpoint_ = std::max(next_checkpoint_ + plan_.checkpoint.every, simulation_.time());
  try {
    write_checkpoint(plan_.checkpoint.file, {plan_.checkpoint.model, simulation_.settings(), simulation_.state()});
  } catch (const std::runtime_error& error) {
    return end(Outcome::not_written, error.what());
  }
  return true;
}

const std::string* Run::not_finite() const {
  for (std::size_t i = 0; i < row_.size(); ++i)
    if (!std::isfinite(row_[i])) return &names_[i];
  return nullptr;
}

// The row as it stands, to every recording; those before one that fails have it.
bool Run::write_row() {
  try {
    for (const auto& recording : recordings_) {
      recording->write(row_);
      recording->write_contacts(simulation_.contact_forces());
    }
  } catch (const std::runtime_error& error) {
    return end(Outcome::not_written, error.what());
  }
  written_ = simulation_.time();
  return true;
}

bool Run::record() {
  if (recordings_.empty()) return true;
  sample(simulation_, row_);
  if (const std::string* name = not_finite())
    return end(Outcome::stopped,
               fmt::format("t = {:.6g} s: {} is no longer finite; try a shorter step", simulation_.time(), *name));
  return write_row();
}

// The last good state is recorded too, if it can be written down.
void Run::finish() {
  const bool more = simulation_.time() > written_ && !recordings_.empty();
  if (more && (summary.outcome == Outcome::stopped || summary.outcome == Outcome::interrupted)) {
    sample(simulation_, row_);
    if (not_finite() == nullptr) write_row();
  }
  set_aside();
  for (const auto& recording : recordings_) {
    try {
      recording->finish();
    } catch (const std::runtime_error& error) {
      end(Outcome::not_written, error.what());
    }
  }
}

}  // namespace

Summary run(Simulation& simulation, const RunPlan& plan) {
  Run run(simulation, plan);
  const SampleTimes& times = plan.times;
  const auto begin = std::chrono::steady_clock::now();
  run.summary.before = simulation.energy();
  bool good = true;
  const double from = simulation.time();
  for (std::size_t i = 0; good && i < times.count; ++i) {
    if (from > 0 && times[i] <= from) continue;  // the run that was set aside has these
    good = run.advance(times[i]) && run.record();
  }
  if (good) run.advance(simulation.settings().duration);
  run.finish();
  run.summary.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.summary.after = simulation.energy();
  return run.summary;
}

int exit_code(const Summary& summary) {
  switch (summary.outcome) {
    case Outcome::done: return kDone;
    case Outcome::stopped: return kStopped;
    case Outcome::interrupted: return 128 + summary.signal;
    case Outcome::not_written: return kOther;
  }
  return kOther;
}

}  // namespace catena::cli
