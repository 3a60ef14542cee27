// Robot files of other formats as scenes: MJCF (.xml), URDF (.urdf), SDF (.sdf, .world), USD text (.usda).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "catena/model/scene.h"

namespace catena {

struct ImportOptions {
  bool floating = false;                          // URDF: the base link is free
  std::map<std::string, std::string> packages{};  // package://NAME/… is looked for in packages[NAME] first
  bool missing_meshes = false;   // shapes whose mesh is not found are left out, also those that collide
  std::string keyframe{};        // start from this one
  bool mujoco_softness = false;  // --softness mujoco
};

// Whether the ending of the name is that of a robot file.
bool is_robot_file(const std::filesystem::path& file);

// Whether the text is that of one, as recordings keep it.
bool is_robot_text(std::string_view text);

// Throws InputError, `file:line: what is wrong and what would be right`.
Scene import_robot(const std::filesystem::path& file, const ImportOptions& options = {});
// The same from text; `name` stands for the file in messages. The outermost element tells the format.
Scene import_robot_text(std::string_view text, const std::string& name, const std::filesystem::path& folder = ".",
                        const ImportOptions& options = {});

std::string_view word_of(Fate fate);  // "used", …
// One line a kind of thing that was approximated or ignored, physics first.
std::vector<std::string> brief(const ImportLedger& ledger);
bool ignores_physics(const ImportLedger& ledger);

// Starts from a named state of the model.
void apply_keyframe(Scene& scene, std::string_view name);

}  // namespace catena
