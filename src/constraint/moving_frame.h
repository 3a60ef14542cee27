// Frame A of a joint while it moves in its body (model/joint.h, FrameMotion).
//
// The frame is carried by a rigid thing that moves over body a: V' = V_a + V_rel, taken at the centre of mass of a. The rows of a joint
// are functions of the two frames, so with the carrier in the place of body a
//     phi̇ = J_a V' + J_b V_b,                so  J v = phi̇ − J_a V_rel                 (u)
//     phï = J_a V̇' + J_b V̇_b + c(V', V_b),   V̇' = V̇_a + bias                          (c)
// hold for every kind of joint, and no kind has to know of it.                                                    Baraff §4.2
#pragma once

#include "catena/constraint/joint_pose.h"

namespace catena {

struct MovingFrame {
  JointGeometry geometry;  // of the joint at this time
  Placement carrier;       // stands for body a
  BodyVector velocity;     // V_rel, world axes, at the centre of mass of a
  BodyVector bias;         // V̇' − V̇_a

  MovingFrame(const Joint& joint, const FrameMotion& moves, const Placement& a, const State& state);

  // Rows evaluated with the carrier become rows of body a.
  void correct(Rows& rows) const;
};

// Frame A at a state's time, in the coordinates of body a.
struct FramePose {
  Vec3 anchor{};
  Quat frame{};
};
FramePose frame_at(const Joint& joint, const FrameMotion& moves, const State& state);

// Where a frame that is led by hand is at a time, and how it moves (State::guides). At `since` it has begun to move, at `until` it stands.
struct GuidedPose {
  FramePose pose;
  Vec3 velocity{}, angular{};  // coordinates of body a
};
GuidedPose guided_at(const Guide& guide, double time);

}  // namespace catena
