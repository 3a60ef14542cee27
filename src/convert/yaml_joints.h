// Joints as scene files have them.
#pragma once

#include <string>

#include "catena/convert/writing.h"

namespace catena {

// An entry of `joints:`, on one line. Anchors and axes are those of the world at t = 0.
std::string joint_text(const Scene& scene, const Joint& joint, Losses& losses);

}  // namespace catena
