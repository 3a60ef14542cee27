// catena equilibrium: where a scene rests. catena modes: how it moves about there.
#include "catena/simulation/equilibrium.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "catena/model/fingerprint.h"
#include "catena/record/checkpoint.h"
#include "catena/simulation/coordinate_names.h"
#include "catena/simulation/linear_model.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct EquilibriumFlags {
  SceneFlags scene;
  MethodFlags method;
  EquilibriumOptions options;
  std::string checkpoint;
  bool as_it_is = false;
};

Simulation simulation_of(const EquilibriumFlags& flags, std::uint64_t& hash) {
  Scene scene = load_scene(flags.scene);
  override_settings(flags.method, scene.settings);
  hash = fingerprint(scene);
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.scene.quiet);
  return simulation;
}

nlohmann::json coordinates_json(const Simulation& simulation) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t j = 0; j < simulation.model().joints.size(); ++j) {
    const auto q = simulation.joint(JointId(j)).q();
    if (!q.empty()) out[simulation.model().joints[j].name] = std::vector<double>(q.begin(), q.end());
  }
  return out;
}

nlohmann::json bodies_json(const Simulation& simulation) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t i = 0; i < simulation.model().bodies.size(); ++i) {
    const BodyState& s = simulation.state().bodies[i];
    const Quat& q = s.orientation;
    out[simulation.model().bodies[i].name] = {{"position", {s.position.x, s.position.y, s.position.z}},
                                              {"orientation", {q.w, q.x, q.y, q.z}}};
  }
  return out;
}

nlohmann::json to_json(const Equilibrium& e, const Simulation& simulation) {
  nlohmann::json out{{"found", e.found},           {"residual", e.residual}, {"scale", e.scale},
                     {"iterations", e.iterations}, {"stable", e.stable},     {"settled", e.settled}};
  if (!e.found) out["message"] = e.message;
  out["joints"] = coordinates_json(simulation);
  out["bodies"] = bodies_json(simulation);
  out["energy"] = {{"potential", simulation.energy().potential}};
  return out;
}

void print_text(const Equilibrium& e, const Simulation& simulation) {
  if (!e.found) {
    fmt::print("no equilibrium found: {}; a force of {:.3g} is left\n", e.message, e.residual);
    return;
  }
  const nlohmann::json joints = coordinates_json(simulation), bodies = bodies_json(simulation);
  for (const auto& [name, q] : joints.items()) fmt::print("{:24} {}\n", name, q.dump());
  for (const auto& [name, body] : bodies.items()) fmt::print("{:24} at {}\n", name, body["position"].dump());
  fmt::print("{}; force left {:.2e} of {:.3g} N or N·m; potential energy {:.9g} J\n",
             e.settled  ? "at rest in its contacts, limits or friction"
             : e.stable ? fmt::format("stable, after {} iterations", e.iterations)
                        : fmt::format("unstable, after {} iterations", e.iterations),
             e.residual, e.scale, simulation.energy().potential);
}

int equilibrium(const EquilibriumFlags& flags) {
  std::uint64_t hash = 0;
  Simulation simulation = simulation_of(flags, hash);
  const Equilibrium found = find_equilibrium(simulation, flags.options);
  if (flags.scene.json) fmt::print("{}\n", to_json(found, simulation).dump(2));
  else print_text(found, simulation);
  if (!found.found) return kStopped;
  if (!flags.checkpoint.empty())
    write_checkpoint(flags.checkpoint, {hash, simulation.settings(), simulation.state(), simulation.drive()});
  return kDone;
}

nlohmann::json to_json(const std::vector<Mode>& all, const std::vector<std::string>& names) {
  nlohmann::json out = nlohmann::json::array();
  for (const Mode& mode : all) {
    nlohmann::json shape = nlohmann::json::object();
    for (Eigen::Index i = 0; i < mode.shape.size(); ++i)
      shape[names[static_cast<std::size_t>(i)]] = {mode.shape[i].real(), mode.shape[i].imag()};
    out.push_back({{"frequency", mode.frequency},
                   {"damping", mode.damping},
                   {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
                   {"shape", shape}});
  }
  return out;
}

void print_text(const std::vector<Mode>& all, const std::vector<std::string>& names) {
  constexpr double kShown = 0.1;
  fmt::print("{:>4} {:>14} {:>14} {:>28}  {}\n", "mode", "frequency, Hz", "damping ratio", "eigenvalue, 1/s",
             "moves, the most 1");
  for (std::size_t m = 0; m < all.size(); ++m) {
    std::string moves;
    for (Eigen::Index i = 0; i < all[m].shape.size(); ++i)
      if (const double size = std::abs(all[m].shape[i]); size >= kShown)
        moves += fmt::format("{}{} {:.2f}", moves.empty() ? "" : ", ", names[static_cast<std::size_t>(i)],
                             all[m].shape[i].real() < 0 ? -size : size);
    fmt::print("{:>4} {:>14.6g} {:>14.6g} {:>28}  {}\n", m + 1, all[m].frequency, all[m].damping,
               fmt::format("{:.6g} {:+.6g}i", all[m].eigenvalue.real(), all[m].eigenvalue.imag()), moves);
  }
}

int modes_of(const EquilibriumFlags& flags) {
  std::uint64_t hash = 0;
  Simulation simulation = simulation_of(flags, hash);
  Equilibrium found;
  if (!flags.as_it_is) {
    found = find_equilibrium(simulation, flags.options);
    if (!found.found) {
      fmt::print(stderr, "no equilibrium found: {}; --as-it-is takes the initial positions\n", found.message);
      return kStopped;
    }
    if (found.settled && !flags.scene.quiet)
      fmt::print(stderr, "warning: it rests in contacts, limits or friction, which the modes leave out\n");
  }
  const std::vector<Mode> all = modes(simulation);
  const std::vector<std::string> names = rate_names(simulation);
  if (flags.scene.json) {
    nlohmann::json out{{"modes", to_json(all, names)}, {"joints", coordinates_json(simulation)}};
    if (!flags.as_it_is) out["equilibrium"] = {{"residual", found.residual}, {"stable", found.stable}};
    fmt::print("{}\n", out.dump(2));
  } else {
    print_text(all, names);
  }
  return kDone;
}

void add_flags(CLI::App& command, EquilibriumFlags& flags) {
  add_scene_flags(command, flags.scene);
  add_method_flags(command, flags.method);
  command.remove_option(command.get_option("--tolerance"));
  add_number(command, "--tolerance", flags.options.tolerance,
             "Force left, relative to weight times size, or the largest force of springs and loads; default 1e-10",
             Least::more_than, 0, "1e-8");
  add_number(command, "--patience", flags.options.patience,
             "Simulated seconds for what rests in contacts to come to rest; default 100", Least::more_than, 0, "10");
}

}  // namespace

Command add_equilibrium(CLI::App& app) {
  auto flags = std::make_shared<EquilibriumFlags>();
  CLI::App* command = app.add_subcommand("equilibrium", "Find where a scene rests");
  add_flags(*command, *flags);
  command->add_option("--checkpoint", flags->checkpoint, "The rest as a state for `catena simulate --resume FILE`");
  command->footer(R"(Examples:
  catena equilibrium crane.yaml                                joint coordinates and positions at rest
  catena equilibrium crane.yaml --json --checkpoint rest.state
The exit code is 3 where none is found.)");
  return [flags] { return equilibrium(*flags); };
}

Command add_modes(CLI::App& app) {
  auto flags = std::make_shared<EquilibriumFlags>();
  CLI::App* command =
      app.add_subcommand("modes", "Print frequencies, damping ratios and shapes of the motions about rest");
  add_flags(*command, *flags);
  command->add_flag("--as-it-is", flags->as_it_is, "About the initial positions rather than where the scene rests");
  command->footer(R"(Examples:
  catena modes bridge.yaml                                     about its equilibrium
  catena modes pendulum.yaml --as-it-is --json)");
  return [flags] { return modes_of(*flags); };
}

}  // namespace catena::cli
