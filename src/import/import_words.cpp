#include "catena/import/import_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace catena {

std::vector<std::string> import_words(const ImportOptions& options) {
  std::vector<std::string> words;
  if (options.floating) words.emplace_back("floating=yes");
  if (!options.keyframe.empty()) words.push_back("keyframe=" + options.keyframe);
  if (options.mujoco_softness) words.emplace_back("softness=mujoco");
  if (options.missing_meshes) words.emplace_back("missing-meshes=skip");
  for (const auto& [name, folder] : options.packages) words.push_back(fmt::format("package={}={}", name, folder));
  return words;
}

ImportOptions import_options_of(const std::vector<std::string>& words) {
  ImportOptions out;
  for (const std::string& word : words) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
    if (key == "floating") out.floating = true;
    if (key == "keyframe") out.keyframe = value;
    if (key == "softness") out.mujoco_softness = value == "mujoco";
    if (key == "missing-meshes") out.missing_meshes = value == "skip";
    if (const std::size_t second = value.find('='); key == "package" && second != std::string::npos)
      out.packages[value.substr(0, second)] = value.substr(second + 1);
  }
  return out;
}

}  // namespace catena
