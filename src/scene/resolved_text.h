// A scene's values as text again: what a recording keeps of a scene that was put together from includes and overrides.
#pragma once

#include <filesystem>
#include <string>

#include "catena/scene/value.h"

namespace catena {

// YAML that reads back to the same values. Meshes are named relative to `folder`, that of the scene file.
std::string resolved_text(const Value& root, const std::filesystem::path& folder);

}  // namespace catena
