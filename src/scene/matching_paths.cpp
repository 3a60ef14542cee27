#include "catena/scene/matching_paths.h"

#include <fmt/format.h>

#include <algorithm>

#include "catena/model/error.h"
#include "catena/model/model.h"
#include "catena/scene/document.h"

namespace catena {
namespace {

// '*' stands for any characters, none as well.
bool matches(std::string_view pattern, std::string_view word) {
  if (pattern.empty()) return word.empty();
  if (pattern.front() != '*')
    return !word.empty() && pattern.front() == word.front() && matches(pattern.substr(1), word.substr(1));
  for (std::size_t skip = 0; skip <= word.size(); ++skip)
    if (matches(pattern.substr(1), word.substr(skip))) return true;
  return false;
}

// Follows the pattern from `here`, of which `path` names the place.
void follow(const Value& here, const std::string& path, std::string_view pattern, std::vector<std::string>& found) {
  if (pattern.find('*') == std::string_view::npos) {
    found.push_back(path + (path.empty() || pattern.empty() ? "" : ".") + std::string(pattern));
    return;
  }
  const std::size_t dot = pattern.find('.');
  const std::string_view part = pattern.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? std::string_view{} : pattern.substr(dot + 1);
  const auto visit = [&](const std::string& word, const Value& inside) {
    if (matches(part, word)) follow(inside, path + (path.empty() ? "" : ".") + word, rest, found);
  };
  if (here.is_map())
    for (std::size_t i = 0; i < here.keys.size(); ++i) visit(here.keys[i].text, here.items[i]);
  else if (here.is_list())
    for (std::size_t i = 0; i < here.items.size(); ++i) visit(std::to_string(i), here.items[i]);
}

}  // namespace

std::vector<std::string> matching_paths(std::string_view text, const std::string& name,
                                        const std::filesystem::path& folder, const std::string& pattern) {
  if (pattern.find('*') == std::string::npos) return {pattern};
  Sources sources;
  const Value root = read_document(text, name, folder, {}, sources);
  std::vector<std::string> found;
  follow(root, "", pattern, found);
  if (found.empty()) throw InputError(fmt::format("'{}' matches nothing in {}", pattern, name));
  return found;
}

std::vector<std::string> matching(const std::vector<std::string>& paths, const std::string& pattern) {
  const auto dots = [](std::string_view text) { return std::count(text.begin(), text.end(), '.'); };
  std::vector<std::string> found;
  for (const std::string& path : paths)
    if (dots(path) == dots(pattern) && matches(pattern, path)) found.push_back(path);
  if (!found.empty()) return found;
  const std::string near = nearest(pattern, paths);
  throw InputError(fmt::format("the model has no parameter '{}'{}", pattern,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace catena
