// Files in: a scene file becomes a Model, an initial State and Settings.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catena/import/import.h"
#include "catena/model/scene.h"

namespace catena {

// Reads a scene file (YAML 1.2 or JSON). `overrides` are "a.b.c=VALUE" assignments made before the file is understood,
// as if they had been written there. Throws InputError, `file:line:column: what is wrong and what would be right`.
// .xml (MJCF) and .urdf files are scenes too; of those `overrides` may set simulate.… only.
Scene load(const std::filesystem::path& file, const std::vector<std::string>& overrides = {},
           const ImportOptions& import = {});

// The same from text; `name` stands for the file in messages, `folder` is where includes and meshes are looked for.
Scene load_text(std::string_view text, const std::string& name = "scene", const std::filesystem::path& folder = ".",
                const std::vector<std::string>& overrides = {}, const ImportOptions& import = {});

}  // namespace catena
