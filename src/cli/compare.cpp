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
#include "catena/simulation/choose_method.h"
#include "catena/simulation/interpolate.h"
#include "child.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct CompareFlags {
  SceneFlags scene;
  std::vector<std::string> methods;
  bool grid = false;
  double duration = -1, step = 0;
  double budget = 60;  // s
  std::string out;
};

constexpr double kSamples = 100;  // times at which the runs are compared, at most
constexpr double kFiner = 8;      // steps of the reference are so many times shorter

// A method, and what it steps in.
struct Choice {
  Method method;
  Coordinates coordinates = Coordinates::automatic;
};

std::string name_of(const Choice& choice) {
  const std::string_view method = word_of(kMethodNames, choice.method);
  if (choice.coordinates == Coordinates::automatic) return std::string(method);
  return fmt::format("{}/{}", method, word_of(kCoordinatesNames, choice.coordinates));
}

struct Run {
  std::string method, why_not;            // why_not: what keeps the method from this scene, or stopped it
  std::optional<double> until{};          // where it was when its time was over [s]
  double step_time = 0;                   // s of processor time a step
  StepReport steps;                       // of all steps
  std::vector<double> energy;             // kinetic and potential, at the samples [J]
  std::vector<std::vector<Vec3>> places;  // of the bodies, at the samples
  double error = 0, energy_error = 0;  // against the reference: largest distance [m]; largest difference of energy [J]
  std::vector<double> errors;          // by sample

  bool whole() const { return why_not.empty() && !until; }
};

// Whole steps lie between the samples, so that none is cut for them.
struct Span {
  Span(double time, double step) : duration(time) {
    const double steps = std::max(1.0, std::ceil(duration / step - 1e-9)), stride = std::ceil(steps / kSamples);
    interval = stride * step;
    samples = static_cast<int>(std::ceil(steps / stride));
  }
  double duration, interval;
  int samples;  // beside the one at the start
  double at(int k) const { return std::min(duration, k * interval); }
};

// What a run has come to, for send() and receive(): everything but how it compares.
nlohmann::json sample_of(Simulation& simulation, const Run& run) {
  nlohmann::json places = nlohmann::json::array();
  for (const BodyState& body : simulation.state().bodies)
    for (int i = 0; i < 3; ++i) places.push_back(body.position[i]);
  return {{"places", std::move(places)},
          {"energy", simulation.energy().total()},
          {"figures",
           {run.step_time, run.steps.drift_position, run.steps.drift_angle, run.steps.residual,
            run.steps.complementarity, run.steps.fallbacks}}};
}

void receive(const std::string& line, Run& out) {
  const nlohmann::json sample = nlohmann::json::parse(line);
  if (sample.contains("why_not")) {
    out.why_not = sample["why_not"];
    return;
  }
  std::vector<Vec3>& places = out.places.emplace_back();
  const nlohmann::json& at = sample["places"];
  for (std::size_t i = 0; i < at.size(); i += 3) places.push_back({at[i], at[i + 1], at[i + 2]});
  out.energy.push_back(sample["energy"]);
  const nlohmann::json& figures = sample["figures"];
  out.step_time = figures[0];
  out.steps.drift_position = figures[1];
  out.steps.drift_angle = figures[2];
  out.steps.residual = figures[3];
  out.steps.complementarity = figures[4];
  out.steps.fallbacks = figures[5];
}

// One line a sample, or why there are no more.
void simulate(const Scene& scene, const Span& span, std::FILE* out) {
  const auto send = [out](const nlohmann::json& line) {
    fmt::print(out, "{}\n", line.dump());
    std::fflush(out);
  };
  try {
    Simulation simulation(scene);
    Run run;
    SteppedRun stepped(simulation, span.at(span.samples));
    double time = 0;
    for (int k = 0; k <= span.samples; ++k) {
      while (!stepped.covers(span.at(k))) {
        const std::clock_t begin = std::clock();
        run.steps.merge(stepped.step());
        time += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        if (!run.steps.ok()) return send({{"why_not", run.steps.message}});
      }
      run.step_time = time / static_cast<double>(std::max(1L, simulation.steps()));
      stepped.look_at(span.at(k), [&] { send(sample_of(simulation, run)); });
    }
  } catch (const InputError& error) {
    send({{"why_not", error.what()}});
  }
}

// In a process of its own, for `budget` seconds at most.
Run run(const Scene& scene, const Choice& choice, double step, const Span& span, double budget) {
  Scene own = scene;
  own.settings.method.change({.method = choice.method,
                              .integrator = Integrator::automatic,
                              .solver = LinearSolver::automatic,
                              .coordinates = choice.coordinates,
                              .law_solver = LawSolver::automatic});
  own.settings.step = step;
  Run out;
  out.method = name_of(choice);
  const Ended ended = in_child(
      budget, [&](std::FILE* file) { simulate(own, span, file); },
      [&](const std::string& line) { receive(line, out); });
  if (ended == Ended::crashed) out.why_not = "it crashed";
  if (ended == Ended::out_of_time) out.until = span.at(std::max(0, static_cast<int>(out.places.size()) - 1));
  return out;
}

void measure(const Run& reference, Run& run) {
  for (std::size_t k = 0; k < std::min(run.places.size(), reference.places.size()); ++k) {
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
  if (own == runs.end() || !own->whole()) return 0;
  double best = own->step_time;
  for (const Run& r : runs)
    if (r.whole() && r.error <= 2 * own->error + kRounding) best = std::min(best, r.step_time);
  return best > 0 ? own->step_time / best : 1;
}

Choice choice_of(const std::string& word) {
  const std::size_t slash = word.find('/');
  const std::optional<Method> method = value_of(kMethodNames, word.substr(0, slash));
  if (!method || *method == Method::automatic)
    throw InputError(fmt::format("--methods {}: there are lagrange, impulse, spook and operational", word));
  if (slash == std::string::npos) return {*method};
  const std::optional<Coordinates> coordinates = value_of(kCoordinatesNames, word.substr(slash + 1));
  if (!coordinates || *coordinates == Coordinates::automatic)
    throw InputError(fmt::format("--methods {}: after the method there is /maximal or /reduced", word));
  return {*method, *coordinates};
}

std::vector<Choice> choices_of(const CompareFlags& flags) {
  std::vector<Choice> choices;
  for (const std::string& word : flags.methods) choices.push_back(choice_of(word));
  if (choices.empty()) choices = {{Method::lagrange}, {Method::impulse}, {Method::spook}, {Method::operational}};
  if (!flags.grid) return choices;
  std::vector<Choice> grid;
  for (const Choice& choice : choices)
    for (const Coordinates coordinates : {Coordinates::maximal, Coordinates::reduced})
      grid.push_back({choice.method, coordinates});
  return grid;
}

void print_text(const std::vector<Run>& runs, const Run& reference, double step, const Span& span, double budget) {
  fmt::print("{} s in steps of {} s, against {} in steps of {} s\n", span.at(span.samples), step, reference.method,
             step / kFiner);
  if (reference.until) fmt::print("the reference came no farther in {} s (--budget)\n", budget);
  fmt::print("\n{:20} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>10}\n", "method", "µs a step", "error, m",
             "energy, J", "drift, m", "drift, rad", "residual", "laws", "fall-backs");
  for (const Run& r : runs) {
    if (!r.why_not.empty()) {
      fmt::print("{:20} {}\n", r.method, r.why_not);
    } else if (r.until && *r.until == 0) {
      fmt::print("{:20} did not come to t = {:.3g} s in {} s\n", r.method, span.at(1), budget);
    } else {
      fmt::print("{:20} {:>11.3g} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>11.2e} {:>10}", r.method,
                 r.step_time * 1e6, r.error, r.energy_error, r.steps.drift_position, r.steps.drift_angle,
                 r.steps.residual, r.steps.complementarity, r.steps.fallbacks);
      if (r.until) fmt::print("  came to t = {:.3g} s in {} s", *r.until, budget);
      fmt::print("\n");
    }
  }
  if (const double times = auto_over_best(runs, reference.method); times > 0)
    fmt::print("\nauto takes {}: {:.2f} times the fastest that errs no more than twice as much\n", reference.method,
               times);
}

nlohmann::json to_json(const std::vector<Run>& runs, const Run& reference, double step, double duration,
                       double budget) {
  nlohmann::json all = nlohmann::json::array();
  for (const Run& r : runs) {
    nlohmann::json& line = all.emplace_back(nlohmann::json{{"method", r.method}});
    if (!r.why_not.empty()) {
      line["why_not"] = r.why_not;
      continue;
    }
    if (r.until) line["until"] = *r.until;
    if (r.until && *r.until == 0) continue;
    line.update({{"step_time", r.step_time},
                 {"error", r.error},
                 {"energy_error", r.energy_error},
                 {"drift", {{"position", r.steps.drift_position}, {"angle", r.steps.drift_angle}}},
                 {"residual", r.steps.residual},
                 {"complementarity", r.steps.complementarity},
                 {"fallbacks", r.steps.fallbacks}});
  }
  return {{"reference", {{"method", reference.method}, {"step", step / kFiner}}},
          {"auto", {{"method", reference.method}, {"over_best", auto_over_best(runs, reference.method)}}},
          {"step", step},
          {"duration", duration},
          {"budget", budget},
          {"methods", all}};
}

void draw(const std::vector<Run>& runs, const Span& span, const std::string& title, const std::string& file) {
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
      line.x.push_back(span.at(static_cast<int>(k)));
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

int compare(const CompareFlags& flags) {
  Scene scene = load_scene(flags.scene);
  const double step = scene.settings.step = flags.step > 0 ? flags.step : scene.settings.step;
  if (flags.duration >= 0) scene.settings.duration = flags.duration;
  check_times(scene.settings);
  Span span(scene.settings.duration, step);
  scene.settings.method.change({.formulation = Formulation::operational_space});
  const std::vector<Choice> choices = choices_of(flags);
  Settings open;
  open.step = step / kFiner;
  const Method best = choose_method(scene.model, scene.initial, open).method;
  const Run reference = run(scene, {best}, step / kFiner, span, flags.budget);
  if (!reference.why_not.empty() || (reference.until && *reference.until == 0)) {
    fmt::print(stderr, "the reference stopped: {}\n",
               reference.until
                   ? fmt::format("it did not come to t = {:.3g} s in {} s (--budget)", span.at(1), flags.budget)
                   : reference.why_not);
    return kStopped;
  }
  // As far as there is something to compare with.
  span.samples = static_cast<int>(reference.places.size()) - 1;
  std::vector<Run> runs;
  for (const Choice& choice : choices) {
    runs.push_back(run(scene, choice, step, span, flags.budget));
    measure(reference, runs.back());
  }
  if (flags.scene.json) fmt::print("{}\n", to_json(runs, reference, step, span.at(span.samples), flags.budget).dump(2));
  else print_text(runs, reference, step, span, flags.budget);
  if (!flags.out.empty()) draw(runs, span, scene.model.name, flags.out);
  return kDone;
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* command = app.add_subcommand("compare", "Run a scene by every method that applies, and compare");
  add_scene_flags(*command, flags->scene);
  command
      ->add_option("--methods", flags->methods,
                   "lagrange,impulse,spook,operational; all that apply when not given. lagrange/reduced, "
                   "operational/maximal: in other coordinates than the method's own")
      ->delimiter(',');
  command->add_flag("--grid", flags->grid, "Each of them in maximal and in reduced coordinates");
  add_duration_flag(*command, flags->duration);
  add_number(*command, "--step", flags->step, "Time step, s", Least::more_than, 0, "1e-3");
  add_number(*command, "--budget", flags->budget,
             "Seconds of wall-clock time a method may take; what it did in them counts", Least::more_than, 0, "60")
      ->capture_default_str();
  command->add_option("--out", flags->out, "FILE.svg: the distance from the reference over time");
  command->footer(R"(Examples:
  catena compare arm.yaml --duration 2
  catena compare arm.yaml --grid
  catena compare arm.yaml --methods spook,spook/reduced --step 2e-3 --out compare.svg)");
  return [flags] { return compare(*flags); };
}

}  // namespace catena::cli
