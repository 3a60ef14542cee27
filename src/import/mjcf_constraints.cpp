// MJCF: contact, equality, tendon, sensor and keyframe sections.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/import/mjcf_reader.h"
#include "catena/model/placement.h"
#include "catena/model/sensor_kinds.h"

namespace catena::mjcf {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Map>
std::string hint(const std::string& name, const Map& map) {
  std::vector<std::string> known;
  for (const auto& [key, value] : map) known.push_back(key);
  const std::string near = nearest(name, known);
  return near.empty() ? "" : fmt::format("; the nearest name is '{}'", near);
}

}  // namespace

int Reader::body_named(const XmlNode& node, std::string_view attribute, bool world_otherwise) const {
  const std::string* name = node.find(attribute);
  if (name == nullptr && world_otherwise) return 0;
  if (name == nullptr) fail(tree_, node, fmt::format("needs {}=\"BODY\"", attribute));
  const auto found = body_names_.find(*name);
  if (found == body_names_.end())
    fail(tree_, node, fmt::format("{}: there is no body '{}'{}", attribute, *name, hint(*name, body_names_)));
  return found->second;
}

const FileJoint& Reader::joint_named(const XmlNode& node, std::string_view attribute, const std::string& name) const {
  for (const FileJoint& joint : built_.joints)
    if (joint.name == name) return joint;
  std::vector<std::string> known;
  for (const FileJoint& joint : built_.joints) known.push_back(joint.name);
  const std::string near = nearest(name, known);
  fail(tree_, node,
       fmt::format("{}: there is no joint '{}'{}", attribute, name,
                   near.empty() ? "" : "; the nearest name is '" + near + "'"));
}

const Site& Reader::site_named(const XmlNode& node, std::string_view attribute) const {
  const std::string* name = node.find(attribute);
  if (name != nullptr)
    for (const Site& site : built_.scene.model.sites)
      if (site.name == *name) return site;
  fail(tree_, node, fmt::format("{}: there is no site '{}'", attribute, name ? *name : ""));
}

std::string Reader::free_joint_name(const XmlNode& node, const char* otherwise) const {
  const std::string* own = node.find("name");
  const std::string wanted = own && !own->empty() ? *own : otherwise;
  std::string name = wanted;
  const auto taken = [&](const std::string& word) {
    return std::any_of(built_.scene.model.joints.begin(), built_.scene.model.joints.end(),
                       [&](const Joint& j) { return j.name == word; });
  };
  for (int k = 1; taken(name); ++k) name = fmt::format("{}{}", wanted, k);
  return name;
}

void Reader::add_joint(const XmlNode& node, const JointSpec& spec, BodyId a, BodyId b) {
  if (a == b) {
    ledger_.note(node, "", Fate::used, "both ends are parts of one body: nothing to hold");
    return;
  }
  try {
    append_joint(built_.scene.model, built_.scene.initial, spec, a, b);
  } catch (const InputError& error) {
    fail(tree_, node, error.what());
  }
  built_.scene.joint_places.push_back({node.file, node.line, 1});
}

// ---------------------------------------------------------------------------------------------------------------- contact

void Reader::read_contact(const XmlNode& section) {
  Model& model = built_.scene.model;
  for (const XmlNode& node : section.children) {
    if (node.name == "exclude") {
      const BodyId a = built_.body_of[at(body_named(node, "body1"))], b = built_.body_of[at(body_named(node, "body2"))];
      if (a != b) model.collide_exclude.emplace_back(a, b);
    } else if (node.name == "pair") {
      const Item here = item(node, nullptr);
      const auto shape = [&](const char* attribute) {
        const std::string* name = node.find(attribute);
        const auto found = name ? geom_names_.find(*name) : geom_names_.end();
        if (found == geom_names_.end())
          fail(tree_, node, fmt::format("{}: there is no geom '{}'", attribute, name ? *name : ""));
        return found->second;
      };
      const GeomRef a = shape("geom1"), b = shape("geom2");
      ContactPair pair{built_.body_of[at(a.body)], built_.body_of[at(b.body)], built_.shape_of[at(a.body)][at(a.shape)],
                       built_.shape_of[at(b.body)][at(b.shape)], 0};
      Material m{fmt::format("pair{}", model.contact_pairs.size())};
      const std::vector<double> friction =
          read_numbers(tree_, node, "friction", word(here, "friction", "1 1 0.005 0.0001 0.0001"), 0, 5);
      const int dimension = integer(here, "condim", 3);
      m.friction = dimension > 1 ? (friction.empty() ? 1 : friction[0]) : 0;
      m.torsion = dimension >= 4 ? (friction.size() > 2 ? friction[2] : 0.005) : 0;
      m.rolling = dimension >= 6 ? (friction.size() > 3 ? friction[3] : 0.0001) : 0;
      if (friction.size() < 2 || friction[0] == friction[1]) ledger_.note(node, "friction", Fate::used, "");
      pair.material = static_cast<int>(model.materials.size());
      model.materials.push_back(m);
      for (auto [body, index] : {std::pair{pair.a, pair.shape_a}, std::pair{pair.b, pair.shape_b}})
        (body.valid() ? model.bodies[body].shapes : model.ground_shapes)[at(index)].collide = option_.contacts;
      model.contact_pairs.push_back(pair);
    }
  }
}

// --------------------------------------------------------------------------------------------------------------- equality

void Reader::read_equality(const XmlNode& section) {
  for (const XmlNode& node : section.children) {
    if (const std::string* active = node.find("active"); active && !read_flag(tree_, node, "active", *active)) {
      ledger_.note(node, "", Fate::ignored, "not active at the start, and nothing switches it on yet");
      continue;
    }
    if (node.name == "connect") read_connect(node);
    else if (node.name == "weld") read_weld(node);
    else if (node.name == "joint") read_coupling(node, false);
    else if (node.name == "tendon") read_coupling(node, true);
  }
}

void Reader::read_connect(const XmlNode& node) {
  JointSpec spec{.name = free_joint_name(node, "connect"), .kind = JointKind::ball, .primary = false};
  if (node.find("site1")) {
    const Site &a = site_named(node, "site1"), &b = site_named(node, "site2");
    const auto world = [&](const Site& s) {
      if (!s.body.valid()) return s.position;
      const BodyState& body = built_.scene.initial.bodies[s.body];
      return body.position + rotate(body.orientation, s.position);
    };
    spec.anchors = {world(a), world(b)};
    return add_joint(node, spec, a.body, b.body);
  }
  const int one = body_named(node, "body1"), two = body_named(node, "body2", true);
  const std::string* anchor = node.find("anchor");
  if (anchor == nullptr) fail(tree_, node, "needs anchor=\"x y z\", in the frame of body1");
  spec.anchor = built_.world[at(one)](read_three(tree_, node, "anchor", *anchor));
  add_joint(node, spec, built_.body_of[at(one)], built_.body_of[at(two)]);
}

void Reader::read_weld(const XmlNode& node) {
  JointSpec spec{.name = free_joint_name(node, "weld"), .kind = JointKind::weld, .primary = false};
  if (node.find("site1")) {
    const Site &a = site_named(node, "site1"), &b = site_named(node, "site2");
    ledger_.note(node, "site1", Fate::approximated, "held as the bodies stand at the start, not site on site");
    return add_joint(node, spec, a.body, b.body);
  }
  const int one = body_named(node, "body1"), two = body_named(node, "body2", true);
  const std::string* text = node.find("relpose");
  if (text != nullptr) {
    const std::vector<double> x = read_numbers(tree_, node, "relpose", *text, 7, 7);
    if (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0)
      ledger_.note(node, "relpose", Fate::approximated, "held as the bodies stand at the start");
  }
  spec.anchor = built_.world[at(two)].p;
  if (const std::string* anchor = node.find("anchor"))
    spec.anchor = built_.world[at(two)](read_three(tree_, node, "anchor", *anchor));
  add_joint(node, spec, built_.body_of[at(one)], built_.body_of[at(two)]);
}

CoordinateTerm Reader::term(const FileJoint& joint, const std::array<double, 5>& polynomial) const {
  const bool compound = built_.scene.model.joints[joint.joint].kind == JointKind::compound;
  return {joint.joint, joint.coordinate, polynomial, joint.reference, compound ? 0 : joint.reference};
}

// y − y₀ = a₀ + a₁ (x − x₀) + … about the reference pose.
void Reader::read_coupling(const XmlNode& node, bool tendons) {
  const std::vector<double> given =
      read_numbers(tree_, node, "polycoef", node.find("polycoef") ? *node.find("polycoef") : "0 1 0 0 0", 1, 5);
  std::array<double, 5> p{0, 1, 0, 0, 0};
  for (std::size_t k = 0; k < given.size(); ++k) p[k] = given[k];
  JointSpec spec{.name = free_joint_name(node, "coupling"), .kind = JointKind::coupling};
  CouplingRow row;
  const auto scalar = [&](const FileJoint& joint) {
    if (joint.kind != RobotJoint::Kind::hinge && joint.kind != RobotJoint::Kind::slide)
      fail(tree_, node, fmt::format("joint '{}' has no single coordinate to couple", joint.name));
    return joint;
  };
  if (!tendons) {
    const std::string *one = node.find("joint1"), *two = node.find("joint2");
    if (one == nullptr) fail(tree_, node, "needs joint1=\"JOINT\"");
    row.coordinates.push_back(term(scalar(joint_named(node, "joint1", *one)), {-p[0], 1, 0, 0, 0}));
    if (two != nullptr)
      row.coordinates.push_back(term(scalar(joint_named(node, "joint2", *two)), {0, -p[1], -p[2], -p[3], -p[4]}));
  } else {
    if (p[2] != 0 || p[3] != 0 || p[4] != 0)
      return ledger_.note(node, "", Fate::ignored, "between tendons a straight line alone is understood");
    double scale = 1;
    for (const char* which : {"tendon1", "tendon2"}) {
      const std::string* name = node.find(which);
      if (name == nullptr) break;
      const auto found = tendon_names_.find(*name);
      if (found == tendon_names_.end())
        return ledger_.note(node, "", Fate::ignored, fmt::format("tendon '{}' is not modelled", *name));
      for (const Tendon::Term& t : built_.scene.model.tendons[at(found->second)].terms)
        for (const FileJoint& joint : built_.joints)
          if (joint.joint == t.joint && joint.coordinate == t.coordinate)
            row.coordinates.push_back(
                term(joint, {row.coordinates.empty() ? -p[0] : 0, scale * t.coefficient, 0, 0, 0}));
      scale = -p[1];
    }
  }
  spec.extras.rows.push_back(std::move(row));
  append_joint(built_.scene.model, built_.scene.initial, spec, kGround, kGround);
  built_.scene.joint_places.push_back({node.file, node.line, 1});
}

// ------------------------------------------------------------------------------------------------------ tendons and others

void Reader::read_tendons(const XmlNode& section) {
  for (const XmlNode& node : section.children) {
    if (node.name != "fixed") continue;
    Tendon tendon;
    const Item here = item(node, nullptr);
    tendon.name = word(here, "name", fmt::format("tendon{}", built_.scene.model.tendons.size()));
    for (const XmlNode& child : node.children) {
      if (child.name != "joint" || !child.find("joint")) continue;
      const FileJoint& joint = joint_named(child, "joint", *child.find("joint"));
      if (!joint.joint.valid()) fail(tree_, child, "a free joint has no single coordinate");
      tendon.terms.push_back({joint.joint, joint.coordinate,
                              child.find("coef") ? read_one(tree_, child, "coef", *child.find("coef")) : 0});
    }
    if (is_limited(here, "limited", "range")) {
      const std::vector<double> range = read_numbers(tree_, node, "range", word(here, "range", "0 0"), 2, 2);
      tendon.lower = range[0];
      tendon.upper = range[1];
    } else {
      ledger_.note(node, "limited", Fate::used, "");
    }
    tendon.stiffness = number(here, "stiffness", 0);
    tendon.damping = number(here, "damping", 0);
    tendon.friction = number(here, "frictionloss", 0);
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"})
      if (node.find(key) && number(here, key, 0) == 0) ledger_.note(node, key, Fate::used, "zero");
    tendon_names_[tendon.name] = static_cast<int>(built_.scene.model.tendons.size());
    built_.scene.model.tendons.push_back(std::move(tendon));
  }
}

// What differs from the format's own sensors.
void Reader::note_sensor(const XmlNode& node, const Sensor& sensor) {
  if (sensor_kind(sensor.kind) == nullptr)
    return ledger_.note(node, "", Fate::ignored, fmt::format("'{}' is not read", sensor.kind), false);
  if (sensor.object_kind == "geom")
    return ledger_.note(node, "", Fate::ignored, "a geom is no frame of the model; put a site there", false);
  if (sensor.kind == "touch")
    ledger_.note(node, "", Fate::approximated, "the normal forces of all contacts of the site's body", false);
  if (sensor.kind != "force" && sensor.kind != "torque") return;
  for (const RobotSite& site : built_.robot.sites)
    if (site.name == sensor.object && site.body >= 0 && built_.robot.bodies[at(site.body)].joints.empty())
      ledger_.note(node, "", Fate::approximated, "its body is fixed in another: read at the joint of that one", false);
}

void Reader::read_sensors(const XmlNode& section) {
  for (const XmlNode& node : section.children) {
    Sensor sensor;
    sensor.name = node.find("name") ? *node.find("name") : "";
    sensor.kind = node.name;
    for (const char* kind : {"site", "joint", "actuator", "tendon", "body", "geom", "subtree", "camera"})
      if (const std::string* object = node.find(kind)) sensor.object_kind = kind, sensor.object = *object;
    if (const std::string* kind = node.find("objtype")) sensor.object_kind = *kind;
    if (const std::string* object = node.find("objname")) sensor.object = *object;
    if (const std::string* kind = node.find("reftype")) sensor.reference_kind = *kind;
    if (const std::string* object = node.find("refname")) sensor.reference = *object;
    if (const std::string* x = node.find("cutoff")) sensor.cutoff = read_one(tree_, node, "cutoff", *x);
    if (const std::string* x = node.find("noise")) sensor.noise = read_one(tree_, node, "noise", *x);
    if (sensor.name.empty()) sensor.name = fmt::format("sensor{}", built_.scene.model.sensors.size());
    note_sensor(node, sensor);
    built_.scene.model.sensors.push_back(std::move(sensor));
  }
}

void Reader::read_keyframes(const XmlNode& section) {
  Model& model = built_.scene.model;
  std::vector<double> at_rest(at(built_.n_q));
  for (const FileJoint& joint : built_.joints) {
    double* q = at_rest.data() + joint.q;
    if (joint.kind == RobotJoint::Kind::free) {
      const BodyState& s = built_.scene.initial.bodies[joint.body];
      const Vec3 p = s.position + rotate(s.orientation, model.bodies[joint.body].origin);
      const double x[] = {p.x, p.y, p.z, s.orientation.w, s.orientation.x, s.orientation.y, s.orientation.z};
      std::copy(std::begin(x), std::end(x), q);
    } else if (joint.kind == RobotJoint::Kind::ball) {
      q[0] = 1;
    } else {
      q[0] = joint.reference;
    }
  }
  for (const XmlNode& node : section.children) {
    if (node.name != "key") continue;
    Keyframe key;
    key.name = node.find("name") ? *node.find("name") : fmt::format("{}", model.keyframes.size());
    if (const std::string* x = node.find("time")) key.time = read_one(tree_, node, "time", *x);
    std::vector<double> q = at_rest, v;
    const auto read = [&](const char* name, std::size_t count, std::vector<double>& to) {
      const std::string* text = node.find(name);
      if (text == nullptr) return;
      to = read_numbers(tree_, node, name, *text);
      if (to.size() != count)
        fail(tree_, node, fmt::format("{}: {} numbers are expected, not {}", name, count, to.size()));
    };
    read("qpos", at(built_.n_q), q);
    read("qvel", at(built_.n_v), v);
    read("ctrl", model.controls.size(), key.ctrl);
    place_robot(built_, q, v, key.bodies, key.coordinates);
    model.keyframes.push_back(std::move(key));
  }
}

}  // namespace catena::mjcf
