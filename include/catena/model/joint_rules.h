// Which bodies and numbers the kinds of joints and shapes go with.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.h"

namespace catena {

// How many coordinates a joint of this kind has that motors, limits and actuators can name: hinge 1, ball 3, weld 0, …
int coordinate_count(JointKind kind);  // 0 of a compound joint, which has as many as it has freedoms
int coordinate_count(const Joint& joint);

// Some row of the joint may prescribe a velocity: it has a motor, couples, or has a length or a frame that follows time.
bool prescribes_velocity(const Model& model, const Joint& joint);

// Joints whose frame is led by hand (FrameMotion::guide), in the order of State::guides.
std::vector<JointId> guided_joints(const Model& model);
inline int guide_count(const Model& model) { return static_cast<int>(guided_joints(model).size()); }

// Whether the joint is closed where its two frames coincide.
bool meets_where_frames_coincide(JointKind kind);

// Why the joint cannot be (bodies it cannot join, a radius that is not positive, a motor where nothing moves); empty if it can.
std::string fault_of(const Model& model, const Joint& joint);

// Why the shape cannot be (sizes that are not positive, too few points); empty if it can.
std::string fault_of(const Geometry& geometry);

}  // namespace catena
