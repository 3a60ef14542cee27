// catena dynamics: accelerations, multipliers and reactions at the initial state.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "catena/joints/tree_system.h"
#include "catena/mechanism/dynamics.h"
#include "catena/model/form_blocks.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct DynamicsFlags {
  SceneFlags scene;
  MethodFlags method;
  bool compliance = false;
};

nlohmann::json bodies(const Dynamics& dynamics) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t i = 0; i < dynamics.vdot.size(); ++i) {
    const Body& body = dynamics.model().bodies[i];
    const BodyVector vdot = restricted(body.kind, dynamics.vdot[i]);
    if (body.kind == BodyKind::form) {
      const OwnVector own = own_numbers(vdot.linear, vdot.angular);
      out[dynamics.model().bodies[body.partner].name]["form_acceleration"] =
          std::vector<double>(own.begin(), own.begin() + body.form->coordinates());
      continue;
    }
    nlohmann::json& entry = out[body.name];
    entry["acceleration"] = to_json(vdot.linear);
    entry["angular_acceleration"] = to_json(vdot.angular);
    if (body.kind == BodyKind::scalable) entry["scale_acceleration"] = vdot.scale;
  }
  return out;
}

nlohmann::json joints(const Dynamics& dynamics) {
  nlohmann::json out = nlohmann::json::object();
  const Model& model = dynamics.model();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const JointId id(j);
    const auto first = dynamics.lambda.begin() + dynamics.row_start(id);
    const Spatial reaction = dynamics.reaction(id);
    out[model.joints[j].name] = {{"lambda", std::vector<double>(first, first + row_count(model, model.joints[j]))},
                                 {"force", to_json(reaction.linear)},
                                 {"torque", to_json(reaction.angular)}};
  }
  return out;
}

// W of Baraff's eq. 12 with the names of its rows.
nlohmann::json compliance(const Model& model, const Kinematics& kinematics) {
  TreeSystem tree(model);
  if (!tree.factor(kinematics)) throw InputError(tree.failure());
  const Eigen::MatrixXd& W = tree.compliance();
  nlohmann::json rows = nlohmann::json::array(), matrix = nlohmann::json::array();
  for (Eigen::Index i = 0; i < W.rows(); ++i) {
    const JointId joint = tree.auxiliary_rows().joint_of[static_cast<std::size_t>(i)];
    rows.push_back(model.joints[joint].name);
    std::vector<double> row;
    // Where forces are along their rows only the lower triangle is kept.
    const bool lower = tree.auxiliary_rows().workless();
    for (Eigen::Index k = 0; k < W.cols(); ++k) row.push_back(lower && i < k ? W(k, i) : W(i, k));
    matrix.push_back(row);
  }
  return {{"rows", rows}, {"W", matrix}};
}

void print_dynamics(const nlohmann::json& result) {
  const auto triple = [](const nlohmann::json& v) {
    return fmt::format("({:12.6g}, {:12.6g}, {:12.6g})", v[0].get<double>(), v[1].get<double>(), v[2].get<double>());
  };
  fmt::print("{:24} {:>44} {:>44}\n", "body", "acceleration, m/s²", "angular acceleration, rad/s²");
  for (const auto& [name, body] : result["bodies"].items())
    fmt::print("{:24} {:>44} {:>44}\n", name, triple(body["acceleration"]), triple(body["angular_acceleration"]));
  fmt::print("{:24} {:>44} {:>44}\n", "joint", "force on the second body, N", "torque there, N·m");
  for (const auto& [name, joint] : result["joints"].items())
    fmt::print("{:24} {:>44} {:>44}\n", name, triple(joint["force"]), triple(joint["torque"]));
  fmt::print("kinetic energy {:.9g} J, potential energy {:.9g} J, residual {:.2e}\n",
             result["energy"]["kinetic"].get<double>(), result["energy"]["potential"].get<double>(),
             result["residual"].get<double>());
  if (result.contains("compliance")) fmt::print("W = {}\n", result["compliance"]["W"].dump());
}

// Accelerations do not depend on how a step is taken: contacts, limits, friction, bounded motors and compliance act by their laws at the
// state itself, which is the problem that lagrange solves in every step.
Settings without_method(Settings settings) {
  settings.method.change({.method = Method::lagrange,
                          .integrator = Integrator::automatic,
                          .coordinates = Coordinates::automatic,
                          .law_solver = LawSolver::automatic,
                          .formulation = Formulation::operational_space});
  if (settings.method.solver() == LinearSolver::iterative || settings.method.solver() == LinearSolver::parts ||
      settings.method.solver() == LinearSolver::parts_in_turn)
    settings.method.change({.solver = LinearSolver::automatic});
  return settings;
}

nlohmann::json contacts(const Simulation& simulation) {
  const Model& model = simulation.model();
  const auto name = [&](BodyId body) { return body.valid() ? model.bodies[body].name : std::string("ground"); };
  nlohmann::json out = nlohmann::json::array();
  for (const ContactForce& c : simulation.contact_forces())
    out.push_back({{"bodies", {name(c.contact.a), name(c.contact.b)}},
                   {"position", to_json(c.contact.position)},
                   {"gap", c.contact.gap},
                   {"force", to_json(c.force)}});
  return out;
}

int run(const DynamicsFlags& flags) {
  Scene scene = load_scene(flags.scene);
  override_settings(flags.method, scene.settings);
  const Simulation asked(scene);  // refuses what a run would refuse
  print_warnings(asked.warnings(), flags.scene.quiet);
  const Simulation simulation(asked.shared_model(), scene.initial, without_method(asked.settings()));
  Dynamics& dynamics = simulation.evaluate();
  nlohmann::json result{
      {"bodies", bodies(dynamics)}, {"joints", joints(dynamics)}, {"residual", dynamics.check().worst()}};
  nlohmann::json redundant = nlohmann::json::array();
  for (const RowName& row : dynamics.system().redundant())
    redundant.push_back({{"joint", simulation.model().joints[row.joint].name}, {"row", row.row}});
  result["redundant"] = redundant;
  result["contacts"] = contacts(simulation);
  if (flags.compliance) result["compliance"] = compliance(simulation.model(), dynamics.kinematics());
  const Energy energy = simulation.energy();
  result["energy"] = {{"kinetic", energy.kinetic}, {"potential", energy.potential}};
  if (flags.scene.json) {
    fmt::print("{}\n", result.dump(2));
  } else {
    print_dynamics(result);
  }
  return kDone;
}

}  // namespace

Command add_dynamics(CLI::App& app) {
  auto flags = std::make_shared<DynamicsFlags>();
  CLI::App* command = app.add_subcommand("dynamics", "Print accelerations and reactions at the initial state");
  add_scene_flags(*command, flags->scene);
  add_method_flags(*command, flags->method);
  command->add_flag("--compliance", flags->compliance, "Also W, the compliance of the auxiliary rows (Baraff eq. 12)");
  command->footer(R"(Examples:
  catena dynamics arm.yaml                                     accelerations and reactions, by body and joint
  catena dynamics arm.yaml --method spook --json               with contacts and limits as that method sees them)");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
