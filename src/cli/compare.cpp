// catena compare: one scene by every method that applies, in one table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "catena/model/setting_names.h"
#include "catena/record/chart.h"
#include "catena/step/choose_method.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct Flags {
  SceneFlags scene;
  std::vector<std::string> methods;
  double duration = -1, step = 0;
  std::string out;
};

constexpr int kSamples = 100;  // times at which the runs are compared
constexpr double kFiner = 8;   // steps of the reference are so many times shorter

struct Run {
  std::string method, why_not;  // why_not: what keeps the method from this scene, or stopped it
  double step_time = 0;         // s of processor time a step
  double drift_position = 0, drift_angle = 0, residual = 0, complementarity = 0;
  int fallbacks = 0;
  std::vector<double> energy;             // kinetic and potential, at the samples [J]
  std::vector<std::vector<Vec3>> places;  // of the bodies, at the samples
  double error = 0, energy_error = 0;  // against the reference: largest distance [m]; largest difference of energy [J]
  std::vector<double> errors;          // by sample
};

Run run(const Scene& scene, Method method, double step, double duration, Run out) try {
  Scene own = scene;
  own.settings.method = method;
  own.settings.step = step;
  own.settings.integrator = Integrator::automatic;
  own.settings.solver = LinearSolver::automatic;
  Simulation simulation(own);
  double time = 0;
  for (int k = 0; k <= kSamples; ++k) {
    const std::clock_t begin = std::clock();
    const StepReport report = simulation.advance_to(duration * k / kSamples);
    time += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (!report.ok()) {
      out.why_not = report.message;
      return out;
    }
    out.drift_position = std::max(out.drift_position, report.drift_position);
    out.drift_angle = std::max(out.drift_angle, report.drift_angle);
    out.residual = std::max(out.residual, report.residual);
    out.complementarity = std::max(out.complementarity, report.complementarity);
    out.fallbacks = std::max(out.fallbacks, report.fallbacks);
    out.energy.push_back(simulation.energy().total());
    std::vector<Vec3>& places = out.places.emplace_back();
    for (const BodyState& body : simulation.state().bodies) places.push_back(body.position);
  }
  out.step_time = time / static_cast<double>(std::max(1L, simulation.steps()));
  return out;
} catch (const InputError& error) {
  out.why_not = error.what();
  return out;
}

void measure(const Run& reference, Run& run) {
  for (std::size_t k = 0; k < run.places.size(); ++k) {
    double worst = 0;
    for (std::size_t i = 0; i < run.places[k].size(); ++i)
      worst = std::max(worst, norm(run.places[k][i] - reference.places[k][i]));
    run.errors.push_back(worst);
    run.error = std::max(run.error, worst);
    run.energy_error = std::max(run.energy_error, std::abs(run.energy[k] - reference.energy[k]));
  }
}

// How much longer the method that auto takes needs for a step than the fastest that errs no more than twice as much; 0 where it did not run.
// Errors below kRounding are none.
double auto_over_best(const std::vector<Run>& runs, const std::string& chosen) {
  constexpr double kRounding = 1e-12;  // m
  const auto own = std::find_if(runs.begin(), runs.end(), [&](const Run& r) { return r.method == chosen; });
  if (own == runs.end() || !own->why_not.empty()) return 0;
  double best = own->step_time;
  for (const Run& r : runs)
    if (r.why_not.empty() && r.error <= 2 * own->error + kRounding) best = std::min(best, r.step_time);
  return best > 0 ? own->step_time / best : 1;
}

std::vector<Method> methods_of(const Flags& flags) {
  std::vector<Method> methods;
  for (const std::string& word : flags.methods) {
    const std::optional<Method> method = value_of(kMethodNames, word);
    if (!method || *method == Method::automatic)
      throw InputError(fmt::format("--methods {}: there are lagrange, impulse, spook and operational", word));
    methods.push_back(*method);
  }
  if (!methods.empty()) return methods;
  return {Method::lagrange, Method::impulse, Method::spook, Method::operational};
}

void print_text(const std::vector<Run>& runs, const std::string& reference, double step, double duration) {
  fmt::print("{} s in steps of {} s, against {} in steps of {} s\n\n", duration, step, reference, step / kFiner);
  fmt::print("{:12} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>10}\n", "method", "µs a step", "error, m",
             "energy, J", "drift, m", "drift, rad", "residual", "laws", "fall-backs");
  for (const Run& r : runs) {
    if (!r.why_not.empty()) fmt::print("{:12} {}\n", r.method, r.why_not);
    else
      fmt::print("{:12} {:>11.3g} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>10}\n", r.method,
                 r.step_time * 1e6, r.error, r.energy_error, r.drift_position, r.drift_angle, r.residual,
                 r.complementarity, r.fallbacks);
  }
  if (const double times = auto_over_best(runs, reference); times > 0)
    fmt::print("\nauto takes {}: {:.2f} times the fastest that errs no more than twice as much\n", reference, times);
}

nlohmann::json to_json(const std::vector<Run>& runs, const std::string& reference, double step, double duration) {
  nlohmann::json all = nlohmann::json::array();
  for (const Run& r : runs) {
    if (!r.why_not.empty()) all.push_back({{"method", r.method}, {"why_not", r.why_not}});
    else
      all.push_back({{"method", r.method},
                     {"step_time", r.step_time},
                     {"error", r.error},
                     {"energy_error", r.energy_error},
                     {"drift", {{"position", r.drift_position}, {"angle", r.drift_angle}}},
                     {"residual", r.residual},
                     {"complementarity", r.complementarity},
                     {"fallbacks", r.fallbacks}});
  }
  return {{"reference", {{"method", reference}, {"step", step / kFiner}}},
          {"auto", {{"method", reference}, {"over_best", auto_over_best(runs, reference)}}},
          {"step", step},
          {"duration", duration},
          {"methods", all}};
}

void draw(const std::vector<Run>& runs, double duration, const std::string& title, const std::string& file) {
  if (!file.ends_with(".svg")) throw InputError(fmt::format("--out {}: it is written as .svg", file));
  Panel panel;
  panel.title = "distance from the reference";
  panel.x_label = "time, s";
  panel.y_label = "m";
  panel.log_y = true;
  for (const Run& r : runs) {
    Series& line = panel.series.emplace_back();
    line.name = r.method;
    for (std::size_t k = 0; k < r.errors.size(); ++k) {
      line.x.push_back(duration * static_cast<double>(k) / kSamples);
      line.y.push_back(r.errors[k]);
    }
  }
  Figure figure;
  figure.title = title;
  figure.panels.push_back(panel);
  std::ofstream out(file);
  out << to_svg(figure);
  if (!out.flush()) throw InputError(fmt::format("cannot write {}", file));
}

int compare(const Flags& flags) {
  Scene scene = load_scene(flags.scene);
  const double duration = flags.duration >= 0 ? flags.duration : scene.settings.duration;
  const double step = flags.step > 0 ? flags.step : scene.settings.step;
  scene.settings.formulation = Formulation::operational_space;
  const Method trusted = choose_method(scene.model, {}).method;
  const std::string reference_name(word_of(kMethodNames, trusted));
  const Run reference = run(scene, trusted, step / kFiner, duration, {});
  if (!reference.why_not.empty()) {
    fmt::print(stderr, "the reference stopped: {}\n", reference.why_not);
    return kStopped;
  }
  std::vector<Run> runs;
  for (const Method method : methods_of(flags)) {
    Run own;
    own.method = word_of(kMethodNames, method);
    runs.push_back(run(scene, method, step, duration, own));
    if (runs.back().why_not.empty()) measure(reference, runs.back());
  }
  if (flags.scene.json) fmt::print("{}\n", to_json(runs, reference_name, step, duration).dump(2));
  else print_text(runs, reference_name, step, duration);
  if (!flags.out.empty()) draw(runs, duration, scene.model.name, flags.out);
  return kDone;
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("compare", "One scene by every method that applies, in one table");
  add_scene_flags(*command, flags->scene);
  command->add_option("--methods", flags->methods, "lagrange,impulse,spook,operational; all that apply when not given")
      ->delimiter(',');
  command->add_option("--duration", flags->duration, "Seconds to simulate");
  command->add_option("--step", flags->step, "Time step, s");
  command->add_option("--out", flags->out, "FILE.svg: the distance from the reference over time");
  return [flags] { return compare(*flags); };
}

}  // namespace catena::cli
