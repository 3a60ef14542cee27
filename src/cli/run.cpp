#include "run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "catena/record/checkpoint.h"
#include "catena/simulation/interpolate.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"

namespace catena::cli {
namespace {

class Run {
 public:
  Run(Simulation& simulation, const RunPlan& plan)
      : simulation_(simulation),
        plan_(plan),
        recordings_(plan.recordings),
        names_(column_names(simulation.model())),
        row_(names_.size()),
        next_checkpoint_(simulation.time() + plan.checkpoint.every),
        stepped_(simulation, end_of(simulation, plan)),
        progress_(end_of(simulation, plan), plan.quiet) {}

  // One step, and the rows of the times it covers. False when the run is over; the summary then says why.
  bool step();
  bool record_covered();
  // The row of the present time, unless the run that was set aside has it.
  void start();
  bool at_end() const { return stepped_.done(); }
  void finish();

  Summary summary;

 private:
  bool end(Outcome outcome, std::string message);
  bool end_by_signal();
  bool write_row();
  bool record(double time);
  bool set_aside();
  static double end_of(const Simulation& simulation, const RunPlan& plan) {
    return std::max(simulation.settings().duration, plan.times.count > 0 ? plan.times[plan.times.count - 1] : 0);
  }
  const std::string* not_finite() const;

  Simulation& simulation_;
  const RunPlan& plan_;
  const Recordings& recordings_;
  std::vector<std::string> names_;
  std::vector<double> row_;
  double next_checkpoint_;
  double written_ = -1;   // time of the last row
  std::size_t next_ = 0;  // of the times to record
  SteppedRun stepped_;
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

bool Run::end_by_signal() {
  summary.signal = noted_signal();
  return end(Outcome::interrupted, fmt::format("interrupted at t = {:.6g} s", simulation_.time()));
}

// A whole step, whatever is recorded: rows at times between the ends of steps are interpolated.
bool Run::step() {
  if (noted_signal() != 0) return end_by_signal();
  StepReport report;
  try {
    report = stepped_.step();
  } catch (const std::bad_alloc&) {
    return end(Outcome::stopped, fmt::format("t = {:.6g} s: the next step needs more memory than there is; fewer "
                                             "contacts, fewer bodies or another method need less",
                                             simulation_.time()));
  }
  if (report.status == Status::interrupted) return end_by_signal();
  summary.steps.merge(report);
  if (!report.ok()) return end(Outcome::stopped, report.message);
  if (simulation_.time() >= next_checkpoint_ && !set_aside()) return false;
  progress_.show(simulation_.time());
  return record_covered();
}

void Run::start() {
  const double from = simulation_.time();
  while (from > 0 && next_ < plan_.times.count && plan_.times[next_] <= from) ++next_;
  record_covered();
}

bool Run::record_covered() {
  for (; next_ < plan_.times.count && stepped_.covers(plan_.times[next_]); ++next_)
    if (!record(plan_.times[next_])) return false;
  return true;
}

// At the end of a step, which is no other for it.
bool Run::set_aside() {
  if (plan_.checkpoint.file.empty()) return true;
  next_checkpoint_ = std::max(next_checkpoint_ + plan_.checkpoint.every, simulation_.time());
  try {
    write_checkpoint(plan_.checkpoint.file,
                     {plan_.checkpoint.model, simulation_.settings(), simulation_.state(), simulation_.drive()});
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

bool Run::record(double time) {
  if (recordings_.empty()) return true;
  bool good = true;
  stepped_.look_at(time, [&] {
    sample(simulation_, row_);
    row_[0] = time;  // which may be the end of a step but for rounding
    const std::string* name = not_finite();
    good = name ? end(Outcome::stopped,
                      fmt::format("t = {:.6g} s: {} is no longer finite; try a shorter step", time, *name))
                : write_row();
  });
  return good;
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
  simulation.stop_when(stop_request());
  const auto begin = std::chrono::steady_clock::now();
  run.summary.before = simulation.energy();
  run.start();
  while (run.summary.outcome == Outcome::done && !run.at_end()) run.step();
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
