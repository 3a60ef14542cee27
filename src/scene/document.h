// A scene's text made whole before it is understood: files included, overrides made.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catena/scene/value.h"

namespace catena {

// The map at the top of the scene, with everything its `include:` names merged in front of it and `overrides` ("a.b.c=VALUE")
// made. The sources of all its values are kept in `sources`.
Value read_document(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                    const std::vector<std::string>& overrides, Sources& sources);

}  // namespace catena
