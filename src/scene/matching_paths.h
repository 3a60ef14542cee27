// Paths of a scene by pattern: joints.*.damping stands for that of every joint written there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace catena {

// The paths that `pattern` matches, in the scene's order; '*' stands for any part of one key or index. A path without '*' is its only match,
// whether it is there or not: an assignment may add it. After the last part with a '*' the rest need not be there either. Throws
// InputError when a pattern matches nothing.
std::vector<std::string> matching_paths(std::string_view text, const std::string& name,
                                        const std::filesystem::path& folder, const std::string& pattern);

// Of a list of paths those that a pattern matches part by part. Throws InputError when there are none.
std::vector<std::string> matching(const std::vector<std::string>& paths, const std::string& pattern);

}  // namespace catena
