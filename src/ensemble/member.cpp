// One member of an ensemble, from its values to its result.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>

#include "catena/ensemble/ensemble.h"
#include "catena/scene/scene.h"
#include "catena/simulation/interpolate.h"
#include "catena/simulation/sample.h"
#include "catena/simulation/simulation.h"

namespace catena {
namespace {

// As recordings are sampled: Settings::sample, or 10 ms, or a step where that is longer; the end belongs to it where it is a multiple.
class SampledRun {
 public:
  SampledRun(Simulation& simulation, std::vector<Measure>& measures)
      : simulation_(simulation),
        measures_(measures),
        row_(column_names(simulation.model()).size()),
        interval_(interval_of(simulation.settings())),
        count_(static_cast<long>(std::floor(simulation.settings().duration / interval_ * (1 + 1e-12))) + 1),
        stepped_(simulation, simulation.settings().duration) {}

  void run(MemberResult& result) {
    const double before = simulation_.energy().total();
    StepReport all;
    bool good = take_samples(result);
    while (good && !stepped_.done()) {
      const StepReport report = stepped_.step();
      all.merge(report);
      if (!report.ok()) fail(result, word_of(report.status), report.message);
      good = report.ok() && take_samples(result);
    }
    result.time = simulation_.time();
    result.steps = simulation_.steps();
    result.residual = all.residual;
    result.drift = all.drift_position;
    result.energy = simulation_.energy().total();
    result.energy_change = result.energy - before;
  }

 private:
  static double interval_of(const Settings& settings) {
    return settings.sample > 0 ? settings.sample : std::max(0.01, settings.step);
  }
  static const char* word_of(Status status) {
    switch (status) {
      case Status::ok: return "done";
      case Status::diverged: return "diverged";
      case Status::singular: return "singular";
      case Status::too_long: return "too long";
      case Status::interrupted: return "interrupted";
      case Status::not_converged: break;
    }
    return "not converged";
  }
  static void fail(MemberResult& result, const char* status, std::string message) {
    result.status = status;
    result.message = std::move(message);
  }
  bool take_samples(MemberResult& result) {
    for (; next_ < count_; ++next_) {
      const double time = static_cast<double>(next_) * interval_;
      if (!stepped_.covers(time)) break;
      bool finite = true;
      stepped_.look_at(time, [&] {
        sample(simulation_, row_);
        row_[0] = time;
        for (const double x : row_) finite = finite && std::isfinite(x);
        if (finite)
          for (Measure& measure : measures_) measure.take(row_);
      });
      if (!finite) fail(result, "diverged", fmt::format("t = {:.6g} s: a number is no longer finite", time));
      if (!finite) return false;
    }
    return true;
  }

  Simulation& simulation_;
  std::vector<Measure>& measures_;
  std::vector<double> row_;
  double interval_;
  long count_, next_ = 0;
  SteppedRun stepped_;
};

}  // namespace

const std::vector<std::string>& member_statuses() {
  static const std::vector<std::string> all{"done", "diverged", "singular", "not converged", "refused"};
  return all;
}

MemberResult Ensemble::run(long member) const {
  MemberResult result{.member = member, .parameters = parameters(member)};
  result.measures.assign(measures_.size(), std::numeric_limits<double>::quiet_NaN());
  try {
    const Scene varied = scene(member);
    Simulation simulation(varied, {.threads = 1});
    std::vector<Measure> measures = measures_;
    SampledRun(simulation, measures).run(result);
    for (std::size_t k = 0; k < measures.size(); ++k) result.measures[k] = measures[k].value();
  } catch (const InputError& error) {
    result.status = "refused";
    result.message = error.what();
  } catch (const std::bad_alloc&) {
    result.status = "not converged";
    result.message = "there is not enough memory";
  }
  return result;
}

}  // namespace catena
