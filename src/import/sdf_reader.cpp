// SDF: models, links, frames and joints. Links that fixed joints hold together are one body; all other joints are between bodies as they
// stand in the file, so a loop needs nothing of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/import/link_mesh.h"
#include "catena/import/mesh_solid.h"
#include "catena/import/numbers.h"
#include "catena/import/sdf.h"
#include "catena/import/sdf_frames.h"
#include "catena/import/sdf_joints.h"
#include "catena/math/elementary.h"
#include "catena/math/scalar.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

constexpr int kMostDepth = 200;

struct SdfLink {
  std::string name;
  const XmlNode* node = nullptr;
  int model = 0;
  bool fixed = false;  // of a static model
};

class SdfReader {
 public:
  SdfReader(const XmlTree& tree, const fs::path& folder, const ImportOptions& options)
      : tree_(tree), folder_(folder), options_(options), ledger_(tree, sdf_format()), frames_(tree) {}

  BuiltRobot read() {
    robot_.gravity = {0, 0, -9.8};
    robot_.mend_inertias = true;
    robot_.materials[0].friction = 1;
    const XmlNode* world = tree_.root.child("world");
    read_world(world != nullptr ? *world : tree_.root);
    join_fixed();
    add_bodies();
    built_ = build_robot(std::move(robot_), tree_);
    settle_bodies();
    const auto body_of = [&](const std::string& name, const SdfJoint& joint) {
      const int link = link_index(name, joint);
      return link < 0 ? kGround : built_.body_of[at(link)];
    };
    SdfJoints joints(tree_, frames_, body_of, prefix_, ledger_, built_);
    for (const SdfJoint& joint : joints_) joints.add(joint);
    for (const SdfJoint& joint : joints_) joints.add_mimics(joint);
    if (step_ > 0) built_.scene.settings.step = step_;
    built_.scene.ledger = ledger_.close();
    built_.scene.warnings = warnings_;
    built_.scene.files = tree_.files;
    return std::move(built_);
  }

 private:
  struct Links {
    std::vector<SdfLink> all;
    std::map<std::string, int> index;  // by name
    std::vector<int> held_to;          // an earlier link that fixed joints hold it to, or itself; the ground is −1

    void add(const SdfLink& link) {
      const auto i = static_cast<int>(all.size());
      index[link.name] = i;
      held_to.push_back(link.fixed ? -1 : i);
      all.push_back(link);
    }
    // The first of the links that fixed joints hold together.
    int group(int link) const {
      while (link >= 0 && held_to[at(link)] != link) link = held_to[at(link)];
      return link;
    }
    void hold_together(int i, int k) {
      const int a = group(i), b = group(k);
      if (a != b) held_to[at(std::max(a, b))] = std::min(a, b);
    }
  };

  // ------------------------------------------------------------------------------------------------------------- what is written
  static std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
  }
  std::string text_of(const XmlNode& node, const char* name, const std::string& otherwise = "") const {
    const XmlNode* child = node.child(name);
    return child != nullptr ? trimmed(child->text) : otherwise;
  }
  double number(const XmlNode* node, const char* name, double otherwise) const {
    const XmlNode* child = node != nullptr ? node->child(name) : nullptr;
    if (child == nullptr) return otherwise;
    const std::string text = trimmed(child->text);
    if (text == "inf" || text == "-inf") return text == "inf" ? 1e16 : -1e16;
    return read_one(tree_, *child, name, text);
  }
  bool flag(const XmlNode& node, const char* name, bool otherwise) const {
    const XmlNode* child = node.child(name);
    return child != nullptr ? read_flag(tree_, *child, name, trimmed(child->text)) : otherwise;
  }
  std::string name_of(const XmlNode& node) const {
    const std::string* name = node.find("name");
    if (name == nullptr || name->empty()) fail(tree_, node, fmt::format("'{}' needs name=\"…\"", node.name));
    return *name;
  }
  static std::string relative_to(const XmlNode& node) {
    const XmlNode* pose = node.child("pose");
    const std::string* relative = pose != nullptr ? pose->find("relative_to") : nullptr;
    return relative != nullptr ? *relative : "";
  }

  // -------------------------------------------------------------------------------------------------------------------- collecting
  void read_world(const XmlNode& world) {
    if (const XmlNode* gravity = world.child("gravity"))
      robot_.gravity = read_three(tree_, *gravity, "gravity", gravity->text);
    else ledger_.defaulted("world", "gravity", "0 0 -9.8 m/s2, SDF's own");
    if (const XmlNode* physics = world.child("physics")) step_ = number(physics, "max_step_size", 0);
    int models = 0;
    for (const XmlNode& node : world.children) models += node.name == "model";
    for (const XmlNode& node : world.children) {
      if (node.name == "model") read_model(node, "", models == 1, false, 0);
      if (node.name == "frame")
        frames_.add(name_of(node), "", read_sdf_pose(tree_, node.child("pose")), relative_to(node), "world", node);
      if (node.name == "joint") collect_joint(node, "");
    }
    if (models == 0) fail(tree_, world, "has no model");
    if (models == 1)
      for (const XmlNode& node : world.children)
        if (node.name == "model") robot_.name = name_of(node);
  }

  void read_model(const XmlNode& node, const std::string& outside, bool alone, bool fixed, int depth) {
    if (depth > kMostDepth) fail(tree_, node, fmt::format("models are nested more than {} deep", kMostDepth));
    const std::string name = outside + name_of(node), scope = name + "::";
    const auto model = static_cast<int>(self_collide_.size());
    self_collide_.push_back(flag(node, "self_collide", false));
    const bool still = fixed || flag(node, "static", false);
    std::string canonical;
    if (const std::string* given = node.find("canonical_link")) canonical = *given;
    for (const XmlNode& child : node.children) {
      if (child.name == "link") {
        if (canonical.empty()) canonical = name_of(child);
        const std::string whole = scope + name_of(child), relative = relative_to(child);
        frames_.add(whole, scope, read_sdf_pose(tree_, child.child("pose")), relative.empty() ? "__model__" : relative,
                    "", child);
        links_.add({whole, &child, model, still});
      } else if (child.name == "frame") {
        const std::string* to = child.find("attached_to");
        const std::string attached = to != nullptr && !to->empty() ? *to : "__model__", relative = relative_to(child);
        frames_.add(scope + name_of(child), scope, read_sdf_pose(tree_, child.child("pose")),
                    relative.empty() ? attached : relative, attached, child);
        sites_.push_back(scope + name_of(child));
      } else if (child.name == "model") {
        if (canonical.empty()) canonical = name_of(child);
        read_model(child, scope, false, still, depth + 1);
      } else if (child.name == "joint") {
        collect_joint(child, scope);
      }
    }
    if (canonical.empty()) fail(tree_, node, fmt::format("model '{}' has no link", name));
    // Its pose is in the model around it, or the world; its frame moves with its first link.
    std::string relative = relative_to(node);
    if (relative.empty() && !outside.empty()) relative = "__model__";
    frames_.add(name, outside, read_sdf_pose(tree_, node.child("pose")), relative, canonical_name(scope, canonical),
                node);
    if (alone) prefix_ = scope;
  }
  static std::string canonical_name(const std::string& scope, const std::string& name) { return scope + name; }

  void collect_joint(const XmlNode& node, const std::string& scope) {
    const std::string* type = node.find("type");
    if (type == nullptr) fail(tree_, node, fmt::format("joint '{}' needs type=\"…\"", name_of(node)));
    const std::string parent = text_of(node, "parent"), child = text_of(node, "child"), relative = relative_to(node);
    if (parent.empty() || child.empty())
      fail(tree_, node, fmt::format("joint '{}' needs a parent and a child", name_of(node)));
    frames_.add(scope + name_of(node), scope, read_sdf_pose(tree_, node.child("pose")),
                relative.empty() ? child : relative, child, node);
    joints_.push_back({scope + name_of(node), scope, *type, &node, parent, child});
  }

  // ---------------------------------------------------------------------------------------------------------------------- bodies
  int link_index(const std::string& name, const SdfJoint& joint) const {
    const std::string link = frames_.link_of(frames_.find(name, joint.scope, *joint.node));
    if (link == "world") return -1;
    const auto found = links_.index.find(link);
    if (found == links_.index.end()) fail(tree_, *joint.node, fmt::format("'{}' belongs to no link", name));
    return found->second;
  }

  void join_fixed() {
    for (const SdfJoint& joint : joints_) {
      if (joint.type != "fixed") continue;
      links_.hold_together(link_index(joint.parent, joint), link_index(joint.child, joint));
    }
  }

  std::string short_name(const std::string& name) const {
    return !prefix_.empty() && name.starts_with(prefix_) ? name.substr(prefix_.size()) : name;
  }

  void add_bodies() {
    for (std::size_t i = 0; i < links_.all.size(); ++i) {
      const SdfLink& link = links_.all[i];
      const Pose world = frames_.world(link.name);
      const int of = links_.group(static_cast<int>(i));
      RobotBody body{.name = short_name(link.name), .pose = world, .node = link.node};
      if (of == static_cast<int>(i)) {
        body.joints.push_back({.name = "free " + body.name, .kind = RobotJoint::Kind::free, .node = link.node});
      } else if (of >= 0) {
        body.parent = of;
        body.pose = inverse(frames_.world(links_.all[at(of)].name)) * world;
      }
      read_link(*link.node, body);
      robot_.bodies.push_back(std::move(body));
    }
    for (const std::string& site : sites_) {
      const std::string link = frames_.link_of(site);
      const auto found = links_.index.find(link);
      if (found == links_.index.end()) continue;
      robot_.sites.push_back({short_name(site), found->second, inverse(frames_.world(link)) * frames_.world(site)});
    }
  }

  // Links of one model touch each other only where it says so.
  void settle_bodies() {
    for (std::size_t i = 0; i < links_.all.size(); ++i)
      if (links_.held_to[i] == static_cast<int>(i) && !self_collide_[at(links_.all[i].model)])
        built_.scene.model.bodies[built_.body_of[i]].collide_group = links_.all[i].model + 1;
    for (const int i : built_.mended) {
      const XmlNode& link = *built_.robot.bodies[at(i)].node;
      const std::string why = "the inertia is not positive definite, so of no body; its principal moments were raised";
      ledger_.note(link, "", Fate::approximated, why);
      warnings_.push_back(tree_.where(link) + why);
    }
  }

  void read_link(const XmlNode& link, RobotBody& body) {
    const XmlNode* inertial = link.child("inertial");
    const std::string* how = inertial != nullptr ? inertial->find("auto") : nullptr;
    const bool weigh = how != nullptr && read_flag(tree_, *inertial, "auto", *how);
    for (const XmlNode& child : link.children)
      if (child.name == "visual" || child.name == "collision") read_shape(child, body, weigh ? inertial : nullptr);
    if (weigh) return;
    MassProperties m{number(inertial, "mass", 1), {}, {}};
    if (!(m.mass > 0)) fail(tree_, inertial != nullptr ? *inertial : link, "mass: must be positive");
    const XmlNode* inertia = inertial != nullptr ? inertial->child("inertia") : nullptr;
    if (inertia == nullptr) ledger_.note(link, "", Fate::used, "has no inertia: 1 kg m2 about every axis, SDF's own");
    m.inertia = {number(inertia, "ixx", 1), number(inertia, "iyy", 1), number(inertia, "izz", 1),
                 number(inertia, "ixy", 0), number(inertia, "ixz", 0), number(inertia, "iyz", 0)};
    body.inertial = moved(read_sdf_pose(tree_, inertial != nullptr ? inertial->child("pose") : nullptr), m);
  }

  void read_shape(const XmlNode& node, RobotBody& body, const XmlNode* weigh) {
    const bool collides = node.name == "collision";
    const XmlNode* geometry = node.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) fail(tree_, node, "needs a geometry");
    const std::optional<Geometry> g = geometry_of(geometry->children.front(), collides);
    if (!g) return;
    const Pose pose = read_sdf_pose(tree_, node.child("pose"));
    Shape shape{*g, pose.p, pose.q};
    shape.collide = collides;
    if (std::holds_alternative<Plane>(*g) && (!collides || links_.held_to[robot_.bodies.size()] >= 0)) {
      ledger_.note(node, "", Fate::ignored, "a plane belongs to a static model", collides);
      return;
    }
    if (collides) shape.material = material_of(node);
    if (const XmlNode* material = node.child("material"))
      if (const XmlNode* diffuse = material->child("diffuse")) {
        const std::vector<double> x = read_numbers(tree_, *diffuse, "diffuse", diffuse->text, 3, 4);
        shape.color = {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]),
                       static_cast<float>(x.size() > 3 ? x[3] : 1)};
      }
    if (weigh != nullptr && collides) {
      const MassProperties m = mass_properties(*g, number(&node, "density", number(weigh, "density", 1000)));
      if (m.mass > 0) add_mass(body.inertial, moved(pose, m));
    }
    body.shapes.push_back({"", std::move(shape)});
  }

  int material_of(const XmlNode& collision) {
    const XmlNode* surface = collision.child("surface");
    if (surface == nullptr) return 0;
    Material m{fmt::format("material{}", robot_.materials.size())};
    const XmlNode* friction = surface->child("friction");
    m.friction = number(friction != nullptr ? friction->child("ode") : nullptr, "mu", 1);
    m.restitution = std::clamp(number(surface->child("bounce"), "restitution_coefficient", 0), 0.0, 1.0);
    if (m.friction < 0) fail(tree_, *surface, "mu: must not be negative");
    for (std::size_t i = 0; i < robot_.materials.size(); ++i)
      if (robot_.materials[i].friction == m.friction && robot_.materials[i].restitution == m.restitution)
        return static_cast<int>(i);
    robot_.materials.push_back(m);
    return static_cast<int>(robot_.materials.size()) - 1;
  }

  std::optional<Geometry> geometry_of(const XmlNode& node, bool collides) {
    const auto positive = [&](const char* name, double otherwise = 1) {
      const double x = number(&node, name, otherwise);
      if (!(x > 0)) fail(tree_, node, fmt::format("{}: must be positive", name));
      return x;
    };
    const auto three = [&](const char* name) {
      const XmlNode* child = node.child(name);
      if (child == nullptr && (node.name == "box" || node.name == "ellipsoid")) return Vec3{1, 1, 1};
      if (child == nullptr) fail(tree_, node, fmt::format("a {} needs {}", node.name, name));
      return read_three(tree_, *child, name, child->text);
    };
    if (node.name == "sphere") return Sphere{positive("radius")};
    if (node.name == "cylinder") return Cylinder{positive("radius"), positive("length")};
    if (node.name == "capsule") return Capsule{positive("radius", 0.5), positive("length")};
    if (node.name == "box") {
      const Vec3 sides = three("size");
      if (!(sides.x > 0 && sides.y > 0 && sides.z > 0)) fail(tree_, node, "size: must be positive");
      return Box{sides};
    }
    if (node.name == "plane") {
      const Vec3 normal = node.child("normal") != nullptr ? three("normal") : Vec3{0, 0, 1};
      if (!(norm(normal) > 0)) fail(tree_, node, "normal: has no direction");
      return Plane{normalized(normal), 0};
    }
    if (node.name == "mesh") return mesh_of(node, collides);
    if (node.name == "ellipsoid") {
      const Vec3 radii = three("radii");
      if (!(radii.x > 0 && radii.y > 0 && radii.z > 0)) fail(tree_, node, "radii: must be positive");
      ledger_.note(node, "", Fate::approximated, "an ellipsoid is a polyhedron of 266 points on it");
      return Hull{ellipsoid_points(radii)};
    }
    if (node.name == "cone") return cone(node, positive("radius", 0.5), positive("length"));
    if (node.name != "empty")
      ledger_.note(node, "", Fate::ignored, fmt::format("a geometry of kind {} is not modelled", node.name), collides);
    return {};
  }

  // Its tip is up, and the middle of its axis the origin.
  Geometry cone(const XmlNode& node, double radius, double length) {
    constexpr int kSides = 48;
    Hull hull{{{0, 0, length / 2}}};
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * std::numbers::pi * k / kSides;
      hull.points.push_back({radius * portable::cos(angle), radius * portable::sin(angle), -length / 2});
    }
    ledger_.note(node, "", Fate::approximated, fmt::format("a cone is a pyramid of {} sides", kSides));
    return hull;
  }

  std::optional<Geometry> mesh_of(const XmlNode& node, bool collides) {
    std::optional<Vec3> scale;
    if (const XmlNode* child = node.child("scale")) scale = read_three(tree_, *child, "scale", child->text);
    return link_mesh({tree_, folder_, options_, ledger_, warnings_}, node, text_of(node, "uri"), scale, collides);
  }

  const XmlTree& tree_;
  fs::path folder_;
  const ImportOptions& options_;
  LedgerWriter ledger_;
  SdfFrames frames_;
  Links links_;
  std::vector<SdfJoint> joints_;
  std::vector<std::string> sites_;
  std::vector<char> self_collide_;  // by model
  std::string prefix_;              // of a model that is alone: left out of names
  double step_ = 0;
  Robot robot_;
  BuiltRobot built_;
  Warnings warnings_;
};

}  // namespace

BuiltRobot read_sdf(const XmlTree& tree, const fs::path& folder, const ImportOptions& options) {
  const XmlTree whole = expand_sdf_includes(tree, folder, options);
  return SdfReader(whole, folder, options).read();
}

}  // namespace catena
