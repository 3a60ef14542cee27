// Joints that move or switch: the keys `moves`, `attach`, `detach` and `attached` of a joint.
#pragma once

#include <optional>

#include "catena/model/joint.h"
#include "catena/scene/fields.h"

namespace catena {

// moves: {x: signal, y: signal, z: signal, axis: [x, y, z], angle: signal}
FrameMotion read_frame_motion(const Value& value);

// attach: {at: times, within: distance, pose: close|keep, over: time}, detach: {at: times, force: N, torque: N m}, attached: yes|no.
// None of them: nothing.
std::optional<Switching> read_switching(const Fields& fields);

}  // namespace catena
