#include "catena/import/sdf_joints.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "catena/import/numbers.h"

namespace catena {
namespace {

constexpr double kNone = 1e15;  // limits and efforts beyond are none

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

double SdfJoints::number(const XmlNode* node, const char* name, double otherwise) const {
  const XmlNode* child = node != nullptr ? node->child(name) : nullptr;
  if (child == nullptr) return otherwise;
  const std::string text = trimmed(child->text);
  if (text == "inf" || text == "-inf") return text == "inf" ? 1e16 : -1e16;
  return read_one(tree_, *child, name, text);
}

std::string SdfJoints::short_name(const std::string& name) const {
  return !prefix_.empty() && name.starts_with(prefix_) ? name.substr(prefix_.size()) : name;
}

Vec3 SdfJoints::axis(const SdfJoint& joint, const char* name) const {
  const XmlNode* node = joint.node->child(name);
  const XmlNode* xyz = node != nullptr ? node->child("xyz") : nullptr;
  std::string frame = joint.name;
  Vec3 out{0, 0, 1};
  if (xyz != nullptr) {
    out = read_three(tree_, *xyz, "xyz", xyz->text);
    if (!(norm(out) > 1e-12)) fail(tree_, *xyz, "xyz: has no direction");
    if (const std::string* in = xyz->find("expressed_in"); in != nullptr && !in->empty())
      frame = frames_.find(*in, joint.scope, *xyz);
  }
  if (node != nullptr)
    if (const XmlNode* old = node->child("use_parent_model_frame");
        old != nullptr && read_flag(tree_, *old, old->name, trimmed(old->text)))
      frame = frames_.find("__model__", joint.scope, *node);
  return rotate(frame == "world" ? Quat{} : frames_.world(frame).q, normalized(out));
}

Freedom SdfJoints::freedom(const SdfJoint& joint, const char* name, bool slides) const {
  Freedom out{.name = short_name(joint.name),
              .slides = slides,
              .axis = axis(joint, name),
              .anchor = frames_.world(joint.name).p};
  const XmlNode* node = joint.node->child(name);
  if (node == nullptr) return out;
  const XmlNode *limit = node->child("limit"), *dynamics = node->child("dynamics");
  Limits limits;
  const double lower = number(limit, "lower", -1e16), upper = number(limit, "upper", 1e16);
  if (lower > upper) fail(tree_, *limit, fmt::format("lower {} is above upper {}", lower, upper));
  if (lower > -kNone) limits.lower = lower;
  if (upper < kNone) limits.upper = upper;
  if (joint.type != "continuous" && (lower > -kNone || upper < kNone)) out.limits = limits;
  out.damping = number(dynamics, "damping", 0);
  out.friction = number(dynamics, "friction", 0);
  out.stiffness = number(dynamics, "spring_stiffness", 0);
  out.rest = number(dynamics, "spring_reference", 0);
  if (out.damping < 0 || out.friction < 0 || out.stiffness < 0)
    fail(tree_, *dynamics, "damping, friction and spring_stiffness must not be negative");
  return out;
}

void SdfJoints::append(const SdfJoint& joint, const JointSpec& spec, BodyId a, BodyId b) try {
  joints_[joint.name] = append_joint(built_.scene.model, built_.scene.initial, spec, a, b);
  built_.scene.joint_places.push_back({joint.node->file, joint.node->line, joint.node->column});
} catch (const InputError& error) {
  fail(tree_, *joint.node, error.what());
}

void SdfJoints::add(const SdfJoint& joint) {
  if (joint.type == "fixed") return;
  if (joint.type == "gearbox") return add_gearbox(joint);
  const BodyId a = body_of_(joint.parent, joint), b = body_of_(joint.child, joint);
  if (a == b) return ledger_.note(*joint.node, "", Fate::used, "both links are parts of one body");
  JointSpec spec{.name = short_name(joint.name)};
  spec.anchor = frames_.world(joint.name).p;
  const bool slides = joint.type == "prismatic";
  if (joint.type == "revolute" || joint.type == "continuous" || slides) {
    const Freedom f = freedom(joint, "axis", slides);
    spec.kind = slides ? JointKind::slider : JointKind::hinge;
    spec.axis = f.axis;
    spec.extras.limits = f.limits;
    spec.extras.damping = f.damping, spec.extras.friction = f.friction;
    spec.extras.stiffness = f.stiffness, spec.extras.rest = f.rest;
  } else if (joint.type == "universal" || joint.type == "revolute2") {
    spec.kind = JointKind::compound;
    spec.freedoms = {freedom(joint, "axis", false), freedom(joint, "axis2", false)};
    spec.freedoms[1].name += "_1";
  } else if (joint.type == "ball") {
    spec.kind = JointKind::ball;
    spec.axis = rotate(frames_.world(joint.name).q, Vec3{0, 0, 1});
  } else if (joint.type == "screw") {
    spec.kind = JointKind::screw;
    spec.axis = axis(joint, "axis");
    const double old = number(joint.node, "thread_pitch", 1);
    if (old == 0) fail(tree_, *joint.node, "thread_pitch: must not be zero");
    spec.pitch = joint.node->child("screw_thread_pitch") != nullptr
                   ? number(joint.node, "screw_thread_pitch", 0) / (2 * std::numbers::pi)
                   : -1 / old;
  } else {
    fail(tree_, *joint.node,
         fmt::format("joint '{}': type '{}' is not one of revolute, continuous, prismatic, ball, universal, revolute2, "
                     "fixed, screw, "
                     "gearbox",
                     joint.name, joint.type));
  }
  append(joint, spec, a, b);
  if (spec.kind == JointKind::ball || spec.kind == JointKind::screw) return;
  add_control(joint, joint.node->child("axis"), joints_[joint.name], 0, spec.name);
  if (spec.kind == JointKind::compound)
    add_control(joint, joint.node->child("axis2"), joints_[joint.name], 1, spec.name + "_1");
}

// θ₂ = −ratio θ₁, the turns of child and parent from the reference body about axis2 and axis: as rates, over the three bodies,
//     axis2·(ω_c − ω_r) + ratio axis·(ω_p − ω_r) = 0
void SdfJoints::add_gearbox(const SdfJoint& joint) {
  const XmlNode* reference = joint.node->child("gearbox_reference_body");
  if (reference == nullptr) fail(tree_, *joint.node, "a gearbox needs gearbox_reference_body");
  const double ratio = number(joint.node, "gearbox_ratio", 1);
  const Vec3 one = axis(joint, "axis"), two = joint.node->child("axis2") != nullptr ? axis(joint, "axis2") : one;
  CouplingRow row;
  const auto term = [&](BodyId body, const Vec3& direction) {
    if (!body.valid()) return;
    const Vec3 own = rotate(built_.scene.initial.bodies[body].orientation.conjugate(), direction);
    row.terms.push_back({body, {}, own, true});
  };
  term(body_of_(joint.child, joint), two);
  term(body_of_(joint.parent, joint), ratio * one);
  term(body_of_(trimmed(reference->text), joint), -(two + ratio * one));
  if (row.terms.empty()) return ledger_.note(*joint.node, "", Fate::used, "nothing that it joins moves");
  JointSpec spec{.name = short_name(joint.name), .kind = JointKind::coupling};
  spec.extras.rows.push_back(std::move(row));
  append(joint, spec, kGround, kGround);
}

void SdfJoints::add_control(const SdfJoint& joint, const XmlNode* axis, JointId id, int coordinate,
                            const std::string& name) {
  const XmlNode* limit = axis != nullptr ? axis->child("limit") : nullptr;
  const double effort = number(limit, "effort", -1);
  (void)joint;
  if (effort < 0 || effort > kNone) return;
  Control control;
  control.name = name;
  control.joint = id;
  control.coordinate = coordinate;
  control.force_upper = effort;
  control.force_lower = -effort;
  built_.scene.model.controls.push_back(control);
}

// q − offset = multiplier (q' − reference).
void SdfJoints::add_mimics(const SdfJoint& joint) {
  int coordinate = 0;
  for (const char* which : {"axis", "axis2"}) {
    const XmlNode* axis = joint.node->child(which);
    const XmlNode* node = axis != nullptr ? axis->child("mimic") : nullptr;
    const int own = coordinate++;
    if (node == nullptr || !joints_.contains(joint.name)) continue;
    const std::string* leader = node->find("joint");
    if (leader == nullptr) fail(tree_, *node, "a mimic needs joint=\"…\"");
    const auto found = joints_.find(frames_.find(*leader, joint.scope, *node));
    if (found == joints_.end()) fail(tree_, *node, fmt::format("there is no moving joint '{}' to follow", *leader));
    const std::string* other = node->find("axis");
    CouplingRow row;
    row.coordinates.push_back({joints_[joint.name], own, {-number(node, "offset", 0), 1, 0, 0, 0}});
    row.coordinates.push_back({found->second,
                               other != nullptr && *other == "axis2" ? 1 : 0,
                               {0, -number(node, "multiplier", 1), 0, 0, 0},
                               number(node, "reference", 0)});
    JointSpec spec{.name = fmt::format("{} follows {}", short_name(joint.name), *leader), .kind = JointKind::coupling};
    spec.extras.rows.push_back(std::move(row));
    append_joint(built_.scene.model, built_.scene.initial, spec, kGround, kGround);
    built_.scene.joint_places.push_back({node->file, node->line, node->column});
  }
}

}  // namespace catena
