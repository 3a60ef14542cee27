// MJCF: bodies, frames, replicas, joints, and how masses come about.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "catena/import/mjcf_reader.h"

#include "catena/math/scalar.h"

namespace catena::mjcf {
namespace {

constexpr std::size_t kMostBodies = 200'000, kMostReplicas = 200'000;

// The inertia with its principal moments changed by f.
template <class F>
Sym3 with_moments(const Sym3& I, const F& f) {
  Eigen::Matrix3d m;
  m << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
  Eigen::Vector3d e = solver.eigenvalues();
  if (!f(e)) return I;
  const Eigen::Matrix3d out = solver.eigenvectors() * e.asDiagonal() * solver.eigenvectors().transpose();
  return {out(0, 0), out(1, 1), out(2, 2), out(0, 1), out(0, 2), out(1, 2)};
}

}  // namespace

std::string Reader::name_of(const Item& item, const Around& around) {
  const std::string* own = item.node->find("name");
  if (own == nullptr || own->empty()) return "";
  if (!around.suffix.empty()) replicas_.suffixes[*own].insert(around.suffix);
  return *own + around.suffix;
}

void Reader::read_children(const XmlNode& node, const Around& around) {
  for (const XmlNode& child : node.children) read_child(child, around);
}

void Reader::read_child(const XmlNode& node, const Around& around) {
  if (!around.suffix.empty() && ++replicas_.made > kMostReplicas)
    fail(tree_, node, fmt::format("more than {} elements by replicate", kMostReplicas));
  if (node.name == "body") return read_body(node, around);
  if (node.name == "joint" || node.name == "freejoint") return read_joint(node, around);
  if (node.name == "geom") return read_geom(node, around);
  if (node.name == "replicate") return replicate(node, around);
  if (node.name == "inertial") return read_inertial(node, around.body);
  if (node.name == "site") {
    const Item here = item(node, around.defaults);
    Pose place = pose(here);
    if (const std::string* text = here.find("fromto")) {
      const std::vector<double> x = read_numbers(tree_, node, "fromto", *text, 6, 6);
      place.p = {(x[0] + x[3]) / 2, (x[1] + x[4]) / 2, (x[2] + x[5]) / 2};
    }
    robot_.sites.push_back({name_of(here, around), around.body, around.frame * place});
    read_volume(here, robot_.sites.back());
    return;
  }
  if (node.name == "frame") {
    Around inner = around;
    if (const std::string* name = node.find("childclass")) inner.defaults = class_named(node, *name);
    inner.frame = around.frame * pose({&node, nullptr});
    read_children(node, inner);
  }
}

// What a touch sensor at the site feels. A site between two points is as long as they are apart.
void Reader::read_volume(const Item& here, RobotSite& site) {
  using enum Site::Volume;
  const std::string type = word(here, "type", "sphere");
  site.volume = type == "capsule"   ? capsule
              : type == "cylinder"  ? cylinder
              : type == "box"       ? box
              : type == "ellipsoid" ? ellipsoid
                                    : sphere;
  const std::vector<double> size = read_numbers(tree_, *here.node, "size", word(here, "size", "0.005"), 0, 3);
  const double first = size.empty() ? 0.005 : size[0];
  site.size = {first, size.size() > 1 ? size[1] : first, size.size() > 2 ? size[2] : first};
  const std::string* text = here.find("fromto");
  if (text == nullptr) return;
  const std::vector<double> x = read_numbers(tree_, *here.node, "fromto", *text, 6, 6);
  const double half = 0.5 * norm(Vec3{x[3] - x[0], x[4] - x[1], x[5] - x[2]});
  if (site.volume == box || site.volume == ellipsoid) site.size = {first, first, half};
  else site.size.y = half;
}

void Reader::read_body(const XmlNode& node, const Around& around) {
  if (robot_.bodies.size() > kMostBodies) fail(tree_, node, fmt::format("more than {} bodies", kMostBodies));
  const Item here{&node, nullptr};
  RobotBody body{
      .name = name_of(here, around), .parent = around.body, .pose = around.frame * pose(here), .node = &node};
  const int index = static_cast<int>(robot_.bodies.size());
  if (body.name.empty()) body.name = fmt::format("body{}", index);
  if (!names_.bodies.emplace(body.name, index).second)
    fail(tree_, node, fmt::format("there are two bodies '{}'; names must differ", body.name));
  robot_.bodies.push_back(body);
  body_notes_.has_inertial.push_back(0);
  body_notes_.from_geoms.emplace_back();
  body_notes_.gravity_compensation.push_back(number(here, "gravcomp", 0));
  const std::string* mocap = node.find("mocap");
  robot_.bodies.back().guided = mocap && read_flag(tree_, node, "mocap", *mocap);
  Around inner{index, {}, around.defaults, around.suffix};
  if (const std::string* name = node.find("childclass")) inner.defaults = class_named(node, *name);
  read_children(node, inner);
  join_slides(robot_.bodies[at(index)]);
  if (robot_.bodies[at(index)].guided && (around.body != 0 || !robot_.bodies[at(index)].joints.empty()))
    fail(tree_, node, "mocap: a body that is led by hand is a child of the world and has no joints");
  if (robot_.bodies[at(index)].guided && !takes_along(index)) {
    robot_.bodies[at(index)].guided = false;
    ledger_.note(node, "mocap", Fate::approximated,
                 "stays where it is: nothing hangs on it, no equality names it and none of its shapes can touch");
  }
  if (robot_.bodies[at(index)].joints.empty() && around.body != 0)
    ledger_.note(node, "", Fate::used, fmt::format("has no joint: part of the body above; a site keeps its frame"));
}

// Whether where a body is led can matter to another one: something hangs on it or can touch it, or an equality may tie something to it. A marker of a
// target is no body of the model then, as it has no freedoms in MuJoCo.
bool Reader::takes_along(int index) const {
  for (std::size_t i = at(index); i < robot_.bodies.size(); ++i) {
    const RobotBody& body = robot_.bodies[i];
    if (!body.joints.empty() || std::any_of(body.shapes.begin(), body.shapes.end(),
                                            [](const RobotShape& shape) { return shape.shape.collide; }))
      return true;
  }
  for (const XmlNode& section : tree_.root.children) {
    if (section.name != "equality") continue;
    for (const XmlNode& node : section.children) {
      if (node.find("site1") != nullptr) return true;
      for (const char* field : {"body1", "body2"}) {
        const std::string* name = node.find(field);
        if (name != nullptr && *name == robot_.bodies[at(index)].name) return true;
      }
    }
  }
  return false;
}

// Two slides along one axis, one after the other, are one coordinate twice. Where equalities make both follow the same joint, their sum is one that
// follows it too.
void Reader::join_slides(RobotBody& body) {
  const auto followed = [&](const std::string& name) -> std::string {
    for (const XmlNode& section : tree_.root.children)
      for (const XmlNode& node : section.children) {
        const std::string *one = node.find("joint1"), *two = node.find("joint2"), *active = node.find("active");
        if (section.name != "equality" || node.name != "joint" || one == nullptr || two == nullptr) continue;
        if (*one == name && (active == nullptr || read_flag(tree_, node, "active", *active))) return *two;
      }
    return {};
  };
  for (std::size_t k = 1; k < body.joints.size(); ++k) {
    const RobotJoint& before = body.joints[k - 1];
    RobotJoint& here = body.joints[k];
    const bool along = before.kind == RobotJoint::Kind::slide && here.kind == RobotJoint::Kind::slide &&
                       norm(before.axis - here.axis) < 1e-9;
    const bool plain = before.reference == 0 && here.reference == 0 && before.stiffness == 0 && here.stiffness == 0;
    if (!along || !plain || before.continues || !preamble_.option.equality) continue;
    const std::string to = followed(here.name);
    if (to.empty() || followed(before.name) != to) continue;
    here.continues = true;
    ledger_.note(*here.node, "", Fate::approximated,
                 fmt::format("lies along joint '{}' and follows '{}' as it does: their sum is one coordinate, with the "
                             "larger damping and armature of the two",
                             before.name, to));
  }
}

void Reader::replicate(const XmlNode& node, const Around& around) {
  const Item here{&node, nullptr};
  const int count = integer(here, "count", 0);
  if (count < 1 || count > 100'000) fail(tree_, node, fmt::format("count: {} must be from 1 to 100000", count));
  const Pose step{three(here, "offset", {}), from_euler(node, three(here, "euler", {}))};
  const std::string separator = word(here, "sep", "");
  const auto digits = std::to_string(count - 1).size();
  Around inner = around;
  if (const std::string* name = node.find("childclass")) inner.defaults = class_named(node, *name);
  for (int i = 0; i < count; ++i) {
    inner.suffix = fmt::format("{}{:0{}}{}", separator, i, digits, around.suffix);
    read_children(node, inner);
    inner.frame = inner.frame * step;
    if (robot_.bodies.size() > kMostBodies) fail(tree_, node, fmt::format("more than {} bodies", kMostBodies));
  }
}

// What refers to replicas is replicated with them: a section with as many of each such element, names and references with the suffix.
const XmlNode& Reader::with_replicas(const XmlNode& section) {
  if (replicas_.suffixes.empty()) return section;
  const auto suffixes = [&](const auto& self, const XmlNode& node) -> const std::set<std::string>* {
    for (const auto& [key, value] : node.attributes)
      if (const auto found = replicas_.suffixes.find(value); refers_in_mjcf(key) && found != replicas_.suffixes.end())
        return &found->second;
    for (const XmlNode& child : node.children)
      if (const auto* found = self(self, child)) return found;
    return nullptr;
  };
  const auto rename = [&](const auto& self, XmlNode& node, const std::string& suffix) -> void {
    for (auto& [key, value] : node.attributes)
      if (key == "name" || (refers_in_mjcf(key) && replicas_.suffixes.contains(value))) value += suffix;
    for (XmlNode& child : node.children) self(self, child, suffix);
  };
  XmlNode& out = replicas_.sections.emplace_back(section);
  out.children.clear();
  for (const XmlNode& element : section.children) {
    const std::set<std::string>* copies = suffixes(suffixes, element);
    if (copies == nullptr) {
      out.children.push_back(element);
      continue;
    }
    if (const std::string* name = element.find("name")) replicas_.suffixes[*name] = *copies;
    for (const std::string& suffix : *copies) rename(rename, out.children.emplace_back(element), suffix);
  }
  return out;
}

void Reader::read_joint(const XmlNode& node, const Around& around) {
  const Item here = node.name == "freejoint" ? Item{&node, nullptr} : item(node, around.defaults);
  RobotJoint joint{.name = name_of(here, around), .node = &node};
  const std::string type = node.name == "freejoint" ? "free" : word(here, "type", "hinge");
  using Kind = RobotJoint::Kind;
  if (type == "free") joint.kind = Kind::free;
  else if (type == "ball") joint.kind = Kind::ball;
  else if (type == "slide") joint.kind = Kind::slide;
  else if (type != "hinge")
    fail(tree_, node, fmt::format("type: hinge, slide, ball or free is expected, not '{}'", type));
  if (around.body == 0) fail(tree_, node, "the world has no joints");
  const Pose& frame = around.frame;
  const bool turns = joint.kind == Kind::hinge || joint.kind == Kind::ball;
  const auto scaled = [&](double x) { return turns ? angle(node, x) : x; };
  if (joint.kind != Kind::free) {
    joint.anchor = frame(three(here, "pos", {}));
    const Vec3 axis = three(here, "axis", {0, 0, 1});
    if (!(norm(axis) > 1e-12)) fail(tree_, node, "axis: has no direction");
    joint.axis = joint.kind == Kind::ball ? Vec3{0, 0, 1} : rotate(frame.q, normalized(axis));
    joint.reference = joint.kind == Kind::ball ? 0 : scaled(number(here, "ref", 0));
    joint.rest = joint.kind == Kind::ball ? 0 : scaled(number(here, "springref", 0));
    joint.stiffness = preamble_.option.springs ? number(here, "stiffness", 0) : 0;
    joint.damping = preamble_.option.dampers ? number(here, "damping", 0) : 0;
    joint.friction = preamble_.option.friction ? number(here, "frictionloss", 0) : 0;
    joint.armature = number(here, "armature", 0);
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"})
      if (number(here, key, 0) < 0) fail(tree_, node, fmt::format("{}: must not be negative", key));
    for (const char* key : {"stiffness", "damping"})
      if (const std::string* text = here.find(key); text && read_numbers(tree_, node, key, *text).size() > 1)
        ledger_.note(node, key, Fate::approximated, "its linear coefficient alone");
    if (preamble_.option.limits && is_limited(here, "limited", "range")) {
      const std::vector<double> range = read_numbers(tree_, node, "range", word(here, "range", "0 0"), 2, 2);
      if (joint.kind == Kind::ball) {
        Limits limits;
        limits.cone = angle(node, range[1]);
        limits.lower = -limits.cone;
        limits.upper = limits.cone;
        joint.limits = limits;
        ledger_.note(node, "range", Fate::approximated,
                     "a cone of that angle and a twist of that angle, not the angle of the whole rotation");
      } else {
        if (!(range[0] < range[1])) fail(tree_, node, fmt::format("range: {} must be below {}", range[0], range[1]));
        Limits limits;
        limits.lower = scaled(range[0]);
        limits.upper = scaled(range[1]);
        joint.limits = limits;
      }
    }
    if (options_.mujoco_softness && joint.limits && joint.kind != Kind::ball)
      joint_notes_.soft_limits[&node] = {
          read_numbers(tree_, node, "solreflimit", word(here, "solreflimit", "0.02 1"), 1, 2),
          read_numbers(tree_, node, "solimplimit", word(here, "solimplimit", "0.9 0.95 0.001"), 1, 5)};
    if (joint.kind == Kind::ball && joint.friction != 0)
      ledger_.note(node, "frictionloss", Fate::approximated, "along the first axis of the ball joint only");
    if (const std::string* text = here.find("actuatorfrcrange")) {
      const std::vector<double> range = read_numbers(tree_, node, "actuatorfrcrange", *text, 2, 2);
      if (is_limited(here, "actuatorfrclimited", "actuatorfrcrange") && !joint.name.empty())
        joint_notes_.force_range[joint.name] = {range[0], range[1]};
    }
    if (const std::string* text = here.find("springdamper")) {
      const std::vector<double> x = read_numbers(tree_, node, "springdamper", *text, 2, 2);
      if (x[0] > 0 && x[1] > 0) joint_notes_.spring_dampers[&node] = {x[0], x[1]};
    }
  } else if (node.name == "joint") {
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"})
      if (number(here, key, 0) != 0)
        ledger_.note(node, key, Fate::ignored, "along the six freedoms of a free body it does not act");
  }
  robot_.bodies[at(around.body)].joints.push_back(std::move(joint));
}

void Reader::read_inertial(const XmlNode& node, int body) {
  const Item here{&node, nullptr};
  MassProperties m;
  if (!node.find("mass")) fail(tree_, node, "an inertial needs a mass");
  m.mass = number(here, "mass", 0);
  if (m.mass < 0) fail(tree_, node, "mass: must not be negative");
  m.centre = three(here, "pos", {});
  if (const std::string* text = node.find("fullinertia")) {
    const std::vector<double> x = read_numbers(tree_, node, "fullinertia", *text, 6, 6);
    m.inertia = {x[0], x[1], x[2], x[3], x[4], x[5]};
  } else {
    const Vec3 d = three(here, "diaginertia", {});
    m.inertia = Sym3::diagonal(d.x, d.y, d.z);
  }
  m.inertia = congruence(to_matrix(orientation(here)), m.inertia);
  body_notes_.has_inertial[at(body)] = 1;
  robot_.bodies[at(body)].inertial = m;
}

// Springs and dampers that were given by a time constant T and a damping ratio ζ: with the inertia m along the joint at the reference pose the
// stiffness is m/(T ζ)² and the damping 2 m/T.
void Reader::settle_spring_dampers() {
  if (joint_notes_.spring_dampers.empty()) return;
  std::size_t next = 0;
  for (RobotBody& body : built_.robot.bodies)
    for (RobotJoint& joint : body.joints) {
      const FileJoint& file = built_.joints[next++];
      const auto given = joint_notes_.spring_dampers.find(joint.node);
      if (given == joint_notes_.spring_dampers.end() || !file.joint.valid()) continue;
      const auto [time, ratio] = given->second;
      const int n = joint.kind == RobotJoint::Kind::ball ? 3 : 1;
      const double m = reference_inertia().M().diagonal().segment(file.v, n).mean();
      joint.stiffness = preamble_.option.springs ? m / (time * time * ratio * ratio) : 0;
      joint.damping = preamble_.option.dampers ? 2 * m / time : 0;
      Joint& built = built_.scene.model.joints[file.joint];
      if (built.kind == JointKind::compound) {
        Freedom& freedom = built.freedoms[at(file.coordinate)];
        freedom.stiffness = joint.stiffness;
        freedom.damping = joint.damping;
        continue;
      }
      if (built.extras < 0) {
        built.extras = static_cast<int>(built_.scene.model.extras.size());
        built_.scene.model.extras.emplace_back();
      }
      JointExtras& extras = built_.scene.model.extras[at(built.extras)];
      extras.stiffness = joint.stiffness;
      extras.damping = joint.damping;
    }
}

// As the compiler does it: inferred where none is given, bounded below, balanced, and the whole scaled to a total mass.
void Reader::settle_inertias() {
  double total = 0;
  for (std::size_t i = 1; i < robot_.bodies.size(); ++i) {
    RobotBody& body = robot_.bodies[i];
    const Compiler& rules = compiler(body.node ? *body.node : tree_.root);
    const std::string& from = rules.inertia_from_geom;
    if (from == "true" || (from != "false" && !body_notes_.has_inertial[i])) body.inertial = body_notes_.from_geoms[i];
    MassProperties& m = body.inertial;
    m.mass = std::max(m.mass, rules.bound_mass);
    if (rules.bound_inertia > 0)
      m.inertia = with_moments(m.inertia, [&](Eigen::Vector3d& e) {
        const bool low = e[0] < rules.bound_inertia;
        e = e.cwiseMax(rules.bound_inertia);
        return low;
      });
    if (m.mass > 0) {
      m.inertia = with_moments(m.inertia, [&](Eigen::Vector3d& e) {
        if (e[0] + e[1] >= e[2] * (1 - 1e-6)) return false;
        if (!rules.balance) {
          const XmlNode& node = body.node ? *body.node : tree_.root;
          fail(tree_, node,
               fmt::format(
                   "body '{}': principal moments {:.6g}, {:.6g}, {:.6g} are those of no body: the largest exceeds "
                   "the sum of the others; compiler balanceinertia=\"true\" mends that",
                   body.name, e[0], e[1], e[2]));
        }
        e.setConstant(e.mean());
        return true;
      });
    }
    total += m.mass;
  }
  const double wanted = preamble_.compilers.front().total_mass;
  if (wanted <= 0 || !(total > 0)) return;
  const double scale = wanted / total;
  for (RobotBody& body : robot_.bodies) {
    body.inertial.mass *= scale;
    body.inertial.inertia = scale * body.inertial.inertia;
  }
}

}  // namespace catena::mjcf
