#include <fmt/format.h>

#include <algorithm>

#include "catena/model/run_limits.h"
#include "catena/model/setting_names.h"
#include "catena/scene/draft.h"

namespace catena {
namespace {

template <class T, std::size_t N, class Out>
void read_word(const Fields& fields, std::string_view key, const std::array<std::pair<std::string_view, T>, N>& choices,
               Out& out) {
  if (const Value* value = fields.find(key)) out = read_choice(*value, key, choices);
}

enum class Least { zero, more };

void read_number(const Fields& fields, std::string_view key, const Quantity& quantity, Least least, double& out) {
  const Value* value = fields.find(key);
  if (value == nullptr) return;
  out = read_number(*value, key, quantity);
  if (out < 0 || (least == Least::more && out == 0)) {
    fail(value->at, fmt::format("{}: {} must {}", key, out, least == Least::more ? "be positive" : "not be negative"));
  }
}

void read_number(const Fields& fields, std::string_view key, const Quantity& quantity, Least least,
                 std::optional<double>& out) {
  if (fields.find(key) != nullptr) read_number(fields, key, quantity, least, out.emplace());
}

Sweeps read_sweeps(const Fields& fields) {
  Sweeps out;
  if (const Value* v = fields.find("sweeps"))
    out.most = static_cast<int>(std::min(read_count(*v, "sweeps", 1), 1000000LL));
  read_word(fields, "sweep_algorithm", kSweepAlgorithmNames, out.algorithm);
  read_word(fields, "sweep_order", kSweepOrderNames, out.order);
  read_word(fields, "sweep_friction", kSweepFrictionNames, out.friction);
  read_number(fields, "sweep_relaxation", quantity::kNumber, Least::more, out.relaxation);
  if (!(out.relaxation < 2))
    fail(fields.find("sweep_relaxation")->at,
         fmt::format("sweep_relaxation: {} must lie between 0 and 2", out.relaxation));
  return out;
}

MethodWords read_method(const Fields& fields) {
  MethodWords out;
  read_word(fields, "method", kMethodNames, out.method);
  read_word(fields, "integrator", kIntegratorNames, out.integrator);
  read_word(fields, "stabilise", kStabilisationNames, out.stabilise);
  read_word(fields, "formulation", kFormulationNames, out.formulation);
  read_word(fields, "coordinates", kCoordinatesNames, out.coordinates);
  read_word(fields, "contacts", kContactModeNames, out.contacts);
  if (const Value* v = fields.find("solver")) {
    const SolverChoice choice = read_choice(*v, "solver", kSolverNames);
    out.solver = choice.linear;
    out.law_solver = choice.laws;
  }
  read_number(fields, "tolerance", quantity::kNumber, Least::more, out.tolerance);
  out.position_tolerance = out.velocity_tolerance = out.tolerance;
  read_number(fields, "position_tolerance", quantity::kNumber, Least::more, out.position_tolerance);
  read_number(fields, "velocity_tolerance", quantity::kNumber, Least::more, out.velocity_tolerance);
  read_number(fields, "baumgarte", quantity::kFrequency, Least::zero, out.baumgarte);
  out.sweeps = read_sweeps(fields);
  return out;
}

// Numbers by the names of their parts and their own: {velocity: {motion_gain: 1e-8}}.
void read_tuning(const Value& value, Tuning& tuning) {
  const auto need_map = [](const Value& map, const std::string& what) {
    if (!map.is_map()) fail(map.at, fmt::format("{}: expected a map of numbers by name, got {}", what, map.describe()));
  };
  need_map(value, "tuning");
  for (std::size_t part = 0; part < value.keys.size(); ++part) {
    const Value& numbers = value.items[part];
    need_map(numbers, "tuning " + value.keys[part].text);
    for (std::size_t i = 0; i < numbers.keys.size(); ++i) {
      const std::string name = value.keys[part].text + "." + numbers.keys[i].text;
      const double number = read_number(numbers.items[i], name, quantity::kNumber);
      if (const std::string wrong = set_tuning(tuning, name, number); !wrong.empty()) fail(numbers.keys[i].at, wrong);
    }
  }
}

}  // namespace

Settings read_settings(const Value& simulate) {
  const Fields fields(simulate, "simulate",
                      {"method",
                       "step",
                       "duration",
                       "sample",
                       "integrator",
                       "tolerance",
                       "position_tolerance",
                       "velocity_tolerance",
                       "stabilise",
                       "solver",
                       "contact_margin",
                       "contact_tolerance",
                       "restitution_threshold",
                       "sweeps",
                       "sweep_algorithm",
                       "sweep_order",
                       "sweep_friction",
                       "sweep_relaxation",
                       "baumgarte",
                       "assembly_speed",
                       "sleep",
                       "threads",
                       "seed",
                       "formulation",
                       "facets",
                       "coordinates",
                       "contacts",
                       "tuning"});
  Settings out;
  out.method = read_method(fields);
  read_number(fields, "step", quantity::kTime, Least::more, out.step);
  read_number(fields, "duration", quantity::kTime, Least::zero, out.duration);
  if (const std::string wrong = wrong_times(out.step, out.duration); !wrong.empty())
    fail(fields.find("step") != nullptr ? fields.find("step")->at : simulate.at, "simulate: " + wrong);
  read_number(fields, "sample", quantity::kTime, Least::zero, out.sample);
  read_number(fields, "contact_margin", quantity::kLength, Least::zero, out.contact_margin);
  read_number(fields, "contact_tolerance", quantity::kNumber, Least::more, out.contact_tolerance);
  read_number(fields, "restitution_threshold", quantity::kNumber, Least::zero, out.restitution_threshold);
  if (const Value* v = fields.find("facets")) {
    out.facets = static_cast<int>(std::min(read_count(*v, "facets", 0), 1000LL));
    if (out.facets % 2 != 0 || out.facets == 2)
      fail(v->at, fmt::format("facets: {} must be 0 (a round cone) or an even number from 4 on", out.facets));
  }
  read_number(fields, "assembly_speed", quantity::kSpeed, Least::zero, out.assembly_speed);
  out.sleep = fields.flag("sleep", false);
  if (const Value* v = fields.find("threads"))
    out.threads = static_cast<int>(std::min(read_count(*v, "threads", 1), 4096LL));
  if (const Value* v = fields.find("seed")) out.seed = static_cast<std::uint64_t>(read_count(*v, "seed", 0));
  if (const Value* v = fields.find("tuning")) read_tuning(*v, out.tuning);
  return out;
}

}  // namespace catena
