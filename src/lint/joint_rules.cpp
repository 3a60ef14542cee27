// Rules about joints: axes, anchors, limits, loops.
#include <algorithm>
#include <map>
#include <numbers>

#include "catena/import/numbers.h"
#include "catena/import/xml_tree.h"
#include "catena/lint/linter.h"
#include "catena/simulation/simulation.h"

namespace catena::rules {
namespace {

constexpr double kNone = 1e299;  // limits that are none

// Calls f with every coordinate that has limits.
template <class F>
void each_limit(Linter& l, const F& f) {
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    for (int k = 0; k < coordinate_count(joint); ++k)
      if (const Limits* limits = l.law(JointId{j}, k).limits) f(JointId{j}, k, *limits);
  }
}

double bounds(double x) { return std::abs(x) < kNone ? std::abs(x) : 0; }

}  // namespace

void degrees(Linter& l) {
  each_limit(l, [&](JointId joint, int k, const Limits& limits) {
    const double most = std::max(bounds(limits.lower), bounds(limits.upper));
    if (l.turns(joint, k) && most > 6 * std::numbers::pi)
      l.say(joint, fmt::format("{} has a limit of {:.4g} rad, {:.3g} turns", l.name(joint, k), most,
                               most / (2 * std::numbers::pi)));
  });
}

void start_outside_limits(Linter& l) {
  each_limit(l, [&](JointId joint, int k, const Limits& limits) {
    const double q = l.start(joint, k), slack = 1e-6 * (1 + std::abs(q));
    if (q < limits.lower - slack || q > limits.upper + slack)
      l.say(joint, fmt::format("{} starts at {:.4g} {}, outside its limits {:.4g} to {:.4g}", l.name(joint, k), q,
                               l.unit(joint, k), limits.lower, limits.upper));
  });
}

void limits_without_width(Linter& l) {
  each_limit(l, [&](JointId joint, int k, const Limits& limits) {
    if (limits.upper - limits.lower < 1e-9)
      l.say(joint, fmt::format("{} may only be at {:.4g} {}: its limits are equal", l.name(joint, k), limits.lower,
                               l.unit(joint, k)));
  });
}

void loop_cannot_close(Linter& l) {
  if (!l.refusal().empty()) l.say(l.refusal());
}

void start_not_closed(Linter& l) {
  if (l.simulation() == nullptr) return;
  State written = l.simulation()->state();
  written.bodies = l.initial().bodies;
  const Drift drift = l.simulation()->drift_of(written);
  if (drift.scaled > 0.01 && drift.worst.valid())
    l.say(drift.worst,
          fmt::format("joint '{}' is open by {:.3g} m and {:.3g} rad as written; the start was moved to close it",
                      l.model().joints[drift.worst].name, drift.position, drift.angle));
}

// Of URDF and SDF, which ask for unit vectors; a joint that does not move may have any.
void axis_not_unit(Linter& l) {
  const std::string& source = l.scene().source;
  if (l.scene().ledger.empty() || source.find('<') == std::string::npos) return;
  XmlTree tree;
  try {
    tree = parse_xml(source, l.scene().files.empty() ? "scene" : l.scene().files.front(), ".");
  } catch (const InputError&) {
    return;  // a format other than XML
  }
  const auto look = [&](const XmlNode& node, const std::string& text) {
    std::vector<double> x;
    try {
      x = read_numbers(tree, node, "axis", text);
    } catch (const InputError&) {
      return;
    }
    if (x.size() != 3) return;
    const double length = norm(Vec3{x[0], x[1], x[2]});
    if (length > 0 && std::abs(length - 1) > 0.02)
      l.say(fmt::format("line {}: axis {} has length {:.4g}", node.line, text, length));
  };
  const auto walk = [&](const auto& self, const XmlNode& node) -> void {
    if (node.name == "axis" || node.name == "axis2") {
      if (const std::string* xyz = node.find("xyz")) look(node, *xyz);
      if (const XmlNode* xyz = node.child("xyz")) look(*xyz, xyz->text);
    }
    for (const XmlNode& child : node.children) self(self, child);
  };
  walk(walk, tree.root);
}

void zero_distance(Linter& l) {
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    if (joint.kind == JointKind::distance && joint.parameter < 1e-9)
      l.say(JointId{j}, fmt::format("joint '{}' keeps a distance of {:.3g} m, which has no direction", joint.name,
                                    joint.parameter));
  }
}

void anchor_far_away(Linter& l) {
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    const auto look = [&](BodyId body, const Vec3& anchor) {
      if (!body.valid()) return;
      const Body& b = l.model().bodies[body];
      double size = gyration(b);
      if (size == 0) return;
      for (const Shape& shape : b.shapes) size = std::max(size, reach(shape));
      if (norm(anchor) > 1000 * size)
        l.say(JointId{j},
              fmt::format("joint '{}' is {:.3g} m from the centre of mass of body '{}', which has a size of {:.3g} m",
                          joint.name, norm(anchor), b.name, size));
    };
    look(joint.a, joint.anchor_a);
    look(joint.b, joint.anchor_b);
  }
}

void joint_twice(Linter& l) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> between;
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    if (joint.kind == JointKind::coupling) continue;
    std::vector<std::size_t>& others = between[{joint.a.value(), joint.b.value()}];
    for (const std::size_t i : others) {
      const Joint& other = l.model().joints[i];
      if (other.kind == joint.kind && norm(other.anchor_a - joint.anchor_a) < 1e-9 &&
          norm(other.anchor_b - joint.anchor_b) < 1e-9 &&
          norm((other.frame_a.conjugate() * joint.frame_a).vec()) < 1e-9 && other.parameter == joint.parameter)
        l.say(JointId{j}, fmt::format("joint '{}' is the same as joint '{}'", joint.name, other.name));
    }
    others.push_back(j);
  }
}

void odd_ratio(Linter& l) {
  for (std::size_t j = 0; j < l.model().joints.size(); ++j) {
    const Joint& joint = l.model().joints[j];
    const double x = std::abs(joint.parameter);
    if (joint.kind == JointKind::gear && (x == 0 || x > 1e4))
      l.say(JointId{j}, fmt::format("joint '{}' is a gear with a ratio of {:.4g}", joint.name, joint.parameter));
    if (joint.kind == JointKind::screw && (x == 0 || x > 1))
      l.say(JointId{j}, fmt::format("joint '{}' is a screw with a pitch of {:.4g} m/rad", joint.name, joint.parameter));
  }
}

void keyframe_outside_limits(Linter& l) {
  for (const Keyframe& key : l.model().keyframes)
    each_limit(l, [&](JointId joint, int k, const Limits& limits) {
      const double q = key.coordinates[joint][static_cast<std::size_t>(k)], slack = l.turns(joint, k) ? 0.02 : 0.002;
      if (q < limits.lower - slack || q > limits.upper + slack)
        l.say(joint, fmt::format("keyframe '{}': {} is at {:.4g} {}, outside its limits {:.4g} to {:.4g}", key.name,
                                 l.name(joint, k), q, l.unit(joint, k), limits.lower, limits.upper));
    });
}

}  // namespace catena::rules
