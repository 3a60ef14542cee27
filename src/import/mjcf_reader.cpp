// MJCF: compiler, options, defaults, and attributes with the defaults that hold for them.
#include "catena/import/mjcf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "catena/math/elementary.h"

namespace catena::mjcf {

const std::map<std::string, std::string>* Reader::Item::of_class() const {
  if (defaults == nullptr) return nullptr;
  // Both kinds of tendons share one element of defaults.
  const bool tendon = node->name == "fixed" || node->name == "spatial";
  const auto found = defaults->attributes.find(tendon ? "tendon" : node->name);
  return found == defaults->attributes.end() ? nullptr : &found->second;
}

const std::string* Reader::Item::find(std::string_view attribute) const {
  if (const std::string* own = node->find(attribute)) return own;
  const auto* inherited = of_class();
  if (inherited == nullptr) return nullptr;
  const auto found = inherited->find(std::string(attribute));
  return found == inherited->end() ? nullptr : &found->second;
}

BuiltRobot Reader::read() {
  if (tree_.root.name != "mujoco")
    fail(tree_, tree_.root, fmt::format("an element 'mujoco' is expected, not '{}'", tree_.root.name));
  if (const std::string* name = tree_.root.find("model")) robot_.name = *name;
  read_compiler();
  read_option();
  preamble_.classes["main"];
  for (const XmlNode& section : tree_.root.children)
    if (section.name == "default") read_defaults(section, Class(preamble_.classes["main"]), true);
  read_assets();
  robot_.bodies.push_back({.name = "world"});
  names_.bodies["world"] = 0;
  body_notes_.has_inertial.push_back(0);
  body_notes_.from_geoms.emplace_back();
  body_notes_.gravity_compensation.push_back(0);
  for (const XmlNode& section : tree_.root.children)
    if (section.name == "worldbody") read_children(section, {0, {}, &preamble_.classes["main"], ""});
  settle_inertias();
  built_ = build_robot(std::move(robot_), tree_);
  settle_spring_dampers();
  const auto sections = [&](std::string_view name, void (Reader::*f)(const XmlNode&)) {
    for (const XmlNode& section : tree_.root.children)
      if (section.name == name) (this->*f)(with_replicas(section));
  };
  sections("tendon", &Reader::read_tendons);
  sections("contact", &Reader::read_contact);
  if (preamble_.option.equality) sections("equality", &Reader::read_equality);
  if (preamble_.option.actuation) sections("actuator", &Reader::read_actuators);
  sections("sensor", &Reader::read_sensors);
  sections("keyframe", &Reader::read_keyframes);
  soften_limits();
  soften_contacts();
  Model& model = built_.scene.model;
  for (std::size_t i = 0; i < built_.robot.bodies.size(); ++i) {
    const BodyId body = built_.body_of[i];
    if (body_notes_.gravity_compensation[i] == 0 || !body.valid()) continue;
    const MassProperties& own = built_.robot.bodies[i].inertial;
    ExternalForce force{.body = body, .force = (-body_notes_.gravity_compensation[i] * own.mass) * model.gravity};
    force.point = built_.frame_in_body[i](own.centre);
    model.forces.push_back(force);
  }
  if (options_.mujoco_softness)
    ledger_.defaulted(
        "option", "softness",
        "contacts, connect and weld have compliance and relaxation, limits are elastic stops; couplings stay rigid");
  model.collide_adjacent = !preamble_.option.filter_parent;
  built_.scene.settings.step = preamble_.option.timestep;
  built_.scene.ledger = ledger_.close();
  built_.scene.warnings = warnings_;
  return std::move(built_);
}

void Reader::read_compiler() {
  preamble_.compilers.resize(1 +
                             (tree_.models.empty() ? 0 : *std::max_element(tree_.models.begin(), tree_.models.end())));
  for (const XmlNode& node : tree_.root.children) {
    if (node.name != "compiler") continue;
    const Item here{&node, nullptr};
    Compiler& own = preamble_.compilers[tree_.model_of(node)];
    if (const std::string* a = node.find("angle")) {
      if (*a != "radian" && *a != "degree")
        fail(tree_, node, fmt::format("angle: 'radian' or 'degree' is expected, not '{}'", *a));
      own.degrees = *a == "degree";
    }
    if (word(here, "coordinate", "local") != "local")
      fail(tree_, node, "coordinate: global coordinates are not read; MuJoCo dropped them in 2.3.4");
    own.euler = word(here, "eulerseq", own.euler);
    if (own.euler.size() != 3 || own.euler.find_first_not_of("xyzXYZ") != std::string::npos)
      fail(tree_, node, fmt::format("eulerseq: three letters of xyzXYZ are expected, not '{}'", own.euler));
    const auto flag = [&](const char* name, bool& to) {
      if (const std::string* a = node.find(name)) to = read_flag(tree_, node, name, *a);
    };
    flag("autolimits", own.autolimits);
    flag("balanceinertia", own.balance);
    flag("strippath", own.strip_path);
    flag("fitaabb", own.fit_box);
    flag("exactmeshinertia", own.exact_mesh_inertia);
    own.inertia_from_geom = word(here, "inertiafromgeom", own.inertia_from_geom);
    if (const std::string* a = node.find("inertiagrouprange")) {
      const std::vector<double> x = read_numbers(tree_, node, "inertiagrouprange", *a, 2, 2);
      own.group_first = static_cast<int>(x[0]);
      own.group_last = static_cast<int>(x[1]);
    }
    own.bound_mass = number(here, "boundmass", own.bound_mass);
    own.bound_inertia = number(here, "boundinertia", own.bound_inertia);
    own.total_mass = number(here, "settotalmass", own.total_mass);
    own.mesh_folder = word(here, "assetdir", own.mesh_folder);
    own.mesh_folder = word(here, "meshdir", own.mesh_folder);
  }
  const auto told = [&](const char* attribute) {
    for (const XmlNode& node : tree_.root.children)
      if (node.name == "compiler" && tree_.model_of(node) == 0 && node.find(attribute)) return true;
    return false;
  };
  if (!told("angle")) ledger_.defaulted("compiler", "angle", "degree");
  if (!told("eulerseq")) ledger_.defaulted("compiler", "eulerseq", "xyz");
  if (!told("autolimits")) ledger_.defaulted("compiler", "autolimits", "true, as since MuJoCo 3.0");
  if (!told("inertiafromgeom")) ledger_.defaulted("compiler", "inertiafromgeom", "auto");
}

void Reader::read_option() {
  bool timestep = false, gravity = false;
  for (const XmlNode& node : tree_.root.children) {
    if (node.name != "option") continue;
    const Item here{&node, nullptr};
    timestep = timestep || node.find("timestep");
    gravity = gravity || node.find("gravity");
    preamble_.option.timestep = number(here, "timestep", preamble_.option.timestep);
    if (!(preamble_.option.timestep > 0)) fail(tree_, node, "timestep: must be positive");
    robot_.gravity = three(here, "gravity", robot_.gravity);
    for (const char* fluid : {"density", "viscosity"})
      if (node.find(fluid) && number(here, fluid, 0) == 0) ledger_.note(node, fluid, Fate::used, "zero");
    if (node.find("wind") && norm(three(here, "wind", {})) == 0) ledger_.note(node, "wind", Fate::used, "zero");
    for (const XmlNode& flag : node.children) {
      if (flag.name != "flag") continue;
      const auto on = [&](const char* name, bool& to) {
        if (const std::string* a = flag.find(name)) to = *a != "disable";
      };
      bool falls = true, passive = true;
      on("contact", preamble_.option.contacts);
      on("gravity", falls);
      on("limit", preamble_.option.limits);
      on("frictionloss", preamble_.option.friction);
      on("equality", preamble_.option.equality);
      on("spring", preamble_.option.springs);
      on("damper", preamble_.option.dampers);
      on("passive", passive);
      on("actuation", preamble_.option.actuation);
      on("filterparent", preamble_.option.filter_parent);
      if (!passive) preamble_.option.springs = preamble_.option.dampers = false;
      if (!falls) robot_.gravity = {};
    }
  }
  if (!timestep) ledger_.defaulted("option", "timestep", "0.002 s");
  if (!gravity) ledger_.defaulted("option", "gravity", "0 0 -9.81");
}

void Reader::read_defaults(const XmlNode& node, const Class& parent, bool top) {
  const std::string* name = node.find("class");
  if (!top && name == nullptr) fail(tree_, node, "a class of defaults inside another needs a name: class=\"…\"");
  Class own = parent;
  std::vector<const XmlNode*> inside;
  for (const XmlNode& child : node.children) {
    if (child.name == "default") {
      inside.push_back(&child);
    } else if (mjcf_format().element("actuator", child.name) != nullptr &&
               mjcf_format().element("actuator", child.name)->element.starts_with("actuator/")) {
      apply_actuator(child, own.actuator);
    } else {
      auto& to = own.attributes[child.name];
      for (const auto& [key, value] : child.attributes) {
        // An orientation written another way replaces the one inherited.
        if (key == "quat" || key == "euler" || key == "axisangle" || key == "zaxis" || key == "xyaxes")
          for (const char* other : {"quat", "euler", "axisangle", "zaxis", "xyaxes"}) to.erase(other);
        to[key] = value;
      }
    }
  }
  preamble_.classes[top ? "main" : *name] = own;
  if (top && name != nullptr) preamble_.classes[*name] = own;
  for (const XmlNode* child : inside) read_defaults(*child, own, false);
}

void Reader::read_assets() {
  for (const XmlNode& section : tree_.root.children) {
    if (section.name != "asset") continue;
    for (const XmlNode& node : section.children) {
      const Item here = item(node, nullptr);
      if (node.name == "material") {
        const std::string* name = node.find("name");
        if (const std::string* rgba = here.find("rgba"); rgba && name) {
          const std::vector<double> x = read_numbers(tree_, node, "rgba", *rgba, 4, 4);
          assets_.colors[*name] = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]),
                                   static_cast<float>(x[3])};
        }
      } else if (node.name == "mesh") {
        std::string name = word(here, "name", "");
        if (name.empty()) name = std::filesystem::path(word(here, "file", "")).stem().string();
        assets_.meshes[name].node = &node;
      } else if (node.name == "hfield") {
        std::string name = word(here, "name", "");
        if (name.empty()) name = std::filesystem::path(word(here, "file", "")).stem().string();
        assets_.height_fields[name] = &node;
      }
    }
  }
}

const Class* Reader::class_named(const XmlNode& node, const std::string& name) const {
  const auto found = preamble_.classes.find(name);
  if (found == preamble_.classes.end()) fail(tree_, node, fmt::format("there is no class of defaults '{}'", name));
  return &found->second;
}

Reader::Item Reader::item(const XmlNode& node, const Class* around) const {
  if (const std::string* name = node.find("class")) return {&node, class_named(node, *name)};
  return {&node, around ? around : &preamble_.classes.at("main")};
}

double Reader::number(const Item& item, std::string_view attribute, double otherwise) const {
  const std::string* text = item.find(attribute);
  return text ? read_numbers(tree_, *item.node, attribute, *text, 1)[0] : otherwise;
}

int Reader::integer(const Item& item, std::string_view attribute, int otherwise) const {
  const double x = number(item, attribute, otherwise);
  if (x != std::floor(x) || std::abs(x) > 2147483647.0)
    fail(tree_, *item.node, fmt::format("{}: an integer is expected", attribute));
  return static_cast<int>(x);
}

std::string Reader::word(const Item& item, std::string_view attribute, std::string_view otherwise) const {
  const std::string* text = item.find(attribute);
  return text ? *text : std::string(otherwise);
}

Vec3 Reader::three(const Item& item, std::string_view attribute, const Vec3& otherwise) const {
  const std::string* text = item.find(attribute);
  return text ? read_three(tree_, *item.node, attribute, *text) : otherwise;
}

// Lower case letters turn about axes that have turned along, upper case ones about axes that stand.
Quat Reader::from_euler(const XmlNode& node, const Vec3& angles) const {
  Quat q{};
  for (int k = 0; k < 3; ++k) {
    const char letter = compiler(node).euler[static_cast<std::size_t>(k)];
    Vec3 axis{};
    axis[std::tolower(static_cast<unsigned char>(letter)) - 'x'] = angle(node, angles[k]);
    q = std::islower(static_cast<unsigned char>(letter)) ? q * exp_rotation(axis) : exp_rotation(axis) * q;
  }
  return normalized(q);
}

std::optional<Quat> Reader::orientation_in(const XmlNode& node,
                                           const std::map<std::string, std::string>* attributes) const {
  const auto find = [&](const char* key) -> const std::string* {
    if (attributes == nullptr) return node.find(key);
    const auto found = attributes->find(key);
    return found == attributes->end() ? nullptr : &found->second;
  };
  const auto unit = [&](const Vec3& v, const char* key) {
    if (!(norm(v) > 0)) fail(tree_, node, fmt::format("{}: has no direction", key));
    return normalized(v);
  };
  if (const std::string* text = find("quat")) {
    const std::vector<double> x = read_numbers(tree_, node, "quat", *text, 4, 4);
    const Quat q{x[0], x[1], x[2], x[3]};
    if (!(norm(q) > 0)) fail(tree_, node, "quat: is not a rotation");
    return normalized(q);
  }
  if (const std::string* text = find("axisangle")) {
    const std::vector<double> x = read_numbers(tree_, node, "axisangle", *text, 4, 4);
    return normalized(exp_rotation(angle(node, x[3]) * unit({x[0], x[1], x[2]}, "axisangle")));
  }
  if (const std::string* text = find("euler")) return from_euler(node, read_three(tree_, node, "euler", *text));
  if (const std::string* text = find("xyaxes")) {
    const std::vector<double> v = read_numbers(tree_, node, "xyaxes", *text, 6, 6);
    const Vec3 x = unit({v[0], v[1], v[2]}, "xyaxes");
    Vec3 y{v[3], v[4], v[5]};
    y = unit(y - dot(x, y) * x, "xyaxes");
    return from_matrix(Mat3::from_columns(x, y, cross(x, y)));
  }
  if (const std::string* text = find("zaxis")) {
    const Vec3 z = unit(read_three(tree_, node, "zaxis", *text), "zaxis");
    // The shortest turn from +z; half a turn about x where it is −z.
    const Vec3 axis = cross(Vec3{0, 0, 1}, z);
    const double s = norm(axis);
    if (s < 1e-10) return z.z > 0 ? Quat{} : Quat{0, 1, 0, 0};
    return normalized(exp_rotation(portable::atan2(s, z.z) / s * axis));
  }
  return {};
}

Quat Reader::orientation(const Item& item) const {
  if (const auto own = orientation_in(*item.node, nullptr)) return *own;
  if (const auto* inherited = item.of_class())
    if (const auto q = orientation_in(*item.node, inherited)) return *q;
  return {};
}

bool Reader::is_limited(const Item& item, std::string_view limited, std::string_view range) const {
  const std::string said = word(item, limited, "auto");
  if (said == "true") return true;
  if (said == "false" || !compiler(*item.node).autolimits) return false;
  const std::string* text = item.find(range);
  if (text == nullptr) return false;
  const std::vector<double> x = read_numbers(tree_, *item.node, range, *text, 2, 2);
  return x[0] < x[1];
}

}  // namespace catena::mjcf

namespace catena {

BuiltRobot read_mjcf(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options) {
  XmlTree whole = tree;
  const std::string left_out = expand_attachments(whole, folder);
  BuiltRobot built = mjcf::Reader(whole, folder, options).read();
  built.scene.files = whole.files;
  if (!left_out.empty())
    built.scene.ledger.push_back({tree.files.front(), 1, "attach", "", Fate::ignored,
                                  "what refers to parts of the other model that are not attached: " + left_out});
  return built;
}

}  // namespace catena
