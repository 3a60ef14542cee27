#include "catena/import/sdf_frames.h"

#include <fmt/format.h>

#include <numbers>

#include "catena/import/numbers.h"

namespace catena {

void SdfFrames::add(const std::string& name, const std::string& scope, const Pose& pose, const std::string& relative,
                    const std::string& attached, const XmlNode& node) {
  if (!frames_.emplace(name, Frame{scope, relative, attached, pose, &node}).second)
    fail(tree_, node, fmt::format("the name '{}' is taken by another link, joint, frame or model", name));
}

std::string SdfFrames::find(const std::string& name, const std::string& scope, const XmlNode& node) const {
  if (name == "world") return name;
  if (name == "__model__" && !scope.empty()) return scope.substr(0, scope.size() - 2);
  if (frames_.contains(scope + name)) return scope + name;
  if (frames_.contains(name)) return name;
  fail(tree_, node, fmt::format("there is no link, joint, frame or model '{}'", name.substr(0, 80)));
}

const SdfFrames::Frame& SdfFrames::at(const std::string& name) const { return frames_.at(name); }

// By a list, not by recursion: files may chain frames as long as they like.
Pose SdfFrames::world(const std::string& name) const {
  std::vector<const Frame*> open;
  std::string next = name;
  Pose base{};
  while (next != "world") {
    const Frame& frame = at(next);
    if (frame.state == 2) {
      base = frame.world;
      break;
    }
    if (frame.state == 1) fail(tree_, *frame.node, fmt::format("the pose of '{}' depends on itself", next));
    frame.state = 1;
    open.push_back(&frame);
    next = frame.relative.empty() ? "world" : find(frame.relative, frame.scope, *frame.node);
  }
  for (std::size_t i = open.size(); i-- > 0;) {
    base = base * open[i]->pose;
    open[i]->world = base;
    open[i]->state = 2;
  }
  return base;
}

std::string SdfFrames::link_of(const std::string& name) const {
  std::string next = name;
  for (std::size_t k = 0; next != "world"; ++k) {
    const Frame& frame = at(next);
    if (frame.attached.empty()) return next;
    if (k > frames_.size()) fail(tree_, *frame.node, fmt::format("'{}' is attached to itself", name));
    next = find(frame.attached, frame.scope, *frame.node);
  }
  return next;
}

Pose read_sdf_pose(const XmlTree& tree, const XmlNode* pose) {
  if (pose == nullptr) return {};
  const std::string* format = pose->find("rotation_format");
  const bool quaternion = format != nullptr && *format == "quat_xyzw";
  const std::vector<double> x = read_numbers(tree, *pose, "pose", pose->text);
  if (x.empty()) return {};
  if (x.size() != (quaternion ? 7u : 6u))
    fail(tree, *pose, fmt::format("pose: {} numbers are expected, not {}", quaternion ? 7 : 6, x.size()));
  const Vec3 p{x[0], x[1], x[2]};
  if (quaternion) {
    const Quat q{x[6], x[3], x[4], x[5]};
    if (!(norm(q) > 1e-9)) fail(tree, *pose, "pose: the quaternion has no length");
    return {p, normalized(q)};
  }
  const std::string* degrees = pose->find("degrees");
  const double unit = degrees != nullptr && read_flag(tree, *pose, "degrees", *degrees) ? std::numbers::pi / 180 : 1;
  return {p, from_rpy({unit * x[3], unit * x[4], unit * x[5]})};
}

}  // namespace catena
