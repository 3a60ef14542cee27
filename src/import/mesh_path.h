// Where the meshes are that URDF and SDF name.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace catena {

// package://NAME/rest and model://NAME/rest by `packages`, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GZ_SIM_RESOURCE_PATH or the package the
// folder itself is in; file:///path; or a path beside the file. Nothing where there is no such file.
std::optional<std::filesystem::path> find_mesh(const std::string& name, const std::filesystem::path& folder,
                                               const std::map<std::string, std::string>& packages);

}  // namespace catena
