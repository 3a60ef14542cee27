#include "catena/import/usda_joints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/import/numbers.h"
#include "catena/math/elementary.h"

namespace catena {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// Rotations are written in single precision: directions nearer than a few of its units are one direction.
constexpr double kSame = 1e-6;

constexpr std::size_t kMostJoints = 100'000;

double twist(const Quat& q, const Vec3& axis) { return 2 * portable::atan2(dot(q.vec(), axis), q.w); }

double nearest_turn(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

}  // namespace

std::optional<double> UsdJoints::number(const XmlNode& prim, const std::string& key) const {
  const std::string* text = prim.find(key);
  if (text == nullptr || text->empty() || text->ends_with("inf")) return {};
  return read_one(tree_, prim, key, *text);
}

UsdJoints::End UsdJoints::end(const XmlNode& prim, const char* which) const {
  const std::string digit = which;
  End out;
  Pose base;
  if (const std::string* path = prim.find("physics:body" + digit);
      path != nullptr && !path->empty() && *path != "None") {
    const std::optional<UsdPlace> place = place_of_(*path);
    if (!place) fail(tree_, prim, fmt::format("physics:body{}: there is no prim <{}>", digit, *path));
    out.body = place->body;
    base = place->world;
  }
  Pose local;
  if (const std::string* text = prim.find("physics:localPos" + digit))
    local.p = length_ * read_three(tree_, prim, "localPos", *text);
  if (const std::string* text = prim.find("physics:localRot" + digit)) {
    const std::vector<double> x = read_numbers(tree_, prim, "localRot", *text, 4, 4);
    const Quat q{x[0], x[1], x[2], x[3]};
    if (norm(q) > 1e-9) local.q = normalized(q);
  }
  out.frame = base * local;
  return out;
}

// Mechanisms with parallel axes cannot move where rounding leaves the axes a little askew.
Vec3 UsdJoints::direction(const Vec3& axis) {
  for (const Vec3& known : directions_) {
    if (norm(known - axis) < kSame) return known;
    if (norm(known + axis) < kSame) return -known;
  }
  directions_.push_back(axis);
  return axis;
}

Limits UsdJoints::limits(const XmlNode& prim, const std::string& low, const std::string& high, double unit) const {
  Limits out;
  if (const auto x = number(prim, low)) out.lower = unit * *x;
  if (const auto x = number(prim, high)) out.upper = unit * *x;
  return out;
}

bool UsdJoints::simple(const XmlNode& prim, const End& a, const End& b, JointSpec& spec) {
  const std::string* letter = prim.find("physics:axis");
  const Vec3 along = letter != nullptr && *letter == "Y" ? Vec3{0, 1, 0}
                   : letter != nullptr && *letter == "Z" ? Vec3{0, 0, 1}
                                                         : Vec3{1, 0, 0};
  const bool turns = prim.name == "PhysicsRevoluteJoint", slides = prim.name == "PhysicsPrismaticJoint";
  if (turns || slides) {
    spec.kind = turns ? JointKind::hinge : JointKind::slider;
    spec.axis = direction(rotate(b.frame.q, along));
    const double unit = turns ? kDegree : length_;
    const Limits bounds = limits(prim, "physics:lowerLimit", "physics:upperLimit", unit);
    if (bounds.lower > -1e299 || bounds.upper < 1e299) spec.extras.limits = bounds;
    spec.extras.start[0] =
        turns ? nearest_turn(twist(a.frame.q.conjugate() * b.frame.q, along)) : dot(b.frame.p - a.frame.p, *spec.axis);
    if (std::abs(spec.extras.start[0]) < kSame) spec.extras.start[0] = 0;
    if (const auto x = number(prim, "physxJoint:armature"))
      spec.extras.armature[0] = *x * mass_ * (turns ? length_ * length_ : 1);
    if (const auto x = number(prim, "physxJoint:jointFriction")) spec.extras.friction = *x;
    return true;
  }
  if (prim.name == "PhysicsFixedJoint") {
    spec.kind = JointKind::weld;
    return true;
  }
  if (prim.name == "PhysicsSphericalJoint") {
    spec.kind = JointKind::ball;
    spec.axis = rotate(b.frame.q, along);
    const double cone = std::max(number(prim, "physics:coneAngle0Limit").value_or(-1),
                                 number(prim, "physics:coneAngle1Limit").value_or(-1));
    if (cone > 0) {
      Limits bounds;
      bounds.cone = kDegree * cone;
      spec.extras.limits = bounds;
    }
    return true;
  }
  if (prim.name == "PhysicsDistanceJoint") {
    spec.kind = JointKind::distance;
    spec.anchors = {a.frame.p, b.frame.p};
    return true;
  }
  return false;
}

// Travels along x, y, z of the first frame, then turns about them: those that no limit locks.
bool UsdJoints::general(const XmlNode& prim, const End& a, JointSpec& spec) {
  int turns = 0, travels = 0;
  for (const bool slides : {true, false})
    for (int k = 0; k < 3; ++k) {
      const std::string key = fmt::format("limit:{}{}:physics:", slides ? "trans" : "rot", "XYZ"[k]);
      const double unit = slides ? length_ : kDegree;
      Limits bounds = limits(prim, key + "low", key + "high", unit);
      if (bounds.lower > bounds.upper) continue;
      Freedom f{.name = fmt::format("{}_{}{}", spec.name, slides ? "t" : "r", "xyz"[k]), .slides = slides};
      f.axis = direction(rotate(a.frame.q, Vec3{k == 0 ? 1.0 : 0, k == 1 ? 1.0 : 0, k == 2 ? 1.0 : 0}));
      f.anchor = a.frame.p;
      // Half a turn either way is all there is.
      const bool bounded =
          slides ? bounds.lower > -1e299 || bounds.upper < 1e299
                 : bounds.lower > -std::numbers::pi * (1 - 1e-9) || bounds.upper < std::numbers::pi * (1 - 1e-9);
      if (bounded) f.limits = bounds;
      (slides ? travels : turns) += 1;
      spec.freedoms.push_back(f);
    }
  if (turns + travels == 6) return false;
  if (spec.freedoms.empty()) {
    spec.kind = JointKind::weld;
  } else if (turns == 3 && travels == 0) {
    spec.kind = JointKind::ball;
    spec.axis = rotate(a.frame.q, Vec3{0, 0, 1});
    for (const Freedom& f : spec.freedoms)
      if (f.limits) ledger_.note(prim, "", Fate::approximated, "a ball joint: its limits by axis are left out");
    spec.freedoms.clear();
  } else {
    spec.kind = JointKind::compound;
  }
  return true;
}

void UsdJoints::add(const XmlNode& prim) {
  if (number(prim, "physics:jointEnabled").value_or(1) == 0) return ledger_.note(prim, "", Fate::used, "not enabled");
  for (const char* end_of : {"physics:breakForce", "physics:breakTorque"})
    if (prim.find(end_of) != nullptr && !number(prim, end_of)) ledger_.note(prim, end_of, Fate::used, "");
  if (prim.find("physics:collisionEnabled") != nullptr && number(prim, "physics:collisionEnabled") == 0)
    ledger_.note(prim, "physics:collisionEnabled", Fate::used, "");
  const End a = end(prim, "0"), b = end(prim, "1");
  if (a.body == b.body) return ledger_.note(prim, "", Fate::used, "both ends are parts of one body");
  JointSpec spec{.name = *prim.find("name")};
  if (norm(a.frame.p - b.frame.p) > 0) spec.anchors = {a.frame.p, b.frame.p};
  else spec.anchor = b.frame.p;
  if (number(prim, "physics:excludeFromArticulation").value_or(0) != 0) spec.primary = false;
  const bool known = prim.name == "PhysicsJoint" ? general(prim, a, spec) : simple(prim, a, b, spec);
  if (!known)
    return ledger_.note(prim, "", prim.name == "PhysicsJoint" ? Fate::used : Fate::ignored,
                        "holds nothing that is understood");
  if (spec.kind == JointKind::compound) {
    spec.anchors.reset();
    spec.anchor = b.frame.p;
  }
  const JointId id{built_.scene.model.joints.size()};
  const std::string wanted = spec.name;
  for (int k = 2; !names_.insert(spec.name).second; ++k) spec.name = fmt::format("{}_{}", wanted, k);
  if (names_.size() > kMostJoints) fail(tree_, prim, fmt::format("more than {} joints", kMostJoints));
  try {
    append_joint(built_.scene.model, built_.scene.initial, spec, a.body, b.body);
  } catch (const InputError& error) {
    fail(tree_, prim, error.what());
  }
  built_.scene.joint_places.push_back({prim.file, prim.line, prim.column});
  if (spec.kind == JointKind::hinge || spec.kind == JointKind::slider) drive(prim, id, spec.kind == JointKind::hinge);
}

// force = stiffness (target − q) − damping (q̇ − target velocity); of turns, angles are degrees and gains per degree.
void UsdJoints::drive(const XmlNode& prim, JointId joint, bool turns) {
  const std::string key = turns ? "drive:angular:physics:" : "drive:linear:physics:";
  const double force = mass_ * length_ * (turns ? length_ : 1), unit = turns ? kDegree : length_;
  const double kp = number(prim, key + "stiffness").value_or(0) * force / unit,
               kv = number(prim, key + "damping").value_or(0) * force / unit;
  const std::optional<double> most = number(prim, key + "maxForce");
  const double target = unit * number(prim, key + "targetPosition").value_or(0),
               speed = unit * number(prim, key + "targetVelocity").value_or(0);
  if (const std::string* type = prim.find(key + "type"); type != nullptr && *type == "acceleration")
    ledger_.note(prim, key + "type", Fate::approximated, "gains are read as those of a force");
  if (kp == 0 && kv == 0) return;
  Actuator a;
  a.joint = joint;
  a.kind = kp > 0 ? Actuator::Kind::position : Actuator::Kind::velocity;
  a.kp = kp;
  a.kv = kv;
  if (most) a.limit = *most * force;
  // kp (s − q) − kv q̇ with s = target + kv/kp of the target's velocity.
  a.signal = Constant{kp > 0 ? target + kv * speed / kp : speed};
  if (kp < 0 || kv < 0 || a.limit < 0)
    fail(tree_, prim, "stiffness, damping and maxForce of a drive must not be negative");
  built_.scene.model.actuators.push_back(a);
}

}  // namespace catena
