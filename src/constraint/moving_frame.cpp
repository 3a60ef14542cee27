#include "catena/constraint/moving_frame.h"

#include <algorithm>
#include <optional>

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

GuidedPose guided_at(const Guide& guide, double time) {
  const double over = guide.until - guide.since;
  const bool moving = over > 0 && time >= guide.since && time < guide.until;
  const double share = over > 0 ? std::clamp((time - guide.since) / over, 0.0, 1.0) : 1;
  GuidedPose out{
      {guide.from + share * (guide.to - guide.from), normalized(exp_rotation(share * guide.turn) * guide.start)}};
  if (moving) out.velocity = (guide.to - guide.from) / over, out.angular = guide.turn / over;
  return out;
}

namespace {

// Of a frame that is led by hand; none: it stands where the model has it.
std::optional<GuidedPose> guided(const FrameMotion& moves, const State& state) {
  const auto index = static_cast<std::size_t>(moves.guide);
  if (moves.guide < 0 || index >= state.guides.size()) return {};
  return guided_at(state.guides[index], state.time);
}

}  // namespace

FramePose frame_at(const Joint& joint, const FrameMotion& moves, const State& state) {
  if (const auto led = guided(moves, state)) return led->pose;
  const Vec3 axis = rotate(moves.axes, moves.axis);
  return {
      joint.anchor_a + path_of(moves, state.time).value,
      moves.angle ? normalized(exp_rotation(moves.angle->value(state.time) * axis) * joint.frame_a) : joint.frame_a};
}

MovingFrame::MovingFrame(const Joint& joint, const FrameMotion& moves, const Placement& a, const State& state)
    : geometry(geometry_of(joint)), carrier(a) {
  const double time = state.time;
  const FramePose pose = frame_at(joint, moves, state);
  geometry.anchor_a = pose.anchor;
  geometry.frame_a = to_matrix(pose.frame);
  Path path = path_of(moves, time);
  // In body a: the point of the carrier that is at the centre of mass just now, and how the carrier turns.
  const Vec3 axis = rotate(moves.axes, moves.axis), arm = -1.0 * pose.anchor;
  Vec3 turning = moves.angle ? moves.angle->rate(time) * axis : Vec3{};
  const Vec3 speeding = moves.angle ? moves.angle->acceleration(time) * axis : Vec3{};
  if (const auto led = guided(moves, state)) path.rate = led->velocity, turning = led->angular;
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
