#include "catena/constraint/moving_frame.h"

namespace catena {
namespace {

// A vector of signals and its derivatives.
struct Path {
  Vec3 value{}, rate{}, acceleration{};
};

Path path_of(const FrameMotion& moves, double time) {
  Path out;
  for (int k = 0; k < 3; ++k) {
    const std::optional<Motion>& motion = moves.shift[static_cast<std::size_t>(k)];
    if (!motion) continue;
    out.value[k] = motion->value(time);
    out.rate[k] = motion->rate(time);
    out.acceleration[k] = motion->acceleration(time);
  }
  return {rotate(moves.axes, out.value), rotate(moves.axes, out.rate), rotate(moves.axes, out.acceleration)};
}

}  // namespace

FramePose frame_at(const Joint& joint, const FrameMotion& moves, double time) {
  const Vec3 axis = rotate(moves.axes, moves.axis);
  return {joint.anchor_a + path_of(moves, time).value,
          moves.angle ? normalized(exp_rotation(moves.angle->value(time) * axis) * joint.frame_a) : joint.frame_a};
}

MovingFrame::MovingFrame(const Joint& joint, const FrameMotion& moves, const Placement& a, double time)
    : geometry(geometry_of(joint)), carrier(a) {
  const FramePose pose = frame_at(joint, moves, time);
  geometry.anchor_a = pose.anchor;
  geometry.frame_a = to_matrix(pose.frame);
  const Path path = path_of(moves, time);
  // In body a: the point of the carrier that is at the centre of mass just now, and how the carrier turns.
  const Vec3 axis = rotate(moves.axes, moves.axis), arm = -1.0 * pose.anchor;
  const Vec3 turning = moves.angle ? moves.angle->rate(time) * axis : Vec3{};
  const Vec3 speeding = moves.angle ? moves.angle->acceleration(time) * axis : Vec3{};
  const Vec3 along = path.rate + cross(turning, arm);
  const Vec3 pulling = path.acceleration + cross(speeding, arm) + cross(turning, cross(turning, arm));
  velocity = {a.R * along, a.R * turning, 0};
  bias = {2 * cross(a.w, velocity.linear) + a.R * pulling, a.R * speeding + cross(a.w, velocity.angular), 0};
  carrier.v += velocity.linear;
  carrier.w += velocity.angular;
}

void MovingFrame::correct(Rows& rows) const {
  for (int i = 0; i < rows.count; ++i) {
    rows[i].u -= dot(rows[i].a, velocity);
    rows[i].c += dot(rows[i].a, bias);
  }
}

}  // namespace catena
