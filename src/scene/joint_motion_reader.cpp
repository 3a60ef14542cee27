#include "catena/scene/joint_motion_reader.h"

#include <array>

#include "catena/scene/draft.h"
#include "catena/scene/quantity.h"

namespace catena {
namespace {

std::vector<double> read_times(const Value& value) {
  if (value.is_scalar()) return {read_number(value, "at", quantity::kTime)};
  std::vector<double> out;
  for (const Value& item : read_list(value, "at")) out.push_back(read_number(item, "at", quantity::kTime));
  return out;
}

}  // namespace

FrameMotion read_frame_motion(const Value& value) {
  FrameMotion out;
  if (value.is_scalar()) {
    out.guide = read_choice(value, "moves", std::array<std::pair<std::string_view, int>, 1>{{{"guided", 0}}});
    return out;
  }
  const Fields fields(value, "moves", {"x", "y", "z", "axis", "angle"});
  const char* names[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k)
    if (const Value* v = fields.find(names[k])) out.shift[k] = Motion(read_signal(*v, names[k], quantity::kLength));
  if (const Value* v = fields.find("angle")) out.angle = Motion(read_signal(*v, "angle", quantity::kAngle));
  if (const Value* v = fields.find("axis")) {
    const Vec3 axis = read_vec3(*v, "axis", quantity::kNumber);
    if (!(norm(axis) > 0)) fail(v->at, "axis: (0, 0, 0) has no direction; give a vector that is not zero");
    out.axis = axis / norm(axis);
  }
  return out;
}

std::optional<Switching> read_switching(const Fields& fields) {
  if (!fields.has("attach") && !fields.has("detach") && !fields.has("attached")) return std::nullopt;
  Switching out;
  out.attached = fields.flag("attached", !fields.has("attach"));
  if (const Value* v = fields.find("attach")) {
    const Fields attach(*v, "attach", {"at", "within", "pose", "over"});
    if (const Value* at = attach.find("at")) out.attach = read_times(*at);
    if (const Value* within = attach.find("within")) out.within = read_number(*within, "within", quantity::kLength);
    if (const Value* pose = attach.find("pose"))
      out.pose = read_choice(*pose, "pose",
                             std::array<std::pair<std::string_view, Switching::Pose>, 2>{
                                 {{"close", Switching::Pose::close}, {"keep", Switching::Pose::keep}}});
    out.over = attach.number("over", quantity::kTime, 0);
  }
  if (const Value* v = fields.find("detach")) {
    const Fields detach(*v, "detach", {"at", "force", "torque"});
    if (const Value* at = detach.find("at")) out.detach = read_times(*at);
    if (const Value* force = detach.find("force")) out.force = read_number(*force, "force", quantity::kForce);
    if (const Value* torque = detach.find("torque")) out.torque = read_number(*torque, "torque", quantity::kTorque);
  }
  return out;
}

}  // namespace catena
