// catena pose: a mechanism led by hand. Points of bodies go to targets, joints and loops stay closed, limits and contacts are kept.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "catena/model/fingerprint.h"
#include "catena/model/form_blocks.h"
#include "catena/record/checkpoint.h"
#include "catena/simulation/drag.h"
#include "commands.h"
#include "common.h"

namespace catena::cli {
namespace {

struct PoseFlags {
  SceneFlags scene;
  MethodFlags method;
  std::vector<std::string> drags;
  std::string out, checkpoint;
};

// Three numbers with commas between them, or nothing.
std::optional<Vec3> triple(const std::string& text) {
  std::istringstream in(text);
  Vec3 v;
  char comma1 = 0, comma2 = 0;
  in >> v.x >> comma1 >> v.y >> comma2 >> v.z;
  if (!in || comma1 != ',' || comma2 != ',' || in.peek() != std::char_traits<char>::eof()) return std::nullopt;
  if (!finite(v)) return std::nullopt;
  return v;
}

// The point that is dragged: BODY, its centre of mass; BODY.px,py,pz; the name of a site, or BODY.SITE.
Drag dragged(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].name == name) return {BodyId(i)};
  for (const Site& site : model.sites)
    if (site.name == name && site.body.valid()) return {site.body, site.position};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const std::string prefix = model.bodies[i].name + ".";
    if (!name.starts_with(prefix)) continue;
    const std::string rest = name.substr(prefix.size());
    if (const auto point = triple(rest)) return {BodyId(i), *point};
    for (const Site& site : model.sites)
      if (site.body == BodyId(i) && site.name == rest) return {site.body, site.position};
  }
  return {model.body(name)};  // throws, and names the nearest
}

Drag read_drag(const Model& model, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const auto target = equals == std::string::npos ? std::nullopt : triple(text.substr(equals + 1));
  if (!target)
    throw InputError(
        fmt::format("--drag {}: BODY=x,y,z or BODY.px,py,pz=x,y,z is expected, three finite numbers in metres", text));
  Drag drag = dragged(model, text.substr(0, equals));
  drag.target = *target;
  return drag;
}

nlohmann::json pose_of(const Simulation& simulation, const DragReport& report) {
  const Model& model = simulation.model();
  nlohmann::json bodies = nlohmann::json::object(), joints = nlohmann::json::object();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyState& s = simulation.body(BodyId(i));
    if (model.bodies[i].kind == BodyKind::form) {  // the body before it
      const OwnVector q = form_coordinates(s);
      bodies[model.bodies[model.bodies[i].partner].name]["form"] =
          std::vector<double>(q.begin(), q.begin() + model.bodies[i].form->coordinates());
      continue;
    }
    nlohmann::json& body = bodies[model.bodies[i].name];
    body["position"] = to_json(s.position);
    if (model.bodies[i].kind != BodyKind::particle)
      body["orientation"] = {s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z};
    if (model.bodies[i].kind == BodyKind::scalable) body["scale"] = s.scale;
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Simulation::JointView joint = simulation.joint(JointId(j));
    if (joint.q().empty()) continue;
    joints[model.joints[j].name] = std::vector<double>(joint.q().begin(), joint.q().end());
  }
  return {{"bodies", bodies},
          {"joints", joints},
          {"reached", report.reached},
          {"distance", report.distance},
          {"violation", report.violation},
          {"drift", {{"position", report.drift.position}, {"angle", report.drift.angle}}},
          {"moves", report.moves}};
}

// JSON is YAML; a .yaml has a key a line.
std::string as_yaml(const nlohmann::json& pose) {
  std::string out;
  for (const auto& [key, value] : pose.items()) {
    if (!value.is_object()) {
      out += fmt::format("{}: {}\n", key, value.dump());
      continue;
    }
    out += key + ":\n";
    for (const auto& [name, entry] : value.items())
      out += fmt::format("  {}: {}\n", nlohmann::json(name).dump(), entry.dump());
  }
  return out;
}

void write(const std::string& file, const nlohmann::json& pose) {
  const bool yaml = file.ends_with(".yaml") || file.ends_with(".yml");
  if (!yaml && !file.ends_with(".json"))
    throw InputError(fmt::format("--out {}: a pose is written as .yaml or .json", file));
  std::ofstream out(file);
  out << (yaml ? as_yaml(pose) : pose.dump(2) + "\n");
  if (!out.flush()) throw InputError(fmt::format("--out {}: cannot be written", file));
}

int run(const PoseFlags& flags) {
  Scene scene = load_scene(flags.scene);
  override_settings(flags.method, scene.settings);
  Simulation simulation(scene);
  print_warnings(simulation.warnings(), flags.scene.quiet);
  std::vector<Drag> drags;
  for (const std::string& text : flags.drags) drags.push_back(read_drag(simulation.model(), text));
  const DragReport report = simulation.drag(drags);
  const nlohmann::json pose = pose_of(simulation, report);
  if (!flags.out.empty()) write(flags.out, pose);
  if (!flags.checkpoint.empty())
    write_checkpoint(flags.checkpoint,
                     {fingerprint(scene), simulation.settings(), simulation.state(), simulation.drive()});
  if (flags.scene.json) {
    fmt::print("{}\n", pose.dump(2));
    return kDone;
  }
  fmt::print("{} after {} moves; farthest point {:.3g} m from its target\n",
             report.reached ? "reached" : "as near as joints, limits and contacts let it", report.moves,
             report.distance);
  fmt::print("joints open by {:.2g} m, {:.2g} rad; limits and contacts violated by {:.2g}\n", report.drift.position,
             report.drift.angle, report.violation);
  for (const auto& [name, body] : pose["bodies"].items()) {
    const nlohmann::json& p = body["position"];
    fmt::print("{:24} {:16.12g} {:16.12g} {:16.12g}\n", name, p[0].get<double>(), p[1].get<double>(),
               p[2].get<double>());
  }
  return kDone;
}

}  // namespace

Command add_pose(CLI::App& app) {
  auto flags = std::make_shared<PoseFlags>();
  CLI::App* command = app.add_subcommand("pose", "Lead points of bodies to targets; joints, limits and contacts hold");
  add_scene_flags(*command, flags->scene);
  add_method_flags(*command, flags->method);
  command
      ->add_option(
          "--drag", flags->drags,
          "BODY=x,y,z: its centre of mass goes there; BODY.px,py,pz=x,y,z: a point of it, body coordinates from "
          "the centre of mass; SITE=x,y,z or BODY.SITE=x,y,z. Any number of times")
      ->required()
      ->allow_extra_args(false);
  command->add_option("--out", flags->out, "The pose: FILE.yaml or FILE.json");
  command->add_option("--checkpoint", flags->checkpoint, "The pose as a state for `catena simulate --resume FILE`");
  command->footer(
      "Examples:\n  catena pose four_bar.yaml --drag crank=0.1,0,0.2 --out pose.yaml\n"
      "  catena pose arm.yaml --drag hand.0.1,0,0=0.4,0,0.6 --checkpoint start.ckpt");
  return [flags] { return run(*flags); };
}

}  // namespace catena::cli
