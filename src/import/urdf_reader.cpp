#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catena/import/link_mesh.h"
#include "catena/import/numbers.h"
#include "catena/import/urdf.h"
#include "catena/import/urdf_parts.h"
#include "catena/math/scalar.h"
#include "catena/model/placement.h"

namespace catena {
namespace {

namespace fs = std::filesystem;
using Kind = RobotJoint::Kind;

struct UrdfJoint {
  const XmlNode* node;
  std::string name, type, parent, child;
  bool placed = false;
};

// What massless links passed on to the link below: their joints, in the frame of the last of them, and the pose of that in the parent.
struct Above {
  Pose pose{};
  std::vector<RobotJoint> joints{};
};

class UrdfReader {
 public:
  UrdfReader(const XmlTree& tree, const fs::path& folder, const ImportOptions& options)
      : tree_(tree), folder_(folder), options_(options), ledger_(tree, urdf_format()) {}

  BuiltRobot read() {
    if (tree_.root.name != "robot")
      fail(tree_, tree_.root, fmt::format("an element 'robot' is expected, not '{}'", tree_.root.name));
    if (const std::string* name = tree_.root.find("name")) robot_.name = *name;
    refuse_macros(tree_, tree_.root);
    collect();
    add_links();
    robot_.mend_inertias = true;
    built_ = build_robot(std::move(robot_), tree_);
    report_mended();
    for (const UrdfJoint& joint : joints_)
      if (!joint.placed) close_loop(joint);
    for (const UrdfJoint& joint : joints_) mimic(joint);
    efforts();
    ledger_.defaulted("robot", "",
                      options_.floating ? "the base link floats (--floating)"
                                        : "the base link is fixed to the world; --floating frees it");
    built_.scene.ledger = ledger_.close();
    built_.scene.warnings = warnings_;
    return std::move(built_);
  }

 private:
  const std::string& need(const XmlNode& node, const char* attribute) const {
    const std::string* text = node.find(attribute);
    if (text == nullptr || text->empty()) fail(tree_, node, fmt::format("'{}' needs {}=\"…\"", node.name, attribute));
    return *text;
  }
  double number(const XmlNode& node, const char* attribute, double otherwise) const {
    const std::string* text = node.find(attribute);
    return text ? read_one(tree_, node, attribute, *text) : otherwise;
  }
  Pose origin(const XmlNode& node) const {
    const XmlNode* o = node.child("origin");
    if (o == nullptr) return {};
    Pose pose;
    if (const std::string* xyz = o->find("xyz")) pose.p = read_three(tree_, *o, "xyz", *xyz);
    if (const std::string* rpy = o->find("rpy")) pose.q = from_rpy(read_three(tree_, *o, "rpy", *rpy));
    return pose;
  }

  void collect() {
    for (const XmlNode& node : tree_.root.children) {
      if (node.name == "link") {
        if (!links_.emplace(need(node, "name"), &node).second)
          fail(tree_, node, fmt::format("there are two links '{}'", need(node, "name")));
        order_.push_back(&node);
      } else if (node.name == "joint") {
        UrdfJoint joint{&node, need(node, "name"), need(node, "type"), "", ""};
        const XmlNode *parent = node.child("parent"), *child = node.child("child");
        if (parent == nullptr || child == nullptr)
          fail(tree_, node, fmt::format("joint '{}' needs a parent and a child", joint.name));
        joint.parent = need(*parent, "link");
        joint.child = need(*child, "link");
        joints_.push_back(joint);
      } else if (node.name == "material") {
        if (const XmlNode* color = node.child("color")) colors_[need(node, "name")] = rgba(*color);
      }
    }
    if (links_.empty()) fail(tree_, tree_.root, "has no links");
    for (const UrdfJoint& joint : joints_)
      for (const std::string& name : {joint.parent, joint.child})
        if (!links_.contains(name))
          fail(tree_, *joint.node, fmt::format("joint '{}' names a link '{}' that is not there", joint.name, name));
  }

  std::array<float, 4> rgba(const XmlNode& node) const {
    const std::vector<double> x = read_numbers(tree_, node, "rgba", need(node, "rgba"), 4, 4);
    return {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]), static_cast<float>(x[3])};
  }

  // Roots first, then the joints of each link in the order of the file. A link hangs from the first joint of the file that has it as its
  // child; others close loops.
  void add_links() {
    std::set<std::string> children;
    for (const UrdfJoint& joint : joints_) {
      children.insert(joint.child);
      first_above_.emplace(joint.child, &joint);
    }
    for (const XmlNode* link : order_)
      if (!children.contains(need(*link, "name"))) add_link(*link, nullptr, -1, 0, {});
    for (const XmlNode* link : order_)
      if (!index_.contains(need(*link, "name")))
        fail(tree_, *link, fmt::format("link '{}' hangs from itself", need(*link, "name")));
  }

  // The only joint below a link that has neither mass nor shapes: the joints above and below it are one joint with several freedoms.
  UrdfJoint* only_joint_below(const XmlNode& link) {
    UrdfJoint* below = nullptr;
    int above = 0;
    for (UrdfJoint& joint : joints_) {
      above += joint.child == need(link, "name");
      if (joint.parent != need(link, "name")) continue;
      if (below != nullptr || joint.type == "fixed") return nullptr;
      below = &joint;
    }
    const bool bare =
        link.child("inertial") == nullptr && link.child("visual") == nullptr && link.child("collision") == nullptr;
    return bare && above == 1 && below != nullptr && !below->placed && first_above_[below->child] == below ? below
                                                                                                           : nullptr;
  }

  void add_link(const XmlNode& link, UrdfJoint* by, int parent, int depth, Above above) {
    if (depth > 10'000) fail(tree_, link, "links hang more than 10000 deep");
    const std::string& name = need(link, "name");
    const int index = static_cast<int>(robot_.bodies.size());
    index_[name] = index;
    RobotBody body{.name = name, .parent = parent, .node = &link};
    if (by != nullptr) {
      const Pose here = origin(*by->node), back = inverse(here);
      body.pose = above.pose * here;
      for (RobotJoint& joint : above.joints) {
        joint.axis = rotate(back.q, joint.axis);
        joint.anchor = back(joint.anchor);
        body.joints.push_back(joint);
      }
      if (std::optional<RobotJoint> joint = joint_of(*by)) body.joints.push_back(*joint);
      const bool simple = std::all_of(body.joints.begin(), body.joints.end(), [](const RobotJoint& j) {
        return j.kind == Kind::hinge || j.kind == Kind::slide;
      });
      UrdfJoint* below = simple && !body.joints.empty() ? only_joint_below(link) : nullptr;
      if (below != nullptr) {
        ledger_.note(link, "", Fate::used, "has no mass: the joints above and below it are one joint");
        below->placed = true;
        return add_link(*links_[below->child], below, parent, depth + 1, {body.pose, body.joints});
      }
    } else if (options_.floating) {
      body.joints.push_back({.name = name == "root" ? "floating" : "root", .kind = Kind::free, .node = &link});
    }
    read_inertial(link, body);
    robot_.bodies.push_back(body);
    for (const XmlNode& child : link.children)
      if (child.name == "visual" || child.name == "collision") read_shape(child, index);
    for (UrdfJoint& joint : joints_) {
      if (joint.parent != name || joint.placed || first_above_[joint.child] != &joint) continue;
      joint.placed = true;
      add_link(*links_[joint.child], &joint, index, depth + 1, {});
    }
  }

  std::optional<RobotJoint> joint_of(const UrdfJoint& joint) {
    const XmlNode& node = *joint.node;
    RobotJoint out{.name = joint.name, .node = &node};
    const std::string& type = joint.type;
    if (type == "fixed") return {};
    if (type == "revolute" || type == "continuous") out.kind = Kind::hinge;
    else if (type == "prismatic") out.kind = Kind::slide;
    else if (type == "floating") out.kind = Kind::free;
    else if (type == "planar") out.kind = Kind::planar;
    else if (type == "spherical") out.kind = Kind::ball;
    else
      fail(tree_, node,
           fmt::format("joint '{}': type '{}' is not one of revolute, continuous, prismatic, fixed, floating, planar",
                       joint.name, type));
    out.axis = out.kind == Kind::ball ? Vec3{0, 0, 1} : axis_of(joint);
    const XmlNode* limit = node.child("limit");
    if (type == "revolute" || type == "prismatic") {
      if (limit == nullptr)
        fail(tree_, node,
             fmt::format("joint '{}': a {} joint needs <limit lower upper effort velocity/>", joint.name, type));
      Limits limits;
      limits.lower = number(*limit, "lower", 0);
      limits.upper = number(*limit, "upper", 0);
      if (limits.lower > limits.upper) {
        const std::string why =
            fmt::format("lower {} is above upper {}: not limited, as Bullet reads it", limits.lower, limits.upper);
        ledger_.note(*limit, "lower", Fate::approximated, why);
        warnings_.push_back(tree_.where(*limit) + why);
      } else {
        out.limits = limits;
      }
    }
    if (const XmlNode* dynamics = node.child("dynamics")) {
      out.damping = number(*dynamics, "damping", 0);
      out.friction = number(*dynamics, "friction", 0);
      if (out.damping < 0 || out.friction < 0) fail(tree_, *dynamics, "damping and friction must not be negative");
      if ((out.kind == Kind::free || out.kind == Kind::planar) && (out.damping != 0 || out.friction != 0))
        ledger_.note(*dynamics, "", Fate::ignored, fmt::format("does not act along a {} joint", type));
    }
    return out;
  }

  Vec3 axis_of(const UrdfJoint& joint) const {
    const XmlNode* axis = joint.node->child("axis");
    if (axis == nullptr) return {1, 0, 0};
    const Vec3 v = axis->find("xyz") ? read_three(tree_, *axis, "xyz", *axis->find("xyz")) : Vec3{1, 0, 0};
    if (!(norm(v) > 0)) fail(tree_, *axis, "xyz: has no direction");
    return normalized(v);
  }

  // About the centre of mass, in axes that the origin's rpy turns.
  void read_inertial(const XmlNode& link, RobotBody& body) {
    const XmlNode* node = link.child("inertial");
    if (node == nullptr) {
      ledger_.note(link, "", Fate::used, "has no inertial: a frame, carried by the link above");
      return;
    }
    const XmlNode *mass = node->child("mass"), *inertia = node->child("inertia");
    if (mass == nullptr || inertia == nullptr) fail(tree_, *node, "an inertial needs mass and inertia");
    const Pose pose = origin(*node);
    MassProperties m{number(*mass, "value", 0), {}, {}};
    if (m.mass < 0) fail(tree_, *mass, "value: must not be negative");
    m.inertia = {number(*inertia, "ixx", 0), number(*inertia, "iyy", 0), number(*inertia, "izz", 0),
                 number(*inertia, "ixy", 0), number(*inertia, "ixz", 0), number(*inertia, "iyz", 0)};
    body.inertial = moved(pose, m);
  }

  // Placeholders such as zeros or six equal numbers are common; the rest of the robot is worth having.
  void report_mended() {
    for (const int i : built_.mended) {
      const XmlNode& link = *built_.robot.bodies[at(i)].node;
      const std::string why = "the inertia is not positive definite, so of no body; its principal moments were raised";
      ledger_.note(link, "", Fate::approximated, why);
      warnings_.push_back(tree_.where(link) + why);
    }
  }

  void read_shape(const XmlNode& node, int index) {
    const bool collides = node.name == "collision";
    const XmlNode* geometry = node.child("geometry");
    if (geometry == nullptr || geometry->children.empty()) fail(tree_, node, "needs a geometry");
    const Pose pose = origin(node);
    const std::optional<Geometry> g = geometry_of(geometry->children.front(), collides);
    if (!g) return;
    Shape shape{*g, pose.p, pose.q};
    shape.collide = collides;
    if (const XmlNode* material = node.child("material")) {
      if (const XmlNode* color = material->child("color")) shape.color = rgba(*color);
      else if (const std::string* name = material->find("name"); name && colors_.contains(*name))
        shape.color = colors_[*name];
    }
    robot_.bodies[at(index)].shapes.push_back({"", std::move(shape)});
  }

  // Shapes without extent and those of other programs are left out.
  std::optional<Geometry> geometry_of(const XmlNode& node, bool collides) {
    const auto size = [&](const char* attribute) { return read_one(tree_, node, attribute, need(node, attribute)); };
    const auto solid = [&](Geometry g, double least) -> std::optional<Geometry> {
      if (least > 0) return g;
      if (least < 0) fail(tree_, node, "sizes must not be negative");
      ledger_.note(node, "", Fate::ignored, "has no extent", collides);
      return {};
    };
    if (node.name == "sphere") return solid(Sphere{size("radius")}, size("radius"));
    if (node.name == "cylinder" || node.name == "capsule") {
      const double radius = size("radius"), length = size("length"), least = std::min(radius, length);
      return node.name == "capsule" ? solid(Capsule{radius, length}, least) : solid(Cylinder{radius, length}, least);
    }
    if (node.name == "box") {
      const Vec3 sides = read_three(tree_, node, "size", need(node, "size"));
      return solid(Box{sides}, std::min({sides.x, sides.y, sides.z}));
    }
    if (node.name != "mesh") {
      ledger_.note(node, "", Fate::ignored, "is not box, sphere, cylinder, capsule or mesh", collides);
      return {};
    }
    std::optional<Vec3> scale;
    if (const std::string* text = node.find("scale")) scale = read_three(tree_, node, "scale", *text);
    return link_mesh({tree_, folder_, options_, ledger_, warnings_}, node, need(node, "filename"), scale, collides);
  }

  const FileJoint* find(const std::string& name) const {
    for (const FileJoint& joint : built_.joints)
      if (joint.name == name) return &joint;
    return nullptr;
  }

  // q = multiplier · q' + offset.
  void mimic(const UrdfJoint& joint) {
    const XmlNode* node = joint.node->child("mimic");
    if (node == nullptr) return;
    const FileJoint *own = find(joint.name), *other = find(need(*node, "joint"));
    const std::string& leader = need(*node, "joint");
    if (std::none_of(joints_.begin(), joints_.end(), [&](const UrdfJoint& j) { return j.name == leader; }))
      fail(tree_, *node, fmt::format("there is no joint '{}' to follow", leader));
    if (own == nullptr) return ledger_.note(*node, "", Fate::used, "of a joint that does not move");
    if (other == own) fail(tree_, *node, fmt::format("joint '{}' follows itself", joint.name));
    JointSpec spec{.name = fmt::format("{} follows {}", joint.name, leader), .kind = JointKind::coupling};
    CouplingRow row;
    row.coordinates.push_back({own->joint, own->coordinate, {-number(*node, "offset", 0), 1, 0, 0, 0}});
    if (other != nullptr)
      row.coordinates.push_back({other->joint, other->coordinate, {0, -number(*node, "multiplier", 1), 0, 0, 0}});
    else ledger_.note(*node, "joint", Fate::used, "does not move: the follower stands at its offset");
    spec.extras.rows.push_back(row);
    append_joint(built_.scene.model, built_.scene.initial, spec, kGround, kGround);
    built_.scene.joint_places.push_back({node->file, node->line, node->column});
  }

  // A link with two joints above it: the second closes a loop.
  void close_loop(const UrdfJoint& joint) {
    const int parent = index_.at(joint.parent), child = index_.at(joint.child);
    const BodyId a = built_.body_of[at(parent)], b = built_.body_of[at(child)];
    const Pose world = built_.world[at(parent)] * origin(*joint.node);
    JointSpec spec{.name = joint.name, .primary = false};
    spec.kind = joint.type == "fixed"                                  ? JointKind::weld
              : joint.type == "prismatic"                              ? JointKind::slider
              : joint.type == "revolute" || joint.type == "continuous" ? JointKind::hinge
                                                                       : JointKind::ball;
    if (joint.type == "floating" || joint.type == "planar")
      fail(tree_, *joint.node, fmt::format("joint '{}' closes a loop and may not be {}", joint.name, joint.type));
    spec.anchor = world.p;
    spec.axis = rotate(world.q, axis_of(joint));
    if (a == b) return ledger_.note(*joint.node, "", Fate::used, "both links are parts of one body");
    ledger_.note(*joint.node, "", Fate::used, "closes a loop: the link already hangs from another joint");
    append_joint(built_.scene.model, built_.scene.initial, spec, a, b);
    built_.scene.joint_places.push_back({joint.node->file, joint.node->line, joint.node->column});
  }

  // A control with the joint's effort as its range, for programs; nothing drives it.
  void efforts() {
    const std::map<std::string, double> reductions = read_reductions(tree_, ledger_);
    for (const UrdfJoint& joint : joints_) {
      const XmlNode* limit = joint.node->child("limit");
      const FileJoint* file = find(joint.name);
      if (limit == nullptr || file == nullptr || !file->joint.valid() || limit->find("effort") == nullptr ||
          joint.node->child("mimic"))
        continue;
      Control control;
      control.name = joint.name;
      control.joint = file->joint;
      control.coordinate = file->coordinate;
      control.force_upper = number(*limit, "effort", 0);
      if (const auto reduced = reductions.find(joint.name); reduced != reductions.end()) {
        control.gear = reduced->second;
        control.force_upper /= std::abs(control.gear);
      }
      control.force_lower = -control.force_upper;
      built_.scene.model.controls.push_back(control);
    }
  }

  const XmlTree& tree_;
  fs::path folder_;
  const ImportOptions& options_;
  LedgerWriter ledger_;
  std::map<std::string, const XmlNode*> links_;
  std::vector<const XmlNode*> order_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, const UrdfJoint*> first_above_;  // by child
  std::map<std::string, std::array<float, 4>> colors_;
  std::map<std::string, int> index_;
  Robot robot_;
  BuiltRobot built_;
  Warnings warnings_;
};

}  // namespace

BuiltRobot read_urdf(const XmlTree& tree, const std::filesystem::path& folder, const ImportOptions& options) {
  return UrdfReader(tree, folder, options).read();
}

}  // namespace catena
