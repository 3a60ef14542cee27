// MJCF: contact, equality and tendon sections.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/import/mjcf_reader.h"
#include "catena/math/scalar.h"
#include "catena/model/placement.h"
#include "catena/model/transmission.h"

namespace catena::mjcf {
namespace {

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
  const auto found = names_.bodies.find(*name);
  if (found == names_.bodies.end())
    fail(tree_, node, fmt::format("{}: there is no body '{}'{}", attribute, *name, hint(*name, names_.bodies)));
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
  built_.scene.joint_places.push_back({node.file, node.line, node.column});
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
        const auto found = name ? names_.geoms.find(*name) : names_.geoms.end();
        if (found == names_.geoms.end())
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
      soften_pair(here, pair, m);
      pair.material = static_cast<int>(model.materials.size());
      model.materials.push_back(m);
      for (auto [body, index] : {std::pair{pair.a, pair.shape_a}, std::pair{pair.b, pair.shape_b}})
        (body.valid() ? model.bodies[body].shapes : model.ground_shapes)[at(index)].collide = preamble_.option.contacts;
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
    soften(node, a.body, b.body, world(a), spec);
    return add_joint(node, spec, a.body, b.body);
  }
  const int one = body_named(node, "body1"), two = body_named(node, "body2", true);
  const std::string* anchor = node.find("anchor");
  if (anchor == nullptr) fail(tree_, node, "needs anchor=\"x y z\", in the frame of body1");
  spec.anchor = built_.world[at(one)](read_three(tree_, node, "anchor", *anchor));
  soften(node, built_.body_of[at(one)], built_.body_of[at(two)], *spec.anchor, spec);
  add_joint(node, spec, built_.body_of[at(one)], built_.body_of[at(two)]);
}

Softness softness_of(const std::vector<double>& solref, const std::vector<double>& solimp, double A, double timestep) {
  const double d = std::clamp(solimp.size() > 1 ? solimp[1] : 0.95, 1e-4, 0.9999),
               ratio = solref.size() > 1 ? solref[1] : 1;
  // The direct form: stiffness k and damping b a unit of mass, with k = 1/(d² T² ζ²) and b = 2/(d T).
  const double time = solref[0] > 0 ? std::max(solref[0], 2 * timestep) : 2 / (d * std::max(-ratio, 1e-12));
  const double zeta = solref[0] > 0 ? ratio : std::max(-ratio, 1e-12) / (2 * std::sqrt(-solref[0]));
  return {A * (1 - d) * time * time * zeta * zeta, 2 * time * zeta * zeta};
}

// With --softness mujoco, for the mobility of the point at the reference pose.
void Reader::soften(const XmlNode& node, BodyId a, BodyId b, const Vec3& point, JointSpec& spec) {
  if (!options_.mujoco_softness) return;
  const Item here = item(node, nullptr);
  const std::string reference = node.find("solref") ? *node.find("solref") : equality_default(here, "solref", "0.02 1");
  const std::string impedance =
      node.find("solimp") ? *node.find("solimp") : equality_default(here, "solimp", "0.9 0.95 0.001");
  const std::vector<double> ref = read_numbers(tree_, node, "solref", reference, 1, 2),
                            imp = read_numbers(tree_, node, "solimp", impedance, 1, 5);
  double A = 0;
  for (const BodyId body : {a, b})
    for (std::size_t i = 0; i < built_.body_of.size() && body.valid(); ++i)
      if (built_.body_of[i] == body) {
        A += reference_inertia().mobility(static_cast<int>(i), point).first;
        break;
      }
  const Softness soft = softness_of(ref, imp, A, preamble_.option.timestep);
  spec.extras.compliance = soft.compliance;
  spec.extras.relaxation = soft.relaxation;
  const std::string how =
      fmt::format("compliance {:.3g} m/N, relaxation {:.3g} s", spec.extras.compliance, spec.extras.relaxation);
  for (const char* key : {"solref", "solimp"})
    if (node.find(key)) ledger_.note(node, key, Fate::approximated, how, false);
  ledger_.note(node, "", Fate::approximated, how + ", as --softness mujoco asks", false);
}

std::string Reader::equality_default(const Item& here, const char* attribute, const char* otherwise) const {
  const auto& all = here.defaults->attributes;
  const auto found = all.find("equality");
  if (found == all.end() || !found->second.contains(attribute)) return otherwise;
  return found->second.at(attribute);
}

// A frame of one body on a frame of the other, which assembly brings together.
void Reader::weld_frames(const XmlNode& node, BodyId a, const Pose& on_a, BodyId b, const Pose& on_b) {
  JointSpec spec{.name = free_joint_name(node, "weld"), .kind = JointKind::weld, .primary = false};
  const auto world = [&](BodyId body, const Pose& own) {
    if (!body.valid()) return own;
    const BodyState& state = built_.scene.initial.bodies[body];
    return Pose{state.position, state.orientation} * own;
  };
  spec.anchor = world(b, on_b).p;
  soften(node, a, b, *spec.anchor, spec);
  const std::size_t before = built_.scene.model.joints.size();
  add_joint(node, spec, a, b);
  if (built_.scene.model.joints.size() == before) return;
  Joint& joint = built_.scene.model.joints.back();
  joint.anchor_a = on_a.p;
  joint.frame_a = on_a.q;
  joint.anchor_b = on_b.p;
  joint.frame_b = on_b.q;
}

void Reader::read_weld(const XmlNode& node) {
  if (node.find("site1")) {
    const Site &a = site_named(node, "site1"), &b = site_named(node, "site2");
    return weld_frames(node, a.body, {a.position, a.orientation}, b.body, {b.position, b.orientation});
  }
  const int one = body_named(node, "body1"), two = body_named(node, "body2", true);
  Pose relative = inverse(built_.world[at(one)]) * built_.world[at(two)];
  if (const std::string* text = node.find("relpose")) {
    const std::vector<double> x = read_numbers(tree_, node, "relpose", *text, 7, 7);
    if (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0)
      relative = {{x[0], x[1], x[2]}, normalized(Quat{x[3], x[4], x[5], x[6]})};
  }
  Pose anchor{};
  if (const std::string* text = node.find("anchor")) anchor.p = read_three(tree_, node, "anchor", *text);
  weld_frames(node, built_.body_of[at(one)], built_.frame_in_body[at(one)] * relative * anchor, built_.body_of[at(two)],
              built_.frame_in_body[at(two)] * anchor);
}

CoordinateTerm Reader::term(const FileJoint& joint, const std::array<double, 5>& polynomial) const {
  const bool compound = built_.scene.model.joints[joint.joint].kind == JointKind::compound;
  return {joint.joint, joint.coordinate, polynomial, joint.reference, compound ? 0 : joint.reference};
}

// The second polynomial of a coordinate that two slides make up (RobotJoint::continues) adds to the first.
bool Reader::adds_to_coupling(const FileJoint& joint, const std::array<double, 5>& p) {
  Model& model = built_.scene.model;
  std::size_t next = 0;
  bool of_two = false;
  for (const RobotBody& body : built_.robot.bodies)
    for (const RobotJoint& own : body.joints) {
      const FileJoint& file = built_.joints[next++];
      of_two = of_two || (own.continues && file.joint == joint.joint && file.coordinate == joint.coordinate);
    }
  if (!of_two) return false;
  const auto [first, is_first] =
      joint_notes_.couplings.emplace(std::pair{joint.joint, joint.coordinate}, JointId{model.joints.size()});
  if (is_first) return false;
  CouplingRow& row = model.extras[at(model.joints[first->second].extras)].rows.front();
  row.coordinates[0].polynomial[0] -= p[0];
  for (std::size_t k = 1; k < p.size(); ++k) row.coordinates[1].polynomial[k] -= p[k];
  return true;
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
    if (two != nullptr && adds_to_coupling(joint_named(node, "joint1", *one), p)) return;
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
      const auto found = names_.tendons.find(*name);
      if (found == names_.tendons.end())
        return ledger_.note(node, "", Fate::ignored, fmt::format("tendon '{}' is not modelled", *name));
      if (built_.scene.model.tendons[at(found->second)].is_path())
        return ledger_.note(node, "", Fate::ignored,
                            fmt::format("tendon '{}' is a path: it cannot be held to a length", *name));
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
  built_.scene.joint_places.push_back({node.file, node.line, node.column});
}

}  // namespace catena::mjcf
