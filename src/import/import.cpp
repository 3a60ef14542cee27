#include "catena/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "catena/import/mjcf.h"
#include "catena/import/sdf.h"
#include "catena/import/text_file.h"
#include "catena/import/urdf.h"
#include "catena/import/usda.h"
#include "catena/model/transmission.h"
#include "catena/model/validate.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

Scene read(const XmlTree& tree, const fs::path& folder, const ImportOptions& options) {
  BuiltRobot built = read_robot(tree, folder, options);
  if (!options.keyframe.empty()) apply_keyframe(built.scene, options.keyframe);
  return std::move(built.scene);
}

std::string ending_of(const fs::path& file) { return file.extension().string(); }

}  // namespace

BuiltRobot read_robot(const XmlTree& tree, const fs::path& folder, const ImportOptions& options) {
  const std::string& file = tree.files.front();
  const std::string& root = tree.root.name;
  if (root != "mujoco" && root != "robot" && root != "sdf" && root != "usda")
    throw InputError{fmt::format("{}: begins with '{}'; <mujoco> (MJCF), <robot> (URDF) and <sdf> (SDF) are read",
                                 tree.where(tree.root), root)};
  if (options.mujoco_softness && root != "mujoco")
    throw InputError{fmt::format("{}:1: --softness mujoco is of MJCF files; this format has no solref", file)};
  BuiltRobot built = root == "robot" ? read_urdf(tree, folder, options)
                   : root == "sdf"   ? read_sdf(tree, folder, options)
                   : root == "usda"  ? read_usda(tree)
                                     : read_mjcf(tree, folder, options);
  Scene& scene = built.scene;
  scene.source = tree.source;
  if (scene.files.empty()) scene.files = tree.files;
  if (scene.model.bodies.empty()) {
    const std::string text = fmt::format("{}:1: nothing in it moves; a body needs a joint", file);
    if (scene.model.ground_shapes.empty()) throw InputError{text};
    scene.warnings.push_back(text);
  }
  for (const Finding& finding : inspect(scene.model, scene.initial)) {
    const std::string text = fmt::format("{}:1: {}", file, finding.message);
    if (finding.error) throw InputError{text};
    scene.warnings.push_back(text);
  }
  return built;
}

bool is_robot_text(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(first).starts_with('<') || text.substr(first).starts_with("#usda");
}

bool is_robot_file(const fs::path& file) {
  const std::string ending = ending_of(file);
  return ending == ".xml" || ending == ".urdf" || ending == ".sdf" || ending == ".world" || ending == ".usda";
}

Scene import_robot(const fs::path& file, const ImportOptions& options) {
  if (ending_of(file) == ".usda")
    return import_robot_text(read_text_file(file), file.string(), file.parent_path(), options);
  const XmlTree tree = load_xml(file, "include");
  return read(tree, file.parent_path(), options);
}

Scene import_robot_text(std::string_view text, const std::string& name, const fs::path& folder,
                        const ImportOptions& options) {
  if (text.starts_with("#usda")) return read(parse_usda(text, name), folder, options);
  return read(parse_xml(text, name, folder, "include"), folder, options);
}

bool ignores_physics(const ImportLedger& ledger) {
  return std::any_of(ledger.begin(), ledger.end(),
                     [](const LedgerEntry& e) { return e.physics && e.what == Fate::ignored; });
}

std::vector<std::string> brief(const ImportLedger& ledger) {
  struct Count {
    int number = 0;
    const LedgerEntry* first = nullptr;
  };
  std::map<std::tuple<int, std::string, std::string>, Count> kinds;
  int looks = 0;
  for (const LedgerEntry& e : ledger) {
    if (e.what == Fate::used || e.what == Fate::defaulted || e.element == "overlap") continue;
    if (!e.physics) {
      ++looks;
      continue;
    }
    Count& c =
        kinds[{e.what == Fate::ignored ? 0 : 1, e.element + (e.attribute.empty() ? "" : " " + e.attribute), e.why}];
    if (c.number++ == 0) c.first = &e;
  }
  std::vector<std::string> out;
  for (const auto& [key, count] : kinds) {
    const auto& [rank, what, why] = key;
    out.push_back(fmt::format("{}:{}: {} {}{}: {}", count.first->file, count.first->line,
                              rank == 0 ? "ignored" : "approximated", what,
                              count.number > 1 ? fmt::format(" ({} times)", count.number) : "", why));
  }
  if (looks > 0)
    out.push_back(fmt::format(
        "{} elements and attributes without effect on the motion; catena check --ledger lists them", looks));
  return out;
}

void apply_keyframe(Scene& scene, std::string_view name) {
  Model& model = scene.model;
  const auto found =
      std::find_if(model.keyframes.begin(), model.keyframes.end(), [&](const Keyframe& k) { return k.name == name; });
  if (found == model.keyframes.end()) {
    std::vector<std::string> known;
    for (const Keyframe& k : model.keyframes) known.push_back(k.name);
    const std::string near = nearest(name, known);
    throw InputError{
        fmt::format("there is no keyframe '{}'{}", name, near.empty() ? "" : "; the nearest name is '" + near + "'")};
  }
  scene.initial.time = found->time;
  scene.initial.bodies = found->bodies;
  scene.initial.activation = found->activation;
  for (Joint& joint : model.joints) {
    if (const auto& moves = model.extras_of(joint).moves; moves && moves->guide >= 0) {
      const BodyState& led = scene.initial.bodies[joint.b];
      joint.anchor_a = led.position + rotate(led.orientation, joint.anchor_b);
      joint.frame_a = normalized(led.orientation * joint.frame_b);
    }
    const JointArray& q = found->coordinates[static_cast<std::size_t>(joint.index)];
    for (std::size_t k = 0; k < joint.freedoms.size(); ++k) joint.freedoms[k].start = q[k];
    if (q == JointArray{} && joint.extras < 0) continue;
    if (joint.extras < 0) {
      joint.extras = static_cast<int>(model.extras.size());
      model.extras.emplace_back();
    }
    model.extras[static_cast<std::size_t>(joint.extras)].start = q;
  }
  for (std::size_t i = 0; i < found->ctrl.size() && i < model.controls.size(); ++i) {
    const Control& c = model.controls[i];
    if (c.actuator < 0) continue;
    auto k = static_cast<std::size_t>(c.actuator);
    const double act = i < found->activation.size() ? found->activation[i] : 0;
    each_term(model, c, [&](JointId, int, double g) {
      Actuator& actuator = model.actuators[k++];
      actuator.signal = Constant{set_point(c, actuator, g, acting_input(c, found->ctrl[i], act))};
    });
  }
  // The keyframe in use stands in front, without a name: a simulation begins with its inputs.
  Keyframe start = *found;
  start.name.clear();
  if (model.keyframes.front().name.empty()) model.keyframes.erase(model.keyframes.begin());
  model.keyframes.insert(model.keyframes.begin(), std::move(start));
}

}  // namespace catena
