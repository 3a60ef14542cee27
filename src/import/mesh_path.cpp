#include "catena/import/mesh_path.h"

#include <algorithm>
#include <cstdlib>

namespace catena {

namespace fs = std::filesystem;

std::optional<fs::path> find_mesh(const std::string& name, const fs::path& folder,
                                  const std::map<std::string, std::string>& packages) {
  const auto exists = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error);
  };
  const auto take = [&](const fs::path& file) { return exists(file) ? std::optional(file) : std::nullopt; };
  if (name.starts_with("file://")) return take(name.substr(7));
  const bool package = name.starts_with("package://");
  if (!package && !name.starts_with("model://")) return take(folder / name);
  const std::string rest = name.substr(name.find("://") + 3);
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return {};
  const std::string word = rest.substr(0, slash), inside = rest.substr(slash + 1);
  if (const auto found = packages.find(word); found != packages.end())
    if (exists(fs::path(found->second) / inside)) return fs::path(found->second) / inside;
  const auto search = [&](const char* variable, const char* below) -> std::optional<fs::path> {
    const char* value = std::getenv(variable);
    std::string list = value ? value : "";
    for (std::size_t begin = 0; begin < list.size();) {
      const std::size_t end = std::min(list.find(':', begin), list.size());
      const fs::path file = fs::path(list.substr(begin, end - begin)) / below / word / inside;
      if (exists(file)) return file;
      begin = end + 1;
    }
    return {};
  };
  if (auto found = search("ROS_PACKAGE_PATH", "")) return found;
  if (auto found = search("AMENT_PREFIX_PATH", "share")) return found;
  if (auto found = search("GZ_SIM_RESOURCE_PATH", "")) return found;
  // The package the file itself is in.
  fs::path up = fs::absolute(folder.empty() ? fs::path(".") : folder).lexically_normal();
  for (int k = 0; k < 64 && !up.empty(); ++k, up = up.parent_path()) {
    if (exists(up / "package.xml") && exists(up / inside)) return up / inside;
    if (up.filename() == word && exists(up / inside)) return up / inside;
    if (exists(up / word / inside)) return up / word / inside;
    if (up == up.root_path()) break;
  }
  return {};
}

}  // namespace catena
