// A member of an ensemble as a scene.
#pragma once

#include <string>
#include <vector>

#include "catena/model/scene.h"

namespace catena::cli {

// Of "DIR:NUMBER"; `overrides` are its values.
Scene load_member(const std::string& text, std::vector<std::string>& overrides);

}  // namespace catena::cli
