// What a run has come to, for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "catena/model/setting_names.h"
#include "common.h"
#include "run.h"

namespace catena::cli {
namespace {

constexpr const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done: return "ok";
    case Outcome::stopped: return "stopped";
    case Outcome::interrupted: return "interrupted";
    case Outcome::not_written: return "not written";
  }
  return "";
}

// What the books do not explain: change of energy minus the work of motors, actuators, loads, damping and projection.
double unexplained(const Summary& s) {
  const Ledger& l = s.after.ledger;
  return s.after.total() - s.before.total() -
         (l.motors + l.actuators + l.external + l.damping + l.contacts + l.projection + l.numerical);
}

std::string impulse_remark(const Summary& s) {
  if (s.steps.halvings > 0) return "some steps were taken in halves: a shorter step would suit";
  if (s.steps.damped > 0)
    return fmt::format("{} steps were too long for some motions, which are damped: a shorter step would suit",
                       s.steps.damped);
  return "no step was halved";
}

}  // namespace

void print_summary(const Simulation& simulation, const Summary& s) {
  const Ledger& l = s.after.ledger;
  const double per_step = simulation.steps() > 0 ? s.wall / static_cast<double>(simulation.steps()) * 1e6 : 0;
  fmt::print(stderr, "{} steps to t = {:.6g} s in {:.3g} s ({:.3g} µs a step, {:.3g} times real time)\n",
             simulation.steps(), simulation.time(), s.wall, per_step, s.wall > 0 ? simulation.time() / s.wall : 0);
  fmt::print(stderr, "method {} in {} coordinates, integrator {}\n",
             word_of(kMethodNames, simulation.settings().method),
             word_of(kCoordinatesNames, simulation.settings().method.coordinates()),
             word_of(kIntegratorNames, simulation.integrator()));
  fmt::print(stderr,
             "worst drift {:.2e} m, {:.2e} rad (mechanism {:.3g} m); worst residual {:.2e}; complementarity {}\n",
             s.steps.drift_position, s.steps.drift_angle, simulation.size(), s.steps.residual,
             s.steps.contacts > 0 ? fmt::format("{:.2e}", s.steps.complementarity) : "0 (no contacts)");
  if (s.steps.contacts > 0)
    fmt::print(stderr, "at most {} contacts, deepest overlap {:.2e} m, {} impacts, {} fall-backs of the solver\n",
               s.steps.contacts, s.steps.penetration, s.steps.impacts, s.steps.fallbacks);
  if (s.steps.swept > 0 && s.steps.complementarity > simulation.settings().contact_tolerance)
    fmt::print(stderr,
               "contact laws are met to {:.1e}, not to the {:.1e} asked for: in some step contacts leave open which of "
               "them carries how much, contradict each other or are many\n",
               s.steps.complementarity, simulation.settings().contact_tolerance);
  if (s.steps.swept > 0)
    fmt::print(stderr, "contacts were swept to a tolerance in {} parts of steps, and solved exactly in the others\n",
               s.steps.swept);
  if (s.steps.sweeps > 0)
    fmt::print(stderr, "at most {} Gauss-Seidel sweeps a problem{}\n", s.steps.sweeps,
               s.steps.monitored > 0 ? fmt::format(", monitored error {:.2e} at their end", s.steps.monitored) : "");
  if (s.steps.asleep > 0)
    fmt::print(stderr, "{} asleep at the end\n", counted(static_cast<std::size_t>(s.steps.asleep), "body", "bodies"));
  if (s.steps.shocks > 0)
    fmt::print(stderr, "{} times friction left no force that obeys the laws (Painlevé): an impulse ended the slip\n",
               s.steps.shocks);
  if (s.steps.branches > 0)
    fmt::print(stderr,
               "{} times the joints left another number of freedoms than before: the mechanism came to a singular "
               "pose, where its motion may "
               "branch, or left one\n",
               s.steps.branches);
  if (s.steps.replaced > 0)
    fmt::print(stderr, "{} steps were taken by the implicit scheme in place of the method's own{}{}\n",
               s.steps.replaced, s.steps.why_replaced.empty() ? "" : ", the first because: ", s.steps.why_replaced);
  fmt::print(stderr,
             "energy {:.9g} -> {:.9g} J; work of motors {:.4g}, actuators {:.4g}, loads {:.4g}, damping {:.4g}, "
             "contacts {:.4g}, "
             "projection {:.2e}, integration {:.2e}; "
             "unexplained {:.2e} J\n",
             s.before.total(), s.after.total(), l.motors, l.actuators, l.external, l.damping, l.contacts, l.projection,
             l.numerical, unexplained(s));
  if (simulation.settings().method == Method::impulse)
    fmt::print(stderr, "impulses: at most {} solves a step for positions, {} for velocities; {}\n",
               s.steps.position_iterations, s.steps.velocity_iterations, impulse_remark(s));
  if (const std::string remark = simulation.system().remark(); !remark.empty())
    fmt::print(stderr, "solver: {}\n", remark);
  constexpr std::size_t kNamed = 6;
  const auto& redundant = simulation.system().redundant();
  if (!redundant.empty()) {
    const std::vector<RowName> named(
        redundant.begin(), redundant.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, redundant.size())));
    fmt::print(stderr, "{} redundant rows, solved with least-norm forces: {}{}\n", redundant.size(),
               describe(simulation.model(), named), named.size() < redundant.size() ? ", … (explain names all)" : "");
  }
}

std::string summary_json(const Simulation& simulation, const Summary& s, const ImportLedger& ledger) {
  const Ledger& l = s.after.ledger;
  nlohmann::json redundant = nlohmann::json::array();
  for (const RowName& row : simulation.system().redundant())
    redundant.push_back({{"joint", simulation.model().joints[row.joint].name}, {"row", row.row}});
  nlohmann::json out = {
      {"name", simulation.model().name},
      {"status", name_of(s.outcome)},
      {"method",
       {{"name", word_of(kMethodNames, simulation.settings().method)},
        {"coordinates", word_of(kCoordinatesNames, simulation.settings().method.coordinates())},
        {"integrator", word_of(kIntegratorNames, simulation.integrator())}}},
      {"message", s.message},
      {"steps", simulation.steps()},
      {"time", simulation.time()},
      {"wall_time", s.wall},
      {"real_time_factor", s.wall > 0 ? simulation.time() / s.wall : 0},
      {"drift", {{"position", s.steps.drift_position}, {"angle", s.steps.drift_angle}, {"size", simulation.size()}}},
      {"residual", s.steps.residual},
      {"complementarity", s.steps.complementarity},
      {"penetration", s.steps.penetration},
      {"contacts", s.steps.contacts},
      {"impacts", s.steps.impacts},
      {"asleep", s.steps.asleep},
      {"shocks", s.steps.shocks},
      {"branches", s.steps.branches},
      {"fallbacks", s.steps.fallbacks},
      {"swept", s.steps.swept},
      {"sweeps", s.steps.sweeps},
      {"monitored", s.steps.monitored},
      {"iterations",
       {{"position", s.steps.position_iterations},
        {"velocity", s.steps.velocity_iterations},
        {"halvings", s.steps.halvings},
        {"damped", s.steps.damped}}},
      {"replaced", {{"steps", s.steps.replaced}, {"why", s.steps.why_replaced}}},
      {"solver", simulation.system().remark()},
      {"energy",
       {{"before", s.before.total()},
        {"after", s.after.total()},
        {"kinetic", s.after.kinetic},
        {"potential", s.after.potential},
        {"motors", l.motors},
        {"actuators", l.actuators},
        {"external", l.external},
        {"damping", l.damping},
        {"contacts", l.contacts},
        {"projection", l.projection},
        {"numerical", l.numerical},
        {"unexplained", unexplained(s)}}},
      {"redundant", redundant}};
  if (!ledger.empty()) out["ledger"] = ledger_json(ledger);
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace catena::cli
